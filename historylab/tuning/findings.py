"""Findings: what became of a wish on one conversation, or on all of them together, as figures and lost values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from historylab.costs.bill import against_untrimmed, bill
from historylab.errors import SettingsError
from historylab.planning.context_fill import known_window
from historylab.planning.faults import TrimmerFaults, count_faults, refused_for_trimming
from historylab.planning.replay import Timeline
from historylab.planning.validity import ProviderValidity, recorded_validity
from historylab.recall.retention import FACTS, Loss
from historylab.recall.rules import track_rules
from historylab.recall.sayers import BY_PERSON
from historylab.recall.severity import GONE_FOR_GOOD
from historylab.tuning.constraints import RELATIVE, REQUIREMENTS, Wish
from historylab.tuning.measures import CERTAIN, MEASURES
from historylab.tuning.replayed import Replayed
from historylab.tuning.shares import FEWEST, share_interval

HELD, BROKEN, UNSURE = "held", "broken", "unsure"
LOSSES = 20
"""Losses that a finding keeps, the worst first."""
LOSABLE = (*FACTS, "star")
"""Kinds of needs that count as forgotten."""
LONGEST = 240  # characters of a lost value
KIND_OF = {"every_star": "star", "references": "reference", "all_evidence": "evidence", "every_rule": "rule"}
"""Wish → the kind of needs it speaks of."""
SEVERE = {"all_said": frozenset({BY_PERSON}), "nothing_gone": GONE_FOR_GOOD}
"""Wish → the severities of losses it speaks of."""
MONEY = ("cost", "ratio", "no_more_cost")
"""Wishes on dollars."""
SAME_COST = 1.0005
"""Up to this ratio a cost is no more than another."""
NO_REQUEST, NO_TEXT, NO_PRICES, NOTHING_NEEDED = "no request", "no text", "no prices", "nothing needed"
NOT_TOLD, NO_BUDGET, FAILED, NO_WINDOW = "not told", "no budget", "failed", "no window"
UNKNOWN = (NO_PRICES, NO_TEXT, FAILED, NOT_TOLD, NO_BUDGET, NO_WINDOW, NOTHING_NEEDED, NO_REQUEST)
NO_TELLING = "no telling"
"""The reason that a finding on a share is unsure: the limit lies within the interval."""
_VALUES = {measure.name: measure.value for measure in MEASURES}


@dataclass(frozen=True, slots=True)
class ConversationPlace:
    """A conversation: its file ("" if it was handed in), title, and where the file has several, number (from 1)."""

    file: str
    title: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Lost:
    """A loss, its value cut short, and where it was needed ("turn 9"). It quotes a message: untrusted text."""

    loss: Loss
    at: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a wish on a conversation, or (`place` is None) on all of them.

    `found` is the figure asked about: a share or ratio is `part` ÷ `whole`; NaN if unknown, and `why` says so. `losses`
    are the worst. `about` is the core's own sentence on a request that breaks the wish. `interval` bounds a share over
    conversations like the `conversations` it was found in; None where they say nothing of others. `of_window`: its
    limit is the model's window, as a trimmer has no budget of ours. `faults`: what an API refuses a trimmer for.
    """

    wish: Wish
    place: ConversationPlace | None
    verdict: str
    found: float
    part: float = math.nan
    whole: float = math.nan
    why: str = ""
    about: str = ""
    losses: tuple[Lost, ...] = ()
    interval: tuple[float, float] | None = None
    conversations: int = 1
    of_window: bool = False
    faults: TrimmerFaults | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Facts and must-remember messages lost in a conversation, its cost in dollars (NaN if unknown), its tokens."""

    lost: int
    cost: float
    tokens: int


def is_share(wish: Wish) -> bool:
    """Whether the wish is on all conversations together: on costs beside others, or a percentage below 100."""
    return wish.name in ("ratio", "no_more_cost") or (wish.name in KIND_OF and wish.limit < 1)


def judge_wish(wish: Wish, place: ConversationPlace, replayed: Replayed, before: Replayed | None = None) -> Finding:
    """The finding on one wish and one conversation; `before`: the conversation in the lane that this is set against."""
    part, whole, why = _figures(wish, replayed, before)
    if not replayed.timeline.plans:
        why = NO_REQUEST
    if why:
        return Finding(wish, place, UNSURE, math.nan, part, whole, why)
    found = part - whole if wish.name == "no_more_lost" else part if math.isnan(whole) else _ratio(part, whole)
    broken = _breaks(wish, found)
    if why := _why_unsure(wish, replayed.timeline, before.timeline if before else None, broken=broken):
        return Finding(wish, place, UNSURE, math.nan, part, whole, why)
    about = _about(wish, replayed.timeline) if broken else ""
    of_window = wish.name == "within_budget" and replayed.timeline.run is not None
    worst = sorted(_losses(wish, replayed, before), key=lambda loss: loss.badness)[:LOSSES]
    losses = tuple(_label_loss(replayed.timeline, loss) for loss in worst)
    verdict = BROKEN if broken else HELD
    faults = count_faults(replayed.timeline) if broken and _of_trimmer(wish, replayed.timeline) else None
    return Finding(
        wish, place, verdict, found, part, whole, about=about, losses=losses, of_window=of_window, faults=faults
    )


def _of_trimmer(wish: Wish, timeline: Timeline) -> bool:
    """Tell whether the faults of a trimmer decide, without those of the file."""
    return wish.name == "no_rejections" and timeline.run is not None


def _why_unsure(wish: Wish, timeline: Timeline, before: Timeline | None, *, broken: bool) -> str:
    """The reason not to judge by what a file tells of what was sent, or a trimmer that failed; "" if it tells enough.

    A request whose messages it doesn't tell is taken to have held all that it can have: no loss is made up by that.
    """
    if wish.name in ("no_more_lost", "no_more_cost") and before and before.errors and (broken or is_share(wish)):
        return FAILED
    if timeline.errors and (is_share(wish) or not broken):
        return FAILED
    if wish.name == "within_budget" and any(plan.is_sized for plan in timeline.plans):
        return NO_BUDGET
    if before and wish.name == "no_more_lost" and broken and before.unknown:
        return NOT_TOLD
    of_messages = wish.name in (*KIND_OF, *SEVERE, "no_more_lost", "no_rejections")
    return NOT_TOLD if of_messages and timeline.unknown and (is_share(wish) or not broken) else ""


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.inf if part else 1.0


def _breaks(wish: Wish, found: float) -> bool:
    if wish.name in RELATIVE:
        return found > (SAME_COST if wish.name == "no_more_cost" else 0)
    return REQUIREMENTS[wish.name].broken(found, wish.limit)


def merge_findings(findings: Sequence[Finding]) -> Finding:
    """One finding over all conversations: of needs an estimate, from three on; of costs what these cost."""
    wish = findings[0].wish
    known = [finding for finding in findings if not finding.why]
    part, whole = (sum(getattr(finding, name) for finding in known) for name in ("part", "whole"))
    unknown = min((finding.why for finding in findings if finding.why), key=UNKNOWN.index, default=NOTHING_NEEDED)
    money = wish.name in MONEY
    if not known or not whole or (money and unknown == NO_PRICES):
        return Finding(wish, None, UNSURE, math.nan, why=unknown, conversations=len(known))
    parts = [(int(finding.part), int(finding.whole)) for finding in known]
    interval = None if money or len(known) < FEWEST else share_interval(parts)
    low, high = interval or (part / whole, part / whole)
    verdict = BROKEN if _breaks(wish, high) else UNSURE if _breaks(wish, low) else HELD
    why = NO_TELLING if verdict == UNSURE else ""
    losses = tuple(lost for finding in known for lost in finding.losses)[:LOSSES]
    return Finding(wish, None, verdict, part / whole, part, whole, why, "", losses, interval, len(known))


def measure_spending(replayed: Replayed) -> Spent:
    """The losses, cost and tokens of a conversation in one lane."""
    return Spent(lost_in(replayed), _cost(replayed), int(replayed.traffic.sent.sum()))


# -- figures


def _figures(wish: Wish, replayed: Replayed, before: Replayed | None) -> tuple[float, float, str]:
    """(part, whole, why not known): a plain figure is `part` of a whole that is NaN."""
    if wish.name in MONEY:
        part, whole = _money(wish, replayed, before)
        known = not math.isnan(part) and (wish.name == "cost" or not math.isnan(whole))
        return part, whole, "" if known else NO_PRICES
    if wish.name == "within_budget" and replayed.timeline.run:
        window = known_window(replayed.timeline.settings)
        return (int((replayed.sizes > window).sum()), math.nan, "") if window else (math.nan, math.nan, NO_WINDOW)
    if wish.name not in (*KIND_OF, *SEVERE, "no_more_lost"):
        return _value(wish, replayed), math.nan, ""
    if replayed.conversation.recorded.textless:
        return math.nan, math.nan, NO_TEXT
    if before and wish.name == "no_more_lost":
        return lost_in(replayed), lost_in(before), ""
    return _count_needs(wish, replayed)


def _value(wish: Wish, replayed: Replayed) -> float:
    if _of_trimmer(wish, replayed.timeline):
        return float(refused_for_trimming(replayed.timeline).sum())
    return float(_VALUES[REQUIREMENTS[wish.name].column](replayed))


def _count_needs(wish: Wish, replayed: Replayed) -> tuple[float, float, str]:
    """How many are kept of how many; of severe losses how many there are."""
    kept = replayed.retention.kept
    if wish.name in SEVERE:
        total = sum(kept[kind].total for kind in CERTAIN)
        return sum(1 for _ in _losses(wish, replayed)), math.nan, "" if total else NOTHING_NEEDED
    if wish.name == "every_rule":
        rules = track_rules(replayed.timeline)
        return len(rules) - sum(1 for _ in _losses(wish, replayed)), len(rules), "" if rules else NOTHING_NEEDED
    found = kept[KIND_OF[wish.name]]
    return found.kept, found.total, "" if found.total else NOTHING_NEEDED


def lost_in(replayed: Replayed) -> int:
    """Facts and must-remember messages lost."""
    return sum(replayed.retention.kept[kind].lost for kind in LOSABLE)


def _money(wish: Wish, replayed: Replayed, before: Replayed | None) -> tuple[float, float]:
    """Dollars, and those they are measured against; NaN without known prices."""
    if wish.name == "ratio":
        try:
            compared = against_untrimmed(replayed.timeline, wish.cache, replayed.options.prices)
        except SettingsError:  # no prices are known
            return math.nan, math.nan
        return float(compared.bill.total), float(compared.baseline.total)
    return _cost(replayed, wish.cache), _cost(before) if before and wish.name == "no_more_cost" else math.nan


def _cost(replayed: Replayed, cache: str | None = None) -> float:
    try:
        return float(bill(replayed.timeline, cache, replayed.options.prices).total)
    except SettingsError:  # no prices are known
        return math.nan


# -- what is wrong


def _losses(wish: Wish, replayed: Replayed, before: Replayed | None = None) -> Iterator[Loss]:
    """The losses that the wish speaks of: beside other settings those they don't have."""
    if wish.name == "every_rule":
        yield from _lost_rules(replayed.timeline)
    elif wish.name in KIND_OF:
        yield from (loss for loss in replayed.retention.losses if loss.kind == KIND_OF[wish.name])
    elif wish.name in SEVERE:
        certain = (loss for loss in replayed.retention.losses if loss.kind in CERTAIN)
        yield from (loss for loss in certain if loss.severity in SEVERE[wish.name])
    elif before and wish.name == "no_more_lost":
        had = {(loss.kind, loss.step, loss.value) for loss in before.retention.losses}
        lost = (loss for loss in replayed.retention.losses if loss.kind in LOSABLE)
        yield from (loss for loss in lost if (loss.kind, loss.step, loss.value) not in had)


def _lost_rules(timeline: Timeline) -> Iterator[Loss]:
    """The first request after it was said that lacks each rule."""
    for tracked in track_rules(timeline):
        if tracked.gaps:
            yield Loss("rule", tracked.gaps[0][0], tracked.rule.message, tracked.rule.text)


def _label_loss(timeline: Timeline, loss: Loss) -> Lost:
    return Lost(replace(loss, value=loss.value[:LONGEST]), timeline.steps[loss.step].label)


def _about(wish: Wish, timeline: Timeline) -> str:
    """Where the wish is broken, and what would mend it, as far as a replay says."""
    largest = int((timeline.contexts * timeline.judged).argmax())
    if wish.name == "within_budget" and timeline.run:
        window = known_window(timeline.settings)
        return f"at request {largest + 1:,}: {timeline.contexts[largest]:,} tokens for a window of {window:,}"
    if wish.name == "within_budget":
        worst = int((timeline.tokens * timeline.over_budget).argmax())
        cause = timeline.over_budget_cause(worst)
        return f"at request {worst + 1:,}: {cause.sentence}" if cause else ""
    if wish.name == "peak":
        return f"at request {largest + 1:,}"
    if wish.name == "no_rejections":
        validity = recorded_validity(timeline)
        first = int((refused_for_trimming(timeline) if timeline.run else validity.refused).argmax())
        why = validity.causes[first] if isinstance(validity, ProviderValidity) else ""
        return f"at request {first + 1:,}{f': {why}' if why else ''}"
    return ""
