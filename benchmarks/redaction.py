"""How many keys are taken out of what is recorded, and what else is.

python benchmarks/redaction.py              # keys drawn in the published shapes, in every place
python benchmarks/redaction.py FOLDER       # what of real messages is taken out, each to be judged by reading it

Shapes and places are those of `tests/support/made_keys.py`: one key of each shape is drawn for each place and seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

from made_keys import FIELDS, HOLDERS, LINES, PLACES, SHAPES, draw, is_taken_out

from historylab import load
from historylab.errors import HistoryLabError
from historylab.secrets.redaction import Redaction

AROUND = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    redaction = Redaction()
    if arguments.folder:
        touched(redaction, arguments.folder)
    else:
        found(redaction, arguments.seeds)


def found(redaction: Redaction, seeds: int) -> None:
    """Print the share of keys of which nothing is left, by place."""
    print(f"| {len(SHAPES)} shapes, {len(LINES)} lines, {len(FIELDS)} fields | taken out | of |\n| --- | --- | --- |")
    for place in PLACES:
        chance = Random(place)
        made = [draw(shape, chance) for _ in range(seeds) for shape in (*SHAPES, *LINES)]
        gone = sum(is_taken_out(redaction.redact(PLACES[place](text))[0], drawn) for text, drawn in made)
        print(f"| {place} | {gone / len(made):.2%} | {len(made):,} |")
    for holder in HOLDERS:
        chance = Random(holder)
        pairs = [(name, draw(shape, chance)[0]) for _ in range(seeds) for name, shape in FIELDS.items()]
        gone = sum(is_taken_out(redaction.redact(HOLDERS[holder](*pair))[0], [pair[1]]) for pair in pairs)
        print(f"| a field, {holder} | {gone / len(pairs):.2%} | {len(pairs):,} |")


def touched(redaction: Redaction, folder: Path) -> None:
    """Print each thing that is taken out of real messages, how many of them are touched, and the speed."""
    given = list(messages(folder))
    began, results = process_time(), []
    for message in given:
        results.append(redaction.redact(message))
    seconds = process_time() - began
    for message, (clean, count) in zip(given, results, strict=True):
        if count:
            print("\n".join(differences(json.dumps(message), json.dumps(clean))))
    size = sum(len(json.dumps(message)) for message in given) / 1e6
    print(f"{sum(count > 0 for _, count in results)} of {len(given):,} messages, {size / seconds:.1f} MB a second")


def messages(folder: Path) -> Iterator[Any]:
    """The messages of all files below it that are read, with their calls."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            for conversation in load(path):
                for message in conversation:
                    yield {"content": message.content, "calls": [vars_of(call) for call in message.tool_calls]}
        except HistoryLabError as problem:
            print(f"{path.name}: {problem}", file=sys.stderr)


def vars_of(call: Any) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


def differences(before: str, after: str) -> Iterator[str]:
    """What was taken out, with what stands in front of it."""
    place = 0
    for kept in after.split("[redacted]")[:-1]:
        place = before.find(kept[-AROUND:], place) + len(kept[-AROUND:])
        yield f"  {before[max(0, place - AROUND) : place]} >>> {before[place : place + AROUND]}"


if __name__ == "__main__":
    main()
