"""The share of what later calls needed that a summary, and ten that each absorb the one before, still hold.

    python benchmarks/summaries.py [FILE-or-FOLDER …] [--half develop|report] [--speed]

Needed is what `later_values.py` finds, which knows nothing of how summaries are written: a value of a later call that
stands in what was folded and in no newer message. First the first half of each conversation is folded into one summary,
and the calls of the second half need it. Then the conversation is cut into eleven parts of about equal tokens, of which
ten are folded one by one, a call never parted from its results; each part's calls need the summary before it, and the
last part's are also compared with one summary of all ten. Gold questions (`metadata["evidence"]`) whose answer stands
in a line of their messages are asked at their place, or at the end; an answer is held by a line with four fifths of its
words and one of the question's: in a bare list nobody would find it. Shares are over all needs of a kind of
conversation, with 95 % intervals from a bootstrap that draws whole conversations. A file belongs to the half `develop`
if the first eight hex digits of its conversation's digest are an even number; generators have seeds of their own for
each half. `--speed` prints CPU times instead.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np
from later_values import holds, needed_values, newest_values
from relevance import half_of
from summary_rules import WORD, first_sentences, lexrank, newest_sentences

from historylab import load
from historylab.conversation.conversation import Conversation
from historylab.counters.base import Counter, open_counter
from historylab.errors import LoadError
from historylab.generators.base import generate
from historylab.registry import member
from historylab.summarizers.base import SummaryTask

ROOMS = (250, 500, 1000, 2000)
GENERATIONS = 10
FEWEST = 22  # blocks: shorter conversations have no ten summaries
DRAWS = 1000
FEWEST_DRAWN = 5  # conversations: fewer have no interval
SAME_WORDS = 0.8  # of an answer's words
SEEDS = {"develop": range(6), "report": range(100, 110), "both": range(100, 110)}
GENERATED = {
    "coding_agent": {"turns": 40},
    "tool_loop": {"turns": 3, "rounds": 40, "output_lines": 20},
    "support_desk": {"turns": 60},
    "planted_facts": {"turns": 120, "facts": 24},
    "multilingual": {"turns": 120},
    "room": {"turns": 120},
}
LITTLE = re.compile(
    "an?|and|are|as|at|be|by|d(?:o|oes|id)|for|from|ha[ds]|have|her?|h(?:is|ow)|i[ns]?|its?|my|o[fnr]|she|that|the(?:ir|y)?|"
    "this|to|was|we(?:re)?|wh(?:at|en|ich|o)|wi(?:ll|th)|your?"
)
OURS = ("extractive", "ledger")
SESSION, DESK = 0.35, 0.1  # shares of tool results from which a conversation is a tool session, or a service chat
ONE, TEN, LAST, AT_ONCE = "one summary", "ten in a row", "ten in a row, the last part", "one of all ten, the last part"
Row = tuple[str, str, str, int, str, bool]  # kind, conversation, writer, room, how it was written, held


@dataclass(frozen=True)
class Want:
    """A value that is needed once part `asked` (from 0) is folded."""

    value: str
    asked: int
    question: str = ""

    def held(self, summary: str) -> bool:
        return answers(self.question, self.value, summary) if self.question else holds(summary, self.value)


@dataclass(frozen=True)
class Case:
    """A conversation, where its parts begin, and what is needed once they are folded; `half` begins its second half."""

    name: str
    conversation: Conversation
    cuts: tuple[int, ...]
    wants: tuple[Want, ...]
    half: int
    halves: tuple[str, ...]

    @property
    def kind(self) -> str:
        results = np.mean([m.role == "tool" for m in self.conversation])
        return "tool sessions" if results >= SESSION else "service chats" if results >= DESK else "chats"


def content_words(text: str) -> set[str]:
    return {word.rstrip("s") for word in WORD.findall(text.casefold()) if not LITTLE.fullmatch(word)}


def answers(question: str, answer: str, text: str) -> bool:
    """Whether a line has four fifths of the answer's words, and a word of the question besides."""
    wanted = content_words(answer)
    asked = content_words(question) - wanted
    for words in map(content_words, text.splitlines()):
        if words & asked and wanted and len(words & wanted) >= SAME_WORDS * len(wanted):
            return True
    return False


def conversations(paths: Sequence[Path], half: str) -> Iterator[tuple[str, Conversation]]:
    """Every conversation of that half that can be read, or the generated ones."""
    for name, options in GENERATED.items() if not paths else ():
        yield from ((f"{name} {seed}", generate(name, seed=seed, **options)) for seed in SEEDS[half])
    for given in paths:
        for path in sorted(p for p in given.rglob("*") if p.is_file()) if given.is_dir() else [given]:
            with suppress(LoadError):
                yield from ((f"{path}#{k}", c) for k, c in enumerate(load(path)) if half in ("both", half_of(c)))


def case(name: str, conversation: Conversation, counter: Counter) -> Case | None:
    """None if it is too short, or nothing is needed that only a summary could hold."""
    columns = conversation.columns
    if columns.blocks_before[-1] < FEWEST:
        return None
    tokens = np.cumsum(counter.count(conversation))
    ideal = tokens.searchsorted(tokens[-1] * np.arange(1, GENERATIONS + 1) / (GENERATIONS + 1))
    starts = columns.block_first
    cuts = tuple(int(x) for x in starts[np.minimum(starts.searchsorted(ideal), len(starts) - 1)])
    half = int(starts[starts.searchsorted(len(conversation) // 2)])
    found, halves = tuple(wants(conversation, cuts)), tuple(needed_values(conversation, half))
    return Case(name, conversation, cuts, found, half, halves) if found or halves else None


def wants(conversation: Conversation, cuts: Sequence[int]) -> Iterator[Want]:
    """The needs of calls and questions that no message after the newest cut before them says."""
    for part, (start, stop) in enumerate(pairwise([*cuts, len(conversation)])):
        yield from (Want(value, part) for value in needed_values(conversation, start, stop))
    ids = {message.id: k for k, message in enumerate(conversation) if message.id}
    for gold in conversation.metadata.get("evidence") or ():
        messages = [ids.get(m, m) for m in gold.get("messages", ())]
        places = [m for m in messages if isinstance(m, int) and m < len(conversation)]
        question, asked = str(gold.get("question") or ""), gold.get("at")
        at = len(conversation) if asked is None else ids.get(asked, asked)
        answer = str(gold.get("answer") or (conversation[at + 1].content if at + 1 < len(conversation) else ""))
        done = int(np.searchsorted(cuts, at, side="right"))
        said = any(answers(question, answer, conversation[m].content) for m in places)
        if said and done and max(places) < cuts[done - 1]:
            yield Want(answer, done - 1, question)


Writer = Callable[[SummaryTask], str]


def writers() -> dict[str, Writer]:
    """Ours and the baselines."""
    ours = {name: member("summarizer", name).target().summarize for name in OURS}
    sentences = {"first sentences": first_sentences, "newest sentences": newest_sentences, "LexRank": lexrank}
    return {**ours, "newest values of calls": newest_values, **sentences}


def generations(given: Case, write: Writer, room: int, counter: Counter, known: dict) -> list[str]:
    """The ten summaries, each of a part and the summary before."""
    written, start = [""], 0
    for cut in given.cuts:
        messages = [m for m in given.conversation[start:cut] if m.role != "system"]
        task = SummaryTask(messages, room, counter, written[-1], known, start)
        written, start = [*written, (write(task) if messages else written[-1])], cut
    return written[1:]


def rows(cases: Sequence[Case], counter: Counter) -> Iterator[Row]:
    for given in cases:
        known: dict = {}
        for name, write in writers().items():
            for room in ROOMS:
                texts = generations(given, write, room, counter, known)
                half, once = (folded(given, end, write, room, counter, known) for end in (given.half, given.cuts[-1]))
                yield from ((given.kind, given.name, name, room, ONE, holds(half, value)) for value in given.halves)
                for want in given.wants:
                    kind = "questions" if want.question else given.kind
                    yield kind, given.name, name, room, TEN, want.held(texts[want.asked])
                    if want.asked == GENERATIONS - 1:
                        yield kind, given.name, name, room, LAST, want.held(texts[-1])
                        yield kind, given.name, name, room, AT_ONCE, want.held(once)


def folded(given: Case, end: int, write: Writer, room: int, counter: Counter, known: dict) -> str:
    """One summary of everything before `end`."""
    return write(SummaryTask([m for m in given.conversation[:end] if m.role != "system"], room, counter, "", known))


def bootstrap(values: dict[str, tuple[int, int]]) -> tuple[float, float, float]:
    """A share and its 95 % interval: per conversation a sum and a number, whole conversations drawn again."""
    sums = np.array(list(values.values()))
    drawn = np.random.default_rng(0).integers(0, len(sums), (DRAWS, len(sums)))
    totals = sums[drawn].sum(1)
    low, high = np.quantile(totals[:, 0] / totals[:, 1], (0.025, 0.975))
    return float(sums[:, 0].sum() / sums[:, 1].sum()), float(low), float(high)


def table(found: Sequence[Row]) -> Iterator[str]:
    """Held by kind of conversation, way of writing, writer and room, with intervals."""
    for kind, way in dict.fromkeys((row[0], row[4]) for row in found):
        here = [row for row in found if (row[0], row[4]) == (kind, way)]
        needs = sum(row[2:4] == here[0][2:4] for row in here)
        yield f"\n{kind}, {way}: {needs:,} needs in {len({row[1] for row in here})} conversations\n"
        yield f"| written by | {' | '.join(f'{room:,} tokens' for room in ROOMS)} |"
        yield "|---" * (len(ROOMS) + 1) + "|"
        for writer in dict.fromkeys(row[2] for row in here):
            yield f"| {writer} | {' | '.join(cell(here, writer, room) for room in ROOMS)} |"


def cell(here: Sequence[Row], writer: str, room: int) -> str:
    """The share that the writer's summaries held."""
    sums: dict[str, tuple[int, int]] = {}
    for _, name, by, size, _, held in here:
        if (by, size) == (writer, room):
            kept, total = sums.get(name, (0, 0))
            sums[name] = (kept + held, total + 1)
    share, low, high = bootstrap(sums)
    return f"{share:.2f}" + (f" [{low:.2f}, {high:.2f}]" if len(sums) >= FEWEST_DRAWN else "")


def speed(counter: Counter) -> Iterator[str]:
    """CPU time for 10,000 messages folded at once, and for a second summary that takes in 20 more."""
    for kind, turns in {"support_desk": 3_000, "planted_facts": 4_900}.items():
        said = list(generate(kind, turns=turns, seed=1))
        counter.count(said)  # an encoding is loaded once
        for name, write in writers().items():
            known, times, previous = {}, [], ""
            for messages in (said[:10_000], said[10_000:10_020]) if name in OURS else ():
                began = process_time()
                previous = write(SummaryTask(messages, 2_000, counter, previous, known))
                times.append(process_time() - began)
            if times:
                yield f"{kind}, {name}: 10,000 messages {times[0]:.2f} s, then 20 more {times[1] * 1000:.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--half", choices=tuple(SEEDS), default="both")
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    counter = open_counter("exact", "gpt-4o")
    if given.speed:
        print(*speed(counter), sep="\n")
        return
    cases = [found for each in conversations(given.paths, given.half) if (found := case(*each, counter))]
    print(*table(list(rows(cases, counter))), sep="\n")


if __name__ == "__main__":
    main()
