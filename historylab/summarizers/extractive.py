"""`extractive`: the offline summarizer; the most telling lines word for word, so ids, numbers and paths survive.

Deterministic and without a model. A line scores by its rare words and literals (numbers, ids, paths, addresses) per
token; the best lines are taken until the room is used, and shown in their order. A former summary's lines compete
again, at a small advantage that makes up for the words they share with what came since, so a second summary absorbs the
first. A last line lists values that no chosen line holds: in a tool session, where calls need little else, it has half
of the room, in a chat what the lines leave.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from historylab.registry import register
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import costs_of, select_fitting
from historylab.summarizers.lines import Lines, join_lines, message_lines, summary_lines
from historylab.summarizers.values import ALSO, Value, list_values, rank_values, read_values

LINES_OF_SESSION = 0.5  # share of the room that a tool session's lines have
RESULTS_OF_SESSION = 0.2  # share of tool results among the messages of a tool session
LIST_OF_SESSION = 0.25  # share of a former summary's tokens that its list has, if it was a tool session's
LITERAL = 3  # what the rarity of a literal counts beside that of its words
PER_LINE = 6  # tokens added to a line's own: else the shortest lines win
FORMER = 1.2  # times the score of a line that a former summary chose
SHORTEST_LINE = 40  # characters: less of a line says nothing
MOST_REMEMBERED = 2_000  # summaries of one conversation: settings that fold the same messages need it written once
MOST_MESSAGES = 500_000  # that those summaries stand for; each keeps a list of them, 8 bytes a message
FRACTION = 2.0**40  # of a weight: whole numbers, whose sums don't depend on their order


@register("summarizer", "extractive", title="Lines of the original")
class ExtractiveSummarizer:
    """Offline: the most telling lines, word for word."""

    name = "extractive"
    offline = True

    def summarize(self, task: SummaryTask) -> str:
        written: dict[Hashable, str] = task.known.setdefault("extracts", {})
        key = (tuple(task.messages), task.previous, task.max_tokens, task.counter.key)
        text = written.get(key)
        if text is None:
            if len(written) >= min(MOST_REMEMBERED, MOST_MESSAGES // max(1, len(task.messages))):
                written.clear()
            text = written[key] = _summary(task)
        return text


def _summary(task: SummaryTask) -> str:
    former, listed = _read(task.previous)
    lines = join_lines([summary_lines(former), *(message_lines(message, task.known) for message in task.messages)])
    values = rank_values(task, listed)
    room = task.max_tokens
    if _is_session(task):
        half = replace(task, max_tokens=int(room * (1 - LINES_OF_SESSION)))
        room -= task.count("".join(list_values(values, "", half)))
    text = _choose(lines, len(former), room, task) if lines.texts else ""
    return "\n".join(filter(None, (text, *list_values(values, text, task))))


def _read(previous: str) -> tuple[list[str], list[Value]]:
    """A former summary's lines, and the values it lists."""
    lines = [line for line in previous.splitlines() if line.strip()]
    listed = [value for line in lines if line.startswith(ALSO) for value in read_values(line)]
    return [line for line in lines if not line.startswith(ALSO)], listed


def _is_session(task: SummaryTask) -> bool:
    """Whether the task is about a tool session, as its messages say, or else the summary they follow."""
    results = sum(message.role == "tool" for message in task.messages)
    listed = sum(task.count(line) for line in task.previous.splitlines() if line.startswith(ALSO))
    said = results and results >= RESULTS_OF_SESSION * len(task.messages)
    return bool(said) or listed > LIST_OF_SESSION * task.count(task.previous)


def _choose(lines: Lines, former: int, room: int, task: SummaryTask) -> str:
    """The best lines that fit together in `room` tokens, in their order; the first so many are a former summary's."""
    ranked = _rank(lines, _each_once(lines.texts), former, task)
    chosen = [ranked[k] for k in select_fitting([lines.texts[k] for k in ranked], room, task)]
    while chosen and task.count(_text(chosen, lines.texts)) > room:  # counted one by one before, and now as a whole
        chosen = chosen[: len(chosen) * 9 // 10]
    return _text(chosen, lines.texts) if chosen else _cut(lines.texts[ranked[0]], room, task)


def _each_once(texts: Sequence[str]) -> np.ndarray:
    """int64, ascending: where each text stands first."""
    if len(set(texts)) == len(texts):
        return np.arange(len(texts))
    first = dict(zip(reversed(texts), reversed(range(len(texts))), strict=True))
    return np.array(sorted(first.values()), np.int64)


def _rank(lines: Lines, candidates: np.ndarray, former: int, task: SummaryTask) -> list[int]:
    """The candidates (int64 indices of lines, ascending), the best first, of equals the first."""
    rare = _rarity(lines.words, lines.word_counts, candidates)
    rare += LITERAL * _rarity(lines.literals, lines.literal_counts, candidates)
    scores = rare / (PER_LINE + np.array(costs_of(lines.texts, task)))
    scores[:former] *= FORMER
    ranked: list[int] = candidates[np.argsort(-scores[candidates], kind="stable")].tolist()
    return ranked


def _rarity(said: np.ndarray, counts: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """float64[lines]: the inverse document frequencies of what each line says, added up; documents are the candidates.

    `said` (int64) are the hashes line by line, `counts` (int64[lines]) how many each line has.
    """
    every, total = len(counts), len(candidates)
    owners = np.repeat(np.arange(every), counts)
    if total < every:  # some lines occur twice
        counted = np.isin(owners, candidates)
        said, owners = said[counted], owners[counted]
    _, which, frequency = np.unique(said, return_inverse=True, return_counts=True)
    rarity = np.rint(np.log(1 + total / frequency) * FRACTION)
    return np.bincount(owners, rarity[which], every) / FRACTION


def _text(chosen: Iterable[int], texts: Sequence[str]) -> str:
    return "\n".join(texts[k] for k in sorted(chosen))


def _cut(text: str, room: int, task: SummaryTask) -> str:
    """As much of the best line as fits: there is room, but for no line whole."""
    while len(text) > SHORTEST_LINE:
        text = text[: len(text) * 3 // 4]
        if task.count(text + " …") <= room:
            return text + " …"
    return ""
