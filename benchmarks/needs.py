"""Does the rule call the right things needs? Precision and recall over labelled uses of what was said earlier.

    python benchmarks/needs.py FOLDER [--split choose|judge] [--list]   # against needs_labels.jsonl
    python benchmarks/needs.py FOLDER --show 20                         # the needs of any transcripts, some to read
    python benchmarks/needs.py FOLDER --draw 100 --seed 1               # units to label, half of them called today

A unit is a *need* where the model could not have written it had every earlier message that says it been cut. The labels
were given by reading each use with what said it, before the rule that they judge; they hold no text, only where it
stands and a digest, so that files that can't be in the repository are looked up by name below FOLDER. A set that has
judged a rule chooses from then on; the first line of the file has the seeds, and which set judges now.

Precision is of the labelled units that the rule calls needs, recall of those labelled so; what is unclear counts for
neither. Half of the units were drawn from what the rule of that day called. Intervals (Wilson's, 95 %) take units for
independent, which those of one session aren't quite.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from needs_units import ANSWER, Unit, bare, candidates, digest, draw, read_session, text_at, texts_of

from historylab import load, needs
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.recall.references import Need, contains_value, index_mentions
from historylab.summarizers.values import says

LABELS = Path(__file__).with_name("needs_labels.jsonl")
SAMPLES = Path(__file__).parents[1] / "sample_conversations"
AMOUNT = re.compile(r"\D?[\d.,]+ ?(?:%|[^\W\d_]+)?|[^\W\d_]+ \d+, \d{4}")  # with its unit, or a date
COVERED = 0.6  # of the longer text, by the shorter in it: the same need, told a little differently
Z = 1.96
Label = dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """A labelled unit with its text, and the need that the rule makes of it."""

    label: Label
    text: str
    called: Need | None

    @property
    def is_need(self) -> bool:
        return str(self.label["label"]) == "need"


def labelled(folder: Path, split: str) -> list[Judged]:
    """The units of a split that are below the folder, made or among the samples; says what isn't."""
    sessions: dict[str, list[Conversation]] = {}
    found, absent, other = [], Counter[str](), Counter[str]()
    for label in (json.loads(line) for line in LABELS.read_text().splitlines()[1:]):
        name, number = label["file"], label["conversation"]
        if label["split"] != split:
            continue
        if name not in sessions:
            sessions[name] = read_session(name, folder) or read_session(name, SAMPLES)
        if number >= len(sessions[name]):
            absent[name] += 1
            continue
        conversation = sessions[name][number]
        whole = text_at(conversation, label["message"], label["call"], label["place"])
        text = whole[label["start"] : label["end"]]
        if digest(text) != label["digest"]:
            other[name] += 1
            continue
        found.append(Judged(label, text, call_of(conversation, label, text, whole)))
    for why, counts in (("no such file", absent), ("another text there", other)):
        if counts:
            print(f"{why}: {counts.total()} units of {', '.join(counts)}")
    return found


def call_of(conversation: Conversation, label: Label, text: str, whole: str) -> Need | None:
    """The need the rule makes of a unit: the same text, nearly, or, of what isn't none, a longer one that it is in.

    What is none is wrongly called only where it is used, as its text may be a need elsewhere in the same message, and
    not by a need that is another unit: the path in a command isn't the command.
    """
    message = label["message"]
    needs = {bare(need.value): need for need in by_message(conversation)[message]}
    others: set[str] = set()
    if label["label"] == "none":
        elsewhere = {used_as(place) for _, place, _ in texts_of(conversation, message)} - {used_as(label["place"])}
        needs = {value: need for value, need in needs.items() if need.used_as not in elsewhere}
        others = {bare(unit.text) for unit in candidates(conversation, message)} | set(filter(AMOUNT.fullmatch, needs))
    if exact := needs.get(bare(text)):
        return exact
    if nearly := next((n for value, n in needs.items() if value not in others and covers(value, bare(text))), None):
        return nearly
    if label["label"] == "none":
        return None
    return next((need for need in needs.values() if is_within(label, need, whole)), None)


def is_within(label: Label, need: Need, whole: str) -> bool:
    """Tell whether the unit is a part of a longer value that is called there: Rosa, of Garten Rosa."""
    if need.used_as != used_as(label["place"]):
        return False
    start = whole.find(need.value, max(0, label["end"] - len(need.value)))
    return 0 <= start <= label["start"]


def used_as(place: str) -> str:
    return "the answer" if place == ANSWER else place


def covers(one: str, other: str) -> bool:
    """Tell whether one text is most of the other, or a number with its unit or as part of a date."""
    shorter, longer = sorted((one, other), key=len)
    if shorter.replace(".", "", 1).isdigit():
        return says(longer, shorter) and AMOUNT.fullmatch(longer) is not None
    return bool(shorter) and len(shorter) >= COVERED * len(longer) and contains_value(longer, shorter)


def by_message(conversation: Conversation) -> dict[int, list[Need]]:
    """The needs of each message that uses something."""
    found: dict[int, list[Need]] = defaultdict(list)
    for need in needs(conversation):
        if need.message is not None:
            found[need.message].append(need)
    return found


# -- against the labels


def report(units: Sequence[Judged]) -> None:
    counts = Counter(unit.label["label"] for unit in units)
    print(f"{len(units)} units: {', '.join(f'{n} {label}' for label, n in counts.most_common())}\n")
    print("| | precision | recall |\n|---|---|---|")
    row("all", units)
    for kind in sorted({unit.label["kind"] for unit in units}):
        row(kind, [unit for unit in units if unit.label["kind"] == kind])
    row("in calls", [unit for unit in units if unit.label["place"] != ANSWER])
    row("in answers", [unit for unit in units if unit.label["place"] == ANSWER])
    wrong = Counter(unit.label["why"] for unit in units if unit.label["label"] == "none" and unit.called)
    print("\nwrongly called: " + (", ".join(f"{why} {n}" for why, n in wrong.most_common()) or "none"))
    tell_sources([unit for unit in units if unit.called and unit.label["label"] != "unclear"])


def row(name: str, units: Sequence[Judged]) -> None:
    called = [unit for unit in units if unit.called and unit.label["label"] != "unclear"]
    needed = [unit for unit in units if unit.is_need]
    hits = sum(unit.is_need for unit in called)
    print(f"| {name} | {share(hits, len(called))} | {share(hits, len(needed))} |")


def tell_sources(called: Sequence[Judged]) -> None:
    """The agreement on who said it and whether asking again would tell, where the rule says either."""
    for field in ("by", "again"):
        pairs = [(u.label[field], getattr(u.called, field)) for u in called if u.is_need and hasattr(u.called, field)]
        if pairs:
            print(f"{field}: {share(sum(ours == its for ours, its in pairs), len(pairs))}")
            unlike = Counter(f"{ours} said as {its}" for ours, its in pairs if ours != its)
            print("".join(f"  {n} {text}\n" for text, n in unlike.most_common()), end="")
    claimed = [
        u for u in called if (getattr(u.called, "by", ""), getattr(u.called, "again", "")) == ("person", "never")
    ]
    only = [u for u in called if (u.label.get("by"), u.label.get("again")) == ("person", "never")]
    if claimed:
        both = sum(unit in only for unit in claimed)
        print(f"a person said it, gone for good: true in {share(both, len(claimed))}; said of {share(both, len(only))}")


def share(hits: int, of: int) -> str:
    """ "92 % [75–98] of 24"."""
    if not of:
        return "–"
    p = hits / of
    middle, half = p + Z**2 / (2 * of), Z * math.sqrt(p * (1 - p) / of + Z**2 / (4 * of**2))
    low, high = ((middle + sign * half) / (1 + Z**2 / of) for sign in (-1, 1))
    return f"{p:.0%} [{100 * low:.0f}–{100 * high:.0f}] of {of}"


def list_errors(units: Sequence[Judged]) -> None:
    for title, which in (("called, none", "none"), ("not called, a need", "need")):
        print(f"\n{title}:")
        for unit in units:
            if unit.label["label"] == which and (unit.called is not None) == (which == "none"):
                at = f"{unit.label['file'][:24]} {unit.label['conversation']} @{unit.label['message']}"
                print(f"  {at} {unit.label['place']} {unit.label.get('why', '')}: {shown(unit.text)}")


def shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:70] + " … " + text[-25:])


# -- in a folder of one's own


def read(folder: Path) -> Iterator[tuple[str, int, Conversation]]:
    """Each conversation with its file and its number there."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else [folder]:
        with suppress(HistoryLabError):
            yield from ((path.name, number, conversation) for number, conversation in enumerate(load(path)))


def show(folder: Path, size: int, seed: int) -> None:
    found = [(name, c, need) for name, _, c in read(folder) for needs in by_message(c).values() for need in needs]
    print(f"{len(found):,} needs")
    for field in ("kind", "by", "again"):
        counts = Counter(getattr(need, field) for _, _, need in found if hasattr(need, field))
        print("".join(f"  {value}: {n:,}\n" for value, n in counts.most_common()), end="")
    for name, conversation, need in random.Random(seed).sample(found, min(size, len(found))):
        first = int(need.mentions[0])
        print(f"{name} @{need.message} {need.used_as}: {shown(need.value)}")
        print(f"  said in {len(need.mentions)}, first in {first} ({conversation[first].role})")


def print_drawn(folder: Path, size: int, seed: int) -> None:
    """Units as the labels have them, by the root of a conversation's size, each with what surrounds it."""
    sessions = list(read(folder))
    roots = [math.sqrt(len(conversation)) for *_, conversation in sessions]
    dice = random.Random(seed)
    for (name, number, conversation), root in zip(sessions, roots, strict=True):
        needs = {(need.message, bare(need.value)) for needs in by_message(conversation).values() for need in needs}
        called = partial(is_among, needs)
        for unit in draw(conversation, round(size * root / sum(roots)), dice, called):
            where = {"file": name, "conversation": number, "message": unit.message, "call": unit.call}
            where |= {"place": unit.place, "start": unit.start, "end": unit.end, "digest": digest(unit.text)}
            print(json.dumps(where))
            print_context(conversation, unit)


def is_among(needs: Set[tuple[int | None, str]], unit: Unit) -> bool:
    return (unit.message, bare(unit.text)) in needs


def print_context(conversation: Conversation, unit: Unit) -> None:
    """The surroundings of a unit, and the first messages that say it."""
    text = text_at(conversation, unit.message, unit.call, unit.place)
    print(f"  {shown(unit.text)} in {text[max(0, unit.start - 80) : unit.end + 80]!r}")
    for earlier in index_mentions(conversation).before(unit.text, unit.message)[:3].tolist():
        said = conversation[earlier].content
        at = max(0, said.find(unit.text))
        print(f"  {earlier} {conversation[earlier].role}: {said[max(0, at - 60) : at + 100]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("choose", "judge"), default="choose")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", type=int)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.draw:
        print_drawn(given.folder, given.draw, given.seed)
    elif given.show is not None:
        show(given.folder, given.show, given.seed)
    else:
        units = labelled(given.folder, given.split)
        report(units)
        if given.list:
            list_errors(units)


if __name__ == "__main__":
    main()
