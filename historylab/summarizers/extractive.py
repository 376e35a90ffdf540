"""`extractive`: the offline summarizer; the most telling lines word for word, so ids, numbers and paths survive.

Deterministic and without a model. A line scores by its rare words and literals (numbers, ids, paths, addresses) per
token; the best lines are taken until the room is used, and shown in their order. A former summary's lines compete
again, at a small advantage that makes up for the words they share with what came since, so a second summary absorbs the
first. A last line lists values that no chosen line holds: in a tool session, where calls need little else, it has half
of the room, in a chat what the lines leave.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from historylab.registry import register
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import count_costs, take_fitting
from historylab.summarizers.line_index import LineIndex, line_index
from historylab.summarizers.values import ALSO, Value, list_values, rank_values, read_values

LINES_OF_SESSION = 0.5  # share of the room that a tool session's lines have
RESULTS_OF_SESSION = 0.2  # share of tool results among the messages of a tool session
LIST_OF_SESSION = 0.25  # share of a former summary's tokens that its list has, if it was a tool session's
LITERAL = 3  # what the rarity of a literal counts beside that of its words
PER_LINE = 6  # tokens added to a line's own: else the shortest lines win
FORMER = 1.2  # times the score of a line that a former summary chose
SHORTEST_LINE = 40  # characters: less of a line says nothing
FRACTION = 2.0**40  # of a weight: whole numbers, whose sums don't depend on their order


@register("summarizer", "extractive", title="Lines of the original")
class ExtractiveSummarizer:
    """Offline: the most telling lines, word for word."""

    name = "extractive"
    offline = True

    def summarize(self, task: SummaryTask) -> str:
        return task.remembered(self.name, _summary)


def _summary(task: SummaryTask) -> str:
    index = line_index(task.known)
    former, listed = _read(task.previous)
    lines = np.concatenate([index.numbers_of(former), *map(index.lines_of, task.messages)])
    values = rank_values(task, listed)
    room = task.max_tokens
    if _is_session(task):
        half = task.within(int(room * (1 - LINES_OF_SESSION)))
        room -= task.count("".join(list_values(values, "", half)))
    text, chosen = _choose(index, lines, len(former), room, task) if len(lines) else ("", lines)
    said = partial(index.said.says, among=set(chosen.tolist())) if len(chosen) else None
    return "\n".join(filter(None, (text, *list_values(values, text, task, said=said))))


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


def _choose(index: LineIndex, lines: np.ndarray, former: int, room: int, task: SummaryTask) -> tuple[str, np.ndarray]:
    """The text of the best lines that fit together in `room` tokens, in their order, and their numbers (int64).

    The first so many are a former summary's. Without numbers the text is the beginning of the best.
    """
    _, first = np.unique(lines, return_index=True)
    places = np.sort(first)  # where each stands first
    lines = lines[places]
    costs = index.costs_of(lines, task.counter.key, lambda texts: count_costs(texts, task))
    ranked = np.argsort(-_scores(index, lines, int(places.searchsorted(former)), costs), kind="stable")
    chosen = ranked[take_fitting(costs[ranked].tolist(), room, task)]
    while len(chosen):
        numbers = lines[np.sort(chosen)]
        text = "\n".join([index.texts[k] for k in numbers.tolist()])
        if task.count(text) <= room:
            return text, numbers
        chosen = chosen[: len(chosen) * 9 // 10]  # counted one by one before, and now as a whole
    return _cut(index.texts[lines[ranked[0]]], room, task), chosen


def _scores(index: LineIndex, lines: np.ndarray, former: int, costs: np.ndarray) -> np.ndarray:
    """float64: how telling each of these lines is, all of them different."""
    rare = _rarity(*index.words_in(lines), len(lines)) + LITERAL * _rarity(*index.literals_in(lines), len(lines))
    scores: np.ndarray = rare / (PER_LINE + costs)
    scores[:former] *= FORMER
    return scores


def _rarity(said: np.ndarray, owners: np.ndarray, total: int) -> np.ndarray:
    """float64[total]: the inverse document frequencies of what each line says, added up; documents are the lines."""
    rarity = np.rint(np.log(1 + total / np.arange(1, total + 1)) * FRACTION)  # of what so many lines say
    found: np.ndarray = np.bincount(owners, rarity[np.bincount(said)[said] - 1], total) / FRACTION
    return found


def _cut(text: str, room: int, task: SummaryTask) -> str:
    """As much of the best line as fits: there is room, but for no line whole."""
    while len(text) > SHORTEST_LINE:
        text = text[: len(text) * 3 // 4]
        if task.count(text + " …") <= room:
            return text + " …"
    return ""
