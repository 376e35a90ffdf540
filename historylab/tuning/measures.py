"""The measures of a sweep: one entry each, with what it says, how it is computed and how conversations combine.

Adding a measure is adding an entry to MEASURES; tables, the command line and recommendations take it from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.caches.base import Cache, cache_members
from historylab.costs.traffic import tokens_share
from historylab.planning.replay import Timeline
from historylab.planning.validity import naive_validity, recorded_validity
from historylab.recall.retention import Kept
from historylab.recall.rules import find_rules, share_of_rules_kept
from historylab.recall.sayers import BY_PERSON
from historylab.tuning.combine import Combine, Row, first, largest, mean, total, weighted_by
from historylab.tuning.replayed import MeasureOptions, Replayed, summaries_made


@dataclass(frozen=True, slots=True)
class Measure:
    """A column: its name, what it says, its value for one replay, and how the values of several conversations combine.

    The value is NaN where nothing can be said (no references, no prices); any other is of the `kind`.
    """

    name: str
    help: str
    value: Callable[[Replayed], float | str]
    _: KW_ONLY
    combine: Combine
    kind: type[float | str] = float


def _share(kept: Kept) -> float:
    return _nan_if_unknown(kept.share)


def _nan_if_unknown(share: float | None) -> float:
    return math.nan if share is None else share


def _mean(shares: Iterable[float | None]) -> float:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else math.nan


def _unless_textless(replayed: Replayed, found: int) -> float:
    """What was found by reading messages; unknown where the transcript has only their sizes."""
    return math.nan if replayed.conversation.recorded.textless else found


def _untrimmed_tokens(row: Row) -> float:
    return float(row["tokens_total"] / max(row["tokens_share"], 1e-9))


CERTAIN = ("reference", "star", "evidence")

MEASURES: tuple[Measure, ...] = (
    Measure("title", "the conversation's", lambda r: r.conversation.title, combine=first, kind=str),
    Measure(
        "messages", "messages of the conversation", lambda r: len(r.timeline.conversation), combine=total, kind=int
    ),
    Measure("requests", "requests it made", lambda r: len(r.timeline.plans), combine=total, kind=int),
    Measure(
        "tokens_mean",
        "tokens a request sends, on average",
        lambda r: float(r.sizes.mean()) if len(r.sizes) else 0.0,
        combine=mean,
    ),
    Measure(
        "tokens_peak",
        "tokens of the largest request",
        lambda r: int(r.sizes.max(initial=0)),
        combine=largest,
        kind=int,
    ),
    Measure("tokens_total", "tokens of all requests", lambda r: int(r.sizes.sum()), combine=total, kind=int),
    Measure(
        "tokens_share",
        "tokens of all requests ÷ those of not trimming",
        lambda r: tokens_share(r.timeline),
        combine=weighted_by(_untrimmed_tokens),
    ),
    Measure(
        "over_budget", "requests over the budget", lambda r: int(r.timeline.over_budget.sum()), combine=total, kind=int
    ),
    Measure(
        "rejected",
        "requests an API would refuse: the recorded provider's, where its rules are known",
        lambda r: int(recorded_validity(r.timeline).refused.sum()),
        combine=total,
        kind=int,
    ),
    Measure(
        "rejected_naive",
        "requests it would refuse if the same settings were sliced message by message",
        lambda r: int(naive_validity(r.timeline).refused.sum()),
        combine=total,
        kind=int,
    ),
    Measure(
        "summaries",
        "summaries made",
        lambda r: summaries_made(r.timeline),
        combine=total,
        kind=int,
    ),
    Measure(
        "references",
        "values in tool calls that an earlier message held",
        lambda r: _unless_textless(r, r.retention.kept["reference"].total),
        combine=total,
        kind=int,
    ),
    Measure(
        "references_kept",
        "share of them still held by what the request sends",
        lambda r: _share(r.retention.kept["reference"]),
        combine=weighted_by("references"),
    ),
    Measure(
        "links_kept",
        "share of the literals in answers still held ≈",
        lambda r: _share(r.retention.kept["link"]),
        combine=mean,
    ),
    Measure(
        "stars", "messages marked to be remembered", lambda r: r.retention.kept["star"].total, combine=total, kind=int
    ),
    Measure(
        "stars_kept",
        "share of them every later request held",
        lambda r: _share(r.retention.kept["star"]),
        combine=weighted_by("stars"),
    ),
    Measure(
        "rules",
        "standing instructions of users and system messages ≈",
        lambda r: math.nan if r.conversation.recorded.textless else len(find_rules(r.conversation)),
        combine=total,
        kind=int,
    ),
    Measure(
        "rules_kept",
        "share of the pairs of a rule and a later request in which the request holds it ≈",
        lambda r: _nan_if_unknown(share_of_rules_kept(r.timeline)),
        combine=weighted_by("rules"),
    ),
    Measure(
        "evidence_kept",
        "share of the gold evidence held when it was asked for",
        lambda r: _share(r.retention.kept["evidence"]),
        combine=mean,
    ),
    Measure(
        "questions_kept",
        "share of the answers to your questions held if each is asked next (the likeliest, by BM25) ≈",
        lambda r: _mean(question.share for question in r.retention.questions),
        combine=mean,
    ),
    Measure(
        "losses",
        "references, stars and evidence lost",
        lambda r: _unless_textless(r, sum(r.retention.kept[k].lost for k in CERTAIN)),
        combine=total,
        kind=int,
    ),
    Measure(
        "gone_for_good",
        "of these, what a person, a prompt or a tool said that can't be asked again",
        lambda r: _unless_textless(r, sum(x.gone_for_good for x in r.retention.losses if x.kind in CERTAIN)),
        combine=total,
        kind=int,
    ),
    Measure(
        "person_lost",
        "of these, what a person said",
        lambda r: _unless_textless(r, sum(x.severity == BY_PERSON for x in r.retention.losses if x.kind in CERTAIN)),
        combine=total,
        kind=int,
    ),
    Measure(
        "fetch_tokens",
        "tokens for fetching again what tools would find (in no other figure) ≈",
        lambda r: _unless_textless(r, sum(fetch.tokens for fetch in r.retention.fetches.values())),
        combine=total,
        kind=int,
    ),
    Measure(
        "prefix_stable",
        "share of requests that only add to the one before",
        lambda r: r.traffic.stable_share,
        combine=mean,
    ),
    Measure(
        "prefix_breaks",
        "requests that break the prompt cache: their start is not that of the one before",
        lambda r: r.traffic.breaks,
        combine=total,
        kind=int,
    ),
)
COLUMNS: Mapping[str, str] = {measure.name: measure.help for measure in MEASURES}
"""Column → what it says. `cost_<cache>` (dollars) and `ratio_<cache>` (÷ not trimming) come after, per cache model."""


def cost_measure(cache: Cache) -> Measure:
    """Dollars of all requests under that cache model."""

    def cost(replayed: Replayed) -> float:
        bills = replayed.bills(cache)
        return float(bills[0].total) if bills else math.nan

    member = cache_members().get(cache.name)
    priced = member.attributes["priced"] if member else f"with the cache {cache.name!r}"
    return Measure(f"cost_{cache.name}", f"dollars {priced}", cost, combine=total)


def ratio_measure(cache: Cache) -> Measure:
    """Cost under that cache model ÷ cost of not trimming."""
    cost_column, ratio_column = f"cost_{cache.name}", f"ratio_{cache.name}"

    def ratio(replayed: Replayed) -> float:
        bills = replayed.bills(cache)
        return bills[0].ratio(bills[1]) if bills else math.nan

    def untrimmed_cost(row: Row) -> float:
        return row[cost_column] / row[ratio_column] if row[ratio_column] else 0.0

    about = "times the cost of not trimming: the conversation as recorded, whole at every request"
    return Measure(ratio_column, about, ratio, combine=weighted_by(untrimmed_cost))


def measures_under(caches: Iterable[Cache]) -> list[Measure]:
    """Every measure, in the order of a table's columns: MEASURES, then cost and ratio of each cache model."""
    return [*MEASURES, *(make(cache) for cache in caches for make in (cost_measure, ratio_measure))]


def measure(timeline: Timeline, options: MeasureOptions) -> dict[str, Any]:
    """The row of one conversation in one lane."""
    return measure_row(Replayed(timeline, options))


def measure_row(replayed: Replayed) -> dict[str, Any]:
    """Every measure of a timeline."""
    return {measure.name: measure.value(replayed) for measure in measures_under(replayed.options.caches)}


def unknown_row(conversation: Conversation, options: MeasureOptions) -> dict[str, Any]:
    """The row of a conversation that a lane knows nothing of but the title."""
    names = (measure.name for measure in measures_under(options.caches))
    return {name: conversation.title if name == "title" else math.nan for name in names}


def combine_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """One candidate's figures over its conversations; columns that are no measures keep the first row's value."""
    names = [name.removeprefix("cost_") for name in rows[0] if name.startswith("cost_")]
    known = {measure.name: measure for measure in measures_under(Cache(name) for name in names)}
    combined = {name: known[name].combine(rows, name) for name in rows[0] if name in known}
    return {**rows[0], **combined}
