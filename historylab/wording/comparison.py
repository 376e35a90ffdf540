"""A comparison in words: a sentence beside the first, the one that matters most; and each figure as a table's row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from historylab.costs.amounts import money
from historylab.planning.replay import Timeline
from historylab.recall.retention import FACTS, Loss, Retention
from historylab.tuning.compare import SENT, Figures, comparison_sentence
from historylab.wording.context import counted_by
from historylab.wording.headline import quoted_loss
from historylab.wording.losses import RECALL_UNKNOWN, named_loss
from historylab.wording.untrusted import one_line

NAME = 60  # characters of a trimmer's name
ALONE = "Nothing to compare with yet."
Lane = tuple[str, Figures, Retention]
"""A configuration's letter, its figures, and what its later requests needed."""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One line of the table. `delta` words the difference of two values in the row's unit.

    `better` is 1 where more of it is better, -1 where less is, 0 where it depends.
    """

    title: str
    about: str
    read: Callable[[Figures], Any]
    show: Callable[[Any], str]
    delta: Callable[[Any, Any], str]
    better: int = -1


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A value in words; beside the first one `delta` ("same", "▲ +1,200 (+12%)"), and "better", "worse" or ""."""

    shown: str
    delta: str = ""
    verdict: str = ""


def _count(value: int) -> str:
    return f"{value:,}"


def _delta(mine: int, base: int) -> str:
    """ "▲ +1,200 (+12%)" """
    if mine == base:
        return "same"
    percent = f" ({mine / base - 1:+.0%})" if base > 20 and abs(mine / base - 1) >= 0.005 else ""
    return f"{'▲' if mine > base else '▼'} {mine - base:+,}{percent}".replace("-", "−")


def _share_delta(mine: float, base: float) -> str:
    by = round(100 * (mine - base))
    return f"{'▲' if by > 0 else '▼'} {by:+} point{'' if abs(by) == 1 else 's'}".replace("-", "−") if by else "same"


def _dollars_delta(mine: Decimal, base: Decimal) -> str:
    if not base or abs(mine / base - 1) < Decimal("0.005"):
        return "same"
    return f"{'▲' if mine > base else '▼'} {float(mine / base) - 1:+.0%}".replace("-", "−")


def _request(step: int) -> str:
    return f"request {step + 1:,}"


def _request_delta(mine: int, base: int) -> str:
    by = mine - base
    return f"{'▲' if by > 0 else '▼'} {abs(by):,} {'later' if by > 0 else 'earlier'}" if by else "same"


ROWS = (
    FigureRow("Tokens sent, all requests", "", lambda f: f.tokens_total, _count, _delta, 0),
    FigureRow("Largest request", "tokens", lambda f: f.tokens_peak, _count, _delta, 0),
    FigureRow("Refused", "requests an API would refuse", lambda f: f.refused, _count, _delta),
    FigureRow("Without the system prompt", "requests", lambda f: f.without_prompt, _count, _delta),
    FigureRow("Failed", "requests without an answer, not counted here", lambda f: f.failed, _count, _delta),
    FigureRow("Requests over the budget", "", lambda f: f.over_budget, _count, _delta),
    FigureRow("Messages dropped by the end", "not sent with the last request", lambda f: f.lost, _count, _delta),
    FigureRow("Messages in a summary by the end", "", lambda f: f.summarised, _count, _delta, 0),
    FigureRow("First message dropped", "", lambda f: f.first_loss, _request, _request_delta, 1),
    FigureRow("Must-remember messages lost", "of those you marked", lambda f: f.stars_lost, _count, _delta),
    FigureRow("First must-remember loss", "that lacks one", lambda f: f.star_lost_at, _request, _request_delta, 1),
    FigureRow("Facts lost", "later answers and tool calls used them", lambda f: f.facts_lost, _count, _delta),
    FigureRow("Summaries made", "", lambda f: f.summaries, _count, _delta, 0),
    FigureRow("Requests that only add", "the cache keeps", lambda f: f.prefix_stable, "{:.0%}".format, _share_delta, 1),
    FigureRow("Cost with prompt cache", "answers included", lambda f: f.cost, money, _dollars_delta),
)
NOTHING = {"First message dropped": "never", "First must-remember loss": "never", "Cost with prompt cache": "not known"}
LOSSES = {"First message dropped", "First must-remember loss"}
EVEN_NONE = {*NOTHING, "Must-remember messages lost"}
"""Rows that are shown even if every value is 0."""


def compare_in_rows(figures: Sequence[Figures]) -> list[tuple[FigureRow, list[FigureCell]]]:
    """A row per figure that isn't empty for all of them, with a cell for each."""
    return [(row, _cells(row, figures)) for row in ROWS if _is_shown(row, figures)]


def _is_shown(row: FigureRow, all_figures: Sequence[Figures]) -> bool:
    values = [row.read(figures) for figures in all_figures]
    return any(values) if row.title not in EVEN_NONE else any(value is not None for value in values)


def _cells(row: FigureRow, all_figures: Sequence[Figures]) -> list[FigureCell]:
    base, *others = (row.read(figures) for figures in all_figures)
    return [FigureCell(_show_value(row, base)), *(_cell(row, value, base) for value in others)]


def _show_value(row: FigureRow, value: Any) -> str:
    return NOTHING.get(row.title, "–") if value is None else row.show(value)


def _cell(row: FigureRow, value: Any, base: Any) -> FigureCell:
    """A value, the difference from the first, and whether that is better."""
    delta = "" if value is None or base is None else row.delta(value, base)
    if value is base is None and row.title in LOSSES:
        delta = "same"
    return FigureCell(_show_value(row, value), delta, _verdict(row, value, base) if delta != "same" else "")


def _verdict(row: FigureRow, value: Any, base: Any) -> str:
    """ "better", "worse", or nothing where it depends. A loss that never comes is later than any."""
    if not row.better or value == base:
        return ""
    if value is None or base is None:
        return ("better" if value is None else "worse") if row.title in LOSSES else ""
    return "better" if (value - base) * row.better > 0 else "worse"


def sentence_beside(mine: Lane, base: Lane) -> str:
    """A configuration beside the first: "B sends 31% fewer tokens than A, but loses 12 more facts (“walnuts” …)." """
    (letter, figures, found), (first, others, before) = mine, base
    named = _named_between(found, before) if (figures.facts_lost or 0) > (others.facts_lost or 0) else ""
    than = "what was really sent" if first == SENT else name_of_lane(first, before.timeline)
    return comparison_sentence(name_of_lane(letter, found.timeline), figures, others, than, named)


def name_of_lane(letter: str, timeline: Timeline) -> str:
    """ "B", "S (as sent)"; of a trimmer its name, too: "B (LangChain trim_messages)" """
    named = one_line(timeline.run.choice.title, NAME) if timeline.run else "as sent" if letter == SENT else ""
    return f"{letter} ({named})" if named else letter


def _named_between(mine: Retention, base: Retention) -> str:
    """A fact that only the first of them loses, the one to name; "" for none."""
    known = {_use_of(loss) for loss in base.losses}
    loss = named_loss(loss for loss in mine.losses if loss.kind in FACTS and _use_of(loss) not in known)
    return quoted_loss(mine, loss) if loss else ""


def _use_of(loss: Loss) -> tuple[str, str, int | None]:
    return loss.kind, loss.value, loss.needed_by


def comparison_headline(figures: Sequence[Figures], said: Sequence[str]) -> str:
    """Of these sentences, one for each but the first, that on the largest difference: refusals, losses, then tokens."""
    base, *others = figures
    if not others:
        return ALONE
    return max(zip(others, said, strict=True), key=lambda each: _how_different(each[0], base))[1]


def _how_different(mine: Figures, base: Figures) -> tuple[int, ...]:
    of = (
        (f.refused, f.without_prompt, f.stars_lost or 0, f.facts_lost or 0, f.lost, f.tokens_total)
        for f in (mine, base)
    )
    return tuple(abs(a - b) for a, b in zip(*of, strict=True))


def counting_note(letters: Sequence[str], timelines: Sequence[Timeline]) -> str:
    """A note on how tokens were counted, one for all if they agree; and on what no text says."""
    counters = [counted_by(timeline) for timeline in timelines]
    if len(set(counters)) == 1:
        unknown = f" {RECALL_UNKNOWN}" if timelines[0].original.recorded.textless else ""
        return f"Tokens by {counters[0]}.{unknown}"
    each = "; ".join(f"{letter} by {how}" for letter, how in zip(letters, counters, strict=True))
    return f"Counted differently: {each}."
