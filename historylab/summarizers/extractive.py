"""`extractive`: the offline summarizer; the most telling lines word for word, so ids, numbers and paths survive.

Deterministic and without a model. A line scores by the rare words and the literals in it (numbers, ids, paths,
addresses); the best lines are taken until the room is used, and shown in their order. A former summary's lines compete
again, so a second summary absorbs the first. A last line lists literals that no chosen line holds.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain

import numpy as np

from historylab.registry import register
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import ALSO, append_ledger, read_ledger, select_fitting
from historylab.summarizers.lines import Lines, join_lines, message_lines, summary_lines

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
    lines = _lines(task)
    if not lines.texts:
        return ""
    ranked = _ranked(lines, _each_once(lines.texts))
    literals = chain(read_ledger(task.previous), chain.from_iterable(lines.literals[k] for k in ranked))
    return append_ledger(_fill(ranked, lines.texts, task), list(dict.fromkeys(literals)), task)


def _lines(task: SummaryTask) -> Lines:
    """Candidates in order: the former summary's, then those of every message."""
    former = [line for line in task.previous.splitlines() if line.strip() and not line.startswith(ALSO)]
    return join_lines([summary_lines(former), *(message_lines(message, task.known) for message in task.messages)])


def _each_once(texts: Sequence[str]) -> np.ndarray:
    """int64, ascending: where each text stands first."""
    if len(set(texts)) == len(texts):
        return np.arange(len(texts))
    first = dict(zip(reversed(texts), reversed(range(len(texts))), strict=True))
    return np.array(sorted(first.values()), np.int64)


def _ranked(lines: Lines, candidates: np.ndarray) -> list[int]:
    """The candidates (int64 indices of lines, ascending), the best first, of equals the first.

    Rare words and literals per length: inverse document frequency, literals counted double.
    """
    total, every = len(candidates), len(lines.texts)
    words, owners = lines.words, np.repeat(np.arange(every), lines.word_counts)
    if total < every:  # some lines occur twice
        counted = np.isin(owners, candidates)
        words, owners = words[counted], owners[counted]
    _, which, frequency = np.unique(words, return_inverse=True, return_counts=True)
    rarity = np.rint(np.log(1 + total / frequency) * FRACTION)
    rare = np.bincount(owners, rarity[which], every) / FRACTION
    scores = (rare + 2 * math.log(1 + total) * lines.literal_counts) / np.sqrt(8 + lines.lengths)
    ranked: list[int] = candidates[np.argsort(-scores[candidates], kind="stable")].tolist()
    return ranked


def _fill(ranked: Sequence[int], texts: Sequence[str], task: SummaryTask) -> str:
    """The best lines that fit together, in their order. Lines are counted once each; the whole, to be sure."""
    chosen = [ranked[k] for k in select_fitting([texts[k] for k in ranked], task.max_tokens, task)]
    while chosen and not task.fits(_text(chosen, texts)):
        chosen = chosen[: len(chosen) * 9 // 10]
    return _text(chosen, texts) if chosen else _cut(texts[ranked[0]], task)


def _text(chosen: Iterable[int], texts: Sequence[str]) -> str:
    return "\n".join(texts[k] for k in sorted(chosen))


def _cut(text: str, task: SummaryTask) -> str:
    """As much of the best line as fits: there is room, but for no line whole."""
    while len(text) > SHORTEST_LINE:
        text = text[: len(text) * 3 // 4]
        if task.fits(text + " …"):
            return text + " …"
    return ""
