"""Is what was really sent read as it was? Of logs of apps that trim, of compacted sessions, and of files as before.

    python benchmarks/as_sent.py [FILES…] [--quick] [--only trimmed controls …] [--before REVISION] [--failing FOLDER]

*trimmed*: chats whose whole history is known (generated ones, and the conversations of FILES) are logged request by
request under trimming rules of our own and by the trimmers of installed libraries, in five formats, with the session's
id and without, with rows out of order, arguments written anew and ids renamed; each log should open as one conversation
in which every request has just the messages that were sent. *controls*: what doesn't belong together stays apart, and a
branch is one. *sessions*: those among FILES
and our samples that an agent compacted, beside what their lines tell. *why*: a value is planted in a message, and
`historylab why` asked when it was sent and what removed it. *before*: what differs from an earlier revision in how
FILES and the sample conversations are read.

FILES are files or folders. FOLDER takes the smallest log of each rule and format that is read wrongly.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = str(Path(__file__).parent)  # its agents.py is not the library of that name
sys.path[:] = [str(ROOT), str(ROOT / "tests" / "support"), *(place for place in sys.path if place != HERE)]

from benchmarks.measured import heading, row  # noqa: E402
from benchmarks.sent.before import differences  # noqa: E402
from benchmarks.sent.chats import Chat, generated, transcripts  # noqa: E402
from benchmarks.sent.controls import batch, controls, logged  # noqa: E402
from benchmarks.sent.judged import Judged, judge  # noqa: E402
from benchmarks.sent.libraries import installed  # noqa: E402
from benchmarks.sent.logs import FORMATS, LogFormat, Sent  # noqa: E402
from benchmarks.sent.planted import (  # noqa: E402
    SETTINGS,
    Answers,
    as_compacted,
    as_logged,
    as_replayed,
    ask,
    keeping,
    planted,
)
from benchmarks.sent.rules import RULES  # noqa: E402
from benchmarks.sent.sessions import compacted, cost_read, cuts_read  # noqa: E402
from benchmarks.sent.spellings import SPELLINGS  # noqa: E402

COLUMNS = ("logs", "linked", "one conversation", "requests", "as sent", "unknown", "unnamed", "wrong")
SUFFIXES = {".json", ".jsonl", ".traj", ".csv", ".yaml"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter chats")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--before", metavar="REVISION", default="")
    parser.add_argument("--failing", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    for name in asked.only:
        SECTIONS[name](asked)


def files_in(given: Sequence[Path]) -> list[Path]:
    """The files, and those of the folders."""
    found = (p for path in given for p in ([path] if path.is_file() else sorted(path.rglob("*"))))
    return [path.resolve() for path in found if path.suffix in SUFFIXES]


# -- logs of apps that trim


def trimmed(asked: argparse.Namespace) -> None:
    chats = [*generated(range(1 if asked.quick else 2), 8 if asked.quick else 12), *transcripts(files_in(asked.files))]
    by_rule, by_kind = defaultdict[str, Judged](Judged), defaultdict[str, Judged](Judged)
    worst = _Smallest(asked.failing)
    heading(f"rule, {len(chats)} chats", *COLUMNS)
    for name, make in {**RULES, **installed()}.items():
        for chat in chats:
            log = logged(chat, make, "s")
            for spelling, kind in _ways(chat):
                written = SPELLINGS[spelling](log)
                found = judge(written, kind)
                by_rule[name].add(found)
                by_kind[f"{kind.name}{spelling}"].add(found)
                worst.see(f"{name}, {kind.name}{spelling}", f"{chat.name}, {name}", kind, written, found)
        row(name, *_cells(by_rule[name]))
    row("all", *_cells(_sum(by_rule)))
    heading("format", *COLUMNS)
    for name in sorted(by_kind):
        row(name, *_cells(by_kind[name]))
    worst.tell()


def _ways(chat: Chat) -> Iterator[tuple[str, LogFormat]]:
    if not chat.generated:  # long: in one way each
        yield from (("", kind) for kind in FORMATS)
        return
    calls = any(record.get("tool_calls") for record in chat.records)
    for kind in FORMATS:
        yield "", kind
        if not kind.bodies:
            yield ", no session", kind
            yield ", rows out of order", kind
        if calls:
            yield ", written anew", kind
            yield ", ids renamed", kind


# -- what isn't one line


def controlled(asked: argparse.Namespace) -> None:
    by_name = defaultdict[str, Judged](Judged)
    worst = _Smallest(asked.failing)
    turns = 8 if asked.quick else 14
    chats = list(generated(range(3), turns))
    for family in ("planted_facts", "support_desk", "coding_agent"):
        alike = [chat for chat in chats if re.fullmatch(rf"{family} \d+", chat.name)]
        trims = ("nothing trimmed", "newest 6 messages", "newest 13 messages", "summary as user")
        made = (control for trim in trims for control in controls(alike, RULES[trim], trim))
        for control, kind in product((batch(alike), *made), FORMATS):
            found = judge(control.log, kind, chats=control.chats, branches=control.branches_in(kind))
            by_name[control.name].add(found)
            worst.see(f"{control.name}, {kind.name}", f"{family}, {control.name}", kind, control.log, found)
    heading("control", *COLUMNS[:2], "the chats that there are", *COLUMNS[3:])
    for name in sorted(by_name):
        row(name, *_cells(by_name[name]))
    worst.tell()


def _cells(found: Judged) -> tuple[str, ...]:
    share = f"{found.exact / max(1, found.requests):.1%}"
    counts = (found.unknown, found.unnamed, found.wrong)
    logs = (found.logs, found.linked, found.whole, found.requests)
    return (*(f"{count:,}" for count in logs), share, *(f"{count:,}" for count in counts))


def _sum(parts: Mapping[str, Judged]) -> Judged:
    total = Judged()
    for part in parts.values():
        total.add(part)
    return total


class _Smallest:
    """The smallest log of each kind that is read wrongly, in a request if possible; nothing without a folder."""

    def __init__(self, folder: Path | None):
        self._folder, self._found = folder, dict[str, tuple[tuple[bool, int], str, LogFormat, Sequence[Sent], Judged]]()

    def see(self, key: str, name: str, kind: LogFormat, log: Sequence[Sent], found: Judged) -> None:
        rank = not found.wrong, len(log)
        if self._folder and found.faults and (key not in self._found or rank < self._found[key][0]):
            self._found[key] = rank, name, kind, list(log), found

    def tell(self) -> None:
        for key, (_, name, kind, log, found) in self._found.items():
            place = self._folder / re.sub(r"\W+", "-", key)
            place.mkdir(parents=True, exist_ok=True)
            (place / kind.file).write_bytes(kind.written(log))
            (place / "faults.txt").write_text("\n".join([name, *found.faults]) + "\n")


# -- sessions that an agent compacted


def sessions(asked: argparse.Namespace) -> None:
    found = list(compacted(files_in([ROOT / "sample_conversations", ROOT / "tests/formats/samples", *asked.files])))
    sizes = ("told before", "shown", "off", "reported after", "shown", "off", "messages gone", "summary")
    heading("session", "cut before request", "trigger", *sizes)
    for path, conversation in found:
        for cut in cuts_read(path, conversation):
            before = (_number(cut.told_before), _number(cut.shown_before), _share(cut.before_off))
            after = (_number(cut.reported_after), _number(cut.shown_after), _share(cut.after_off))
            gone = (f"{cut.dropped:,}", "yes" if cut.has_summary else "no")
            row(path.stem[:24], f"{cut.request + 1:,}", cut.trigger or "–", *before, *after, *gone)
    heading("session", "requests", "with usage", "reported", "as opened", "off", "as if uncut", "off")
    for path, conversation in found:
        if cost := cost_read(conversation):
            opened, uncut = (cost.opened, cost.off(cost.opened)), (cost.uncut, cost.off(cost.uncut))
            cells = [cell for dollars, off in (opened, uncut) for cell in (f"${dollars:.3f}", _share(off))]
            row(path.stem[:24], f"{cost.requests:,}", f"{cost.with_usage:,}", f"${cost.reported:.3f}", *cells)


def _number(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


def _share(off: float | None) -> str:
    return "–" if off is None else f"{off:+.1%}"


# -- why a value was there or not


def why(asked: argparse.Namespace) -> None:
    kinds: dict[str, dict[str, Answers]] = {"by": defaultdict(Answers), "cut": defaultdict(Answers)}
    for chat in generated(range(1 if asked.quick else 3), 12 if asked.quick else 16):
        for one in planted(chat):
            ways = {
                **{f"log, {name}": partial(as_logged, one, make) for name, make in RULES.items()},
                "log, summary that keeps it": partial(as_logged, one, keeping(one.value)),
                "session of Claude Code": partial(as_compacted, one),
                **{f"settings, {name}": partial(as_replayed, one, chosen) for name, chosen in SETTINGS.items()},
            }
            for name, made in ways.items():
                found = ask(one, made)
                kinds["cut"][name].add(found)
                kinds["by"][f"said in {one.by}"].add(found)
    heading(
        "what was asked of", "questions", "it was there", "right request", "right cause", "right holder", "all right"
    )
    for name, found in (*kinds["cut"].items(), *kinds["by"].items()):
        right = (found.request, found.cause, found.held, found.right)
        shares = (f"{count / found.asked:.1%}" for count in right)
        row(name, f"{found.asked:,}", f"{found.there:,}", *shares, f"{found.kept:,} of {found.named:,}")
    if asked.failing:
        asked.failing.mkdir(parents=True, exist_ok=True)
        lines = (f"{name}: {fault}" for name, found in kinds["cut"].items() for fault in found.faults)
        (asked.failing / "why.txt").write_text("\n".join(lines))


# -- files as before


def unchanged(asked: argparse.Namespace) -> None:
    if not asked.before:
        print("\nfiles as before: not compared, as no revision is given by --before")
        return
    paths = files_in([ROOT / "sample_conversations", ROOT / "tests/formats/samples", *asked.files])
    differing = list(differences(asked.before, paths))
    print(f"\n{len(paths)} files: {len(differing)} are not read as at {asked.before}")
    for path, found in differing:
        print(path, *found[:12], sep="\n    ")


SECTIONS = {"trimmed": trimmed, "controls": controlled, "sessions": sessions, "why": why, "before": unchanged}

if __name__ == "__main__":
    main()
