"""Changes transcripts at random and loads them: does anything crash, and does any text fall silently?

    python benchmarks/attacks/files.py FOLDER… [--files 50000] [--seed 0]

Each attack takes a small piece of a real file, puts a mark of its own into every text of a message, changes one to
three JSON nodes (deletes, replaces, retypes, renames, repeats or moves them; now and then it damages the bytes) and
loads it. Allowed are conversations, or a HistoryLabError. A mark that the untouched piece gave back, and the changed
one doesn't though it holds it, is lost silently, unless the report says something new. Lists go through `trim()`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import traceback
from collections import Counter
from collections.abc import Container, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from historylab import HistoryLabError, Settings, load, trim
from historylab.formats.base import Report
from historylab.formats.load import Conversations

INPUTS = {"input", "tool_input", "tool_output"}
TEXTS = {"content", "text", "arguments", "system", "value", "message", "utterance", *INPUTS}
MARK = re.compile(r"«\d+»")
SUFFIXES = {".json", ".jsonl", ".traj"}
ODD = [None, True, False, 0, -1, 3.5, 1e300, "", "x", "tool_use", "user", "1970-01-01", [], {}, [[]], [None], {"a": 1}]
MOST_ITEMS, MOST_LETTERS, MOST_BYTES = 12, 60, 2_000_000
WRONG = ("crashed", "lost")
DAMAGED = 0.1  # share of files of which bytes are damaged at last
BATCH, EACH = 500, 20  # attacks handed out at once, and on one piece


@dataclass
class Outcome:
    """What became of one changed file: the format that read it, or what went wrong."""

    kind: str  # loaded, refused, crashed, lost
    format: str = ""
    detail: str = ""


def pieces(path: Path, chance: random.Random) -> list[Any] | Any:
    """A small piece of a file: a list of JSON lines, or a document with its long lists and texts shortened."""
    text = path.read_text("utf-8", errors="replace")
    if path.suffix == ".jsonl":
        lines = [line for line in text.split("\n") if line.strip()]
        start = chance.randrange(max(1, len(lines) - MOST_ITEMS))
        return [_shortened(json.loads(line), chance) for line in lines[start : start + MOST_ITEMS] if _is_json(line)]
    return _shortened(json.loads(text), chance)


def marked(value: Any, numbers: Iterator[int], key: str = "") -> Any:
    """The value with a mark of its own in every text of a message."""
    if isinstance(value, dict):
        return {name: marked(held, numbers, key if key in INPUTS else name) for name, held in value.items()}
    if isinstance(value, list):
        return [marked(held, numbers, key) for held in value]
    if not isinstance(value, str) or key not in TEXTS or len(value) < 2:
        return value
    return f'{{"value": "«{next(numbers)}»"}}' if key == "arguments" else f"{value} «{next(numbers)}»"


def changed(value: Any, chance: random.Random) -> Any:
    """A copy with one node changed."""
    value = json.loads(json.dumps(value))
    places = list(_places(value))
    if not places:
        return chance.choice(ODD)
    parent, key = chance.choice(places)
    held, ways = parent[key], ("delete", "replace", "retype", "repeat", "rename", "move")
    match chance.choice(ways):
        case "delete":
            del parent[key]
        case "replace":
            parent[key] = json.loads(json.dumps(chance.choice(ODD)))
        case "retype":
            parent[key] = chance.choice([str(held), [held], {"x": held}, [held, held], {"type": held}])
        case "repeat" if isinstance(parent, list):
            parent.insert(key, held)
        case "rename" if isinstance(parent, dict):
            parent[chance.choice([key.upper(), f"{key}s", "x", ""])] = parent.pop(key)
        case _:
            other, place = chance.choice(places)
            parent[key] = json.loads(json.dumps(other[place]))
    return value


def attack(value: Any, lines: bool, chance: random.Random) -> Outcome:
    """Change a piece and load it, then change it further: what became of the first change, unless a later one crashes.

    Only the first change is asked for lost texts: later ones could drop the second copy of one that was reported.
    """
    first = outcome = _outcome(value, changed(value, chance), lines, set(_labels(value)))
    for _ in range(chance.choice([0, 0, 1, 2])):
        value = changed(value, chance)
        outcome = _outcome(None, value, lines)
    if chance.random() < DAMAGED:
        data = _encoded(value, lines)
        at = chance.randrange(len(data) + 1)
        damaged = data[:at] + chance.choice([b"", bytes([chance.randrange(256)]) + data[at + 1 :]])
        outcome = _outcome(None, damaged, lines)
    return outcome if outcome.kind == "crashed" and first.kind not in WRONG else first


def _outcome(before: Any, after: Any, lines: bool, labels: Container[str] = ()) -> Outcome:
    """What becomes of a piece, or of bytes; `before` is the piece as it was."""
    try:
        if isinstance(after, list):
            _trim(after)
        loaded = _load(after, lines)
    except HistoryLabError:
        return Outcome("refused")
    except Exception:  # whatever it is, it is what this looks for
        return Outcome("crashed", detail=f"{traceback.format_exc(limit=-3)}{after}"[:6000])
    lost = set() if before is None else _lost(before, after, loaded, lines, labels)
    detail = f"{sorted(lost)}: {loaded.report}\n{after}"[:6000] if lost else ""
    return Outcome("lost" if lost else "loaded", loaded.report.format, detail)


def _load(value: Any, lines: bool) -> Conversations:
    data = value if isinstance(value, bytes) else _encoded(value, lines)
    return load(data, name="x.jsonl" if lines else "x.json")


def _loads(value: Any, lines: bool) -> bool:
    with suppress(HistoryLabError):
        return bool(_load(value, lines))
    return False


def _lost(before: Any, after: Any, loaded: Conversations, lines: bool, labels: Container[str]) -> set[str]:
    """The marks that are lost without a word."""
    missing = set(_marks(after, labels)) - _read(loaded)
    if not missing or not _loads(before, lines):
        return set()
    untouched = _load(before, lines)
    return set() if said(loaded.report) - said(untouched.report) else missing & _read(untouched)


def _labels(value: Any) -> Iterator[str]:
    """The names of fields in which nothing is said: a text that is moved there is none any more."""
    for parent, key in _places(value):
        if isinstance(parent, dict) and key not in TEXTS and not any(_marks(parent[key])):
            yield key


def _marks(value: Any, labels: Container[str] = ()) -> Iterator[str]:
    if isinstance(value, str):
        yield from MARK.findall(value)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in items:
        if key not in labels:
            yield from _marks(held, labels)


def said(report: Report) -> set[tuple[str, int, str]]:
    """What a report says isn't read: each reason, how often, and where first."""
    told = (report.skipped, report.warnings)
    return {(why, tally.count, tally.first) for tallies in told for why, tally in tallies.items()}


def _read(loaded: Conversations) -> set[str]:
    read = [message for c in loaded for path in (c, *c.branches) for message in path]
    found = [(m.content, m.id, m.name, m.tool_calls, m.tool_call_id, dict(m.metadata)) for m in read]
    return set(MARK.findall(f"{found} {[(c.title, c.metadata) for c in loaded]}"))


def _trim(records: list[Any]) -> None:
    with suppress(HistoryLabError):
        trim(records, Settings(length=2))


def _shortened(value: Any, chance: random.Random, depth: int = 0) -> Any:
    if isinstance(value, dict):
        return {name: _shortened(held, chance, depth + 1) for name, held in value.items()}
    if isinstance(value, list):
        start = chance.randrange(max(1, len(value) - MOST_ITEMS)) if depth < 3 else 0
        most = 2 if len(value) > MOST_ITEMS and depth == 0 and not isinstance(value[0], str) else MOST_ITEMS
        return [_shortened(held, chance, depth + 1) for held in value[start : start + most]]
    return value[:MOST_LETTERS] if isinstance(value, str) else value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every node below the top: what holds it, and its key or index."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _encoded(value: Any, lines: bool) -> bytes:
    if lines and isinstance(value, list):
        return b"\n".join(json.dumps(line).encode() for line in value)
    return json.dumps(value).encode()


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _batch(paths: list[Path], number: int, seed: int = 0) -> list[Outcome]:
    chance = random.Random(f"{seed} {number}")
    outcomes = []
    while len(outcomes) < BATCH:
        path = chance.choice(paths)
        piece = marked(pieces(path, chance), iter(range(10_000_000)))
        lines = path.suffix == ".jsonl"
        times = EACH if _loads(piece, lines) else 1
        outcomes += [attack(piece, lines, chance) for _ in range(times)]
    return outcomes[:BATCH]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = (path for folder in arguments.folders for path in sorted(folder.rglob("*")))
    paths = [path for path in found if path.suffix in SUFFIXES and path.stat().st_size < MOST_BYTES]
    with ProcessPoolExecutor() as pool:
        batches = pool.map(partial(_batch, paths, seed=arguments.seed), range(-(-arguments.files // BATCH)))
        outcomes = [outcome for batch in batches for outcome in batch]
    kinds, formats = Counter(o.kind for o in outcomes), Counter(o.format for o in outcomes if o.format)
    print(f"{len(outcomes):,} changed files out of {len(paths)}: {kinds['loaded'] + kinds['lost']:,} loaded,", end=" ")
    print(f"{kinds['refused']:,} refused, {kinds['crashed']:,} crashed, {kinds['lost']:,} lost a text silently")
    print(", ".join(f"{name}: {count:,}" for name, count in formats.most_common()))
    for outcome in [o for o in outcomes if o.kind in WRONG][:5]:
        print(f"\n{outcome.kind}: {outcome.detail}")


if __name__ == "__main__":
    main()
