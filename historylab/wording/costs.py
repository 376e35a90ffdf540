"""Sentences on cost: what a cut costs beside not trimming and why, and how far that is from what was reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from historylab.conversation.usage import usage_by_request
from historylab.costs.amounts import count_of, money, short_money, whole_percent
from historylab.costs.bill import PARTS, Bill, CostComparison
from historylab.costs.caches.base import cache_members
from historylab.costs.lost_prefix import LostPrefix, lost_prefixes
from historylab.costs.message_costs import MessageCosts
from historylab.costs.reported import AsReported, against_reported
from historylab.costs.session_cost import SessionCost
from historylab.costs.traffic import baseline_of, billed_traffic, tokens_share
from historylab.planning.reasons import Action, span
from historylab.planning.replay import Timeline
from historylab.pricing import Prices
from historylab.recall.retention import Retention
from historylab.recordings.as_sent import is_as_sent
from historylab.wording.as_sent import author_in_words
from historylab.wording.faults import left_out_in_words
from historylab.wording.phrases import uncapitalize
from historylab.wording.untrusted import one_line

PRICES_UNKNOWN = "The prices of this model are unknown"
BASELINE = "the whole conversation as recorded"
"""The content of every request without trimming: the one baseline of every ratio."""
CHANGED = {"tools": "the tools changed", "prompt": "the system prompt changed", "cut": "the cut moved"}
"""Causes of a lost prefix that need no more words."""
SAME = 0.005  # a difference in cost, as a share, that is none
NAMED, MODEL = 3, 60  # requests that are named; characters of a model's name


def cache_titles() -> dict[str, str]:
    """Cache model → its name on screen."""
    return {name: cache.title for name, cache in cache_members().items()}


def cache_description(name: str) -> str:
    """A cache model's description for use within a sentence: no capital, no full stop."""
    return uncapitalize(cache_members()[name].summary.removesuffix("."))


@dataclass(frozen=True, slots=True)
class CostFinding:
    """The cost of trimming beside not trimming: the amounts, the effect, why; and whose cache."""

    amounts: str
    effect: str
    why: str
    cache: str = ""

    def __str__(self) -> str:
        """ "Trimming costs 90% more: $0.83 instead of $0.44, because it breaks the prompt cache at …" """
        amounts = f": {self.amounts}" if self.amounts else ""
        return f"{self.effect}{amounts}{self.why}."


def cost_finding(timeline: Timeline, comparison: CostComparison | None, *, would: bool = False) -> CostFinding:
    """Tell whether trimming costs more or less than not trimming, and why; in tokens where there are no prices.

    `would`: nothing was trimmed, it was only watched.
    """
    if comparison is None:
        return _without_prices(timeline)
    ours, whole = comparison.bill.total, comparison.baseline.total
    name = comparison.bill.cache.name
    cache = cache_titles().get(name, name).lower()  # a caller's own cache has no title
    if is_untrimmed(timeline):
        return CostFinding(money(ours), *_nothing_cut(timeline), cache)
    if money(ours) == money(whole):
        same = f"{_subject(timeline, would=would)} as much as not trimming"
        return CostFinding(money(ours), same, _as_recorded(timeline), cache)
    word, why = ("less", _cheaper) if ours < whole else ("more", _dearer)
    share = f"{whole_percent(abs(float(ours / whole) - 1))} " if whole else ""
    effect = f"{_subject(timeline, would=would)} {share}{word}"
    return CostFinding(f"{money(ours)} instead of {money(whole)}", effect, why(timeline, comparison), cache)


def cost_in_short(timeline: Timeline, comparison: CostComparison | None) -> tuple[str, str]:
    """("8¢", "(6¢ untrimmed)"): an amount and what it is beside not trimming; tokens without prices."""
    if is_untrimmed(timeline):
        return ("Untrimmed", "") if comparison is None else (short_money(comparison.bill.total), "untrimmed")
    if comparison is None:
        return whole_percent(tokens_share(timeline)), "of the untrimmed tokens"
    ours, whole = short_money(comparison.bill.total), short_money(comparison.baseline.total)
    return ours, "as untrimmed" if ours == whole else f"({whole} untrimmed)"


def cost_in_words(ratio: float, *, priced: bool) -> str:
    """ "39% cheaper", "12% dearer", "the same cost"; of tokens where there are no prices."""
    less, more = ("cheaper", "dearer") if priced else ("fewer tokens", "more tokens")
    if abs(ratio - 1) < SAME:
        return "the same cost" if priced else "as many tokens"
    return f"{whole_percent(abs(1 - ratio))} {less if ratio < 1 else more}"


def _subject(timeline: Timeline, *, would: bool) -> str:
    """ "Trimming costs": or these settings do, where they only arrange what is sent."""
    who, costs = ("Trimming", "costs") if leaves_out(timeline) else ("These settings", "cost")
    if timeline.run:
        who, costs = f"{author_in_words(timeline)}’s trimming", "costs"
    elif is_as_sent(timeline):
        who, costs = f"With {author_in_words(timeline)}’s cuts it", "cost"
    return f"{who} {'would cost' if would else costs}"


def _without_prices(timeline: Timeline) -> CostFinding:
    if is_untrimmed(timeline):
        return CostFinding("", *_nothing_cut(timeline))
    share = tokens_share(timeline)
    effect = f"Trimming sends {'fewer' if share < 1 else 'more'} tokens"
    return CostFinding(f"{share:.2f}× the tokens of not trimming", effect, f". {PRICES_UNKNOWN}")


def _nothing_cut(timeline: Timeline) -> tuple[str, str]:
    left_out = left_out_in_words(timeline)
    return f"Nothing is cut{f' but {left_out}' if left_out else ''}, so it costs what not trimming costs", ""


def _cheaper(timeline: Timeline, compared: CostComparison) -> str:
    moved = compared.bill.traffic.breaks
    although = f", although it breaks the prompt cache at {_of_requests(timeline, moved)}" if moved else ""
    return f"{_as_recorded(timeline)}{although}"


def _dearer(timeline: Timeline, compared: CostComparison) -> str:
    why = {
        "summaries": f"its summaries cost {money(compared.bill.totals['summaries'])}",
        "cache": f"it breaks the prompt cache at {_of_requests(timeline, compared.bill.traffic.breaks)}",
        "tokens": f"it sends {tokens_share(timeline):.2f}× the tokens",
    }
    return f"{_as_recorded(timeline)}, because {why[cause_of_more(compared)]}"


def cause_of_more(compared: CostComparison) -> Literal["summaries", "cache", "tokens"]:
    """The cause of a dearer bill: summaries are paid for, the cache lost a prefix, or there is simply more."""
    ours, whole = compared.bill, compared.baseline
    if ours.total - ours.totals["summaries"] <= whole.total:
        return "summaries"
    return "cache" if ours.traffic.breaks and ours.cache_reads.sum() < whole.cache_reads.sum() else "tokens"


def _of_requests(timeline: Timeline, count: int) -> str:
    return f"{count:,} of {count_of(len(timeline.plans), 'request')}"


def is_untrimmed(timeline: Timeline) -> bool:
    """Whether every request sends the conversation as recorded, whole."""
    sent, whole = billed_traffic(timeline), baseline_of(timeline)
    return np.array_equal(sent.sent, whole.sent) and np.array_equal(sent.shared, whole.shared)


def leaves_out(timeline: Timeline) -> bool:
    """Tell whether any message isn't sent whole; else the settings only arrange what is sent."""
    columns = timeline.conversation.columns
    for plan in timeline.plans:
        actions, shown = plan.block_actions, columns.block[columns.shown]
        if plan.shortened:
            actions, shown = plan.actions, columns.shown
        if len(np.setdiff1d(np.flatnonzero(actions > Action.PINNED), shown)):
            return True
    return False


def _as_recorded(timeline: Timeline) -> str:
    """What not trimming is, where a projection makes the requests another number than those recorded."""
    recorded = len(baseline_of(timeline).sent)
    return "" if recorded == len(timeline.plans) else f" ({BASELINE}, {count_of(recorded, 'request')})"


def pays_sentence(comparison: CostComparison) -> str:
    """At what price of cache reads trimming pays, beside the actual one, as shares of the input price (at most all)."""
    free, full = comparison.pays_at(0), comparison.pays_at(1)
    if free == full:
        same = comparison.bill.total == comparison.baseline.total
        pays = "pays" if free else "costs the same" if same else "would not pay"
        return f"Trimming {pays} at any price of cache reads."
    actual = float(comparison.bill.prices.cache_read / comparison.bill.prices.input)
    here = f"{'and' if comparison.pays_at(actual) else 'but'} here it costs {actual:.1%}"
    bound = f"{comparison.break_even_read_price:.1%}"
    if not free and bound == "0.0%":
        return "Trimming pays here at any cache price."
    than = f"{'less' if free else 'more'} than {bound}"
    return f"Trimming pays if a cache read costs {than} of the input price, {here}."


def fetching_sentence(found: Retention, priced: Bill | None) -> str:
    """The cost of fetching again; "" if tools would find nothing that was lost.

    "Not in these sums: repeating 31 earlier calls to get lost facts back would take about 12,300 tokens, $0.03 with the
    requests it adds."
    """
    calls = sum(fetch.count for fetch in found.fetches.values())
    if not calls:
        return ""
    tokens = sum(fetch.tokens for fetch in found.fetches.values())
    cost = ""
    if priced is not None:
        dollars = money(priced.cost_of_fetching(found.fetched_tokens()))
        cost = f", {dollars} with the requests it adds"
    repeating = f"repeating {count_of(calls, 'earlier call')} to get lost facts back"
    return f"Not in these sums: {repeating} would take about {tokens:,} tokens{cost}."


def as_reported_sentences(timeline: Timeline) -> tuple[str, str]:
    """The distance of these figures from the provider's report, and the requests that lost their cached prefix."""
    return as_reported_sentence(timeline), lost_in_cache_sentence(timeline)


def as_reported_sentence(timeline: Timeline, prices: Prices | None = None) -> str:
    """The distance of these figures from the provider's report; empty if it reported nothing."""
    found = against_reported(timeline, prices)
    return reported_sentence(found) if found else ""


def session_cost_sentence(found: SessionCost | None) -> str:
    """ "With 2 sub-agents and 1 compaction call the session came to $2.41, by its usage ($2.10 without)."; or ""."""
    if found is None:
        return ""
    counts = ((found.sub_agents, "sub-agent"), (found.summary_calls, "compaction call"))
    beside = " and ".join(count_of(count, noun) for count, noun in counts if count)
    unknown = f" The cost of {found.unknown:,} of these isn't known." if found.unknown else ""
    return (
        f"With {beside} the session came to {money(found.total)}, by its usage ({money(found.own)} without).{unknown}"
    )


def lost_in_cache_sentence(timeline: Timeline) -> str:
    """Which requests lost their cached prefix, as the usage shows."""
    return lost_prefix_sentence(lost_prefixes(timeline.original), len(usage_by_request(timeline.original)))


def reported_sentence(found: AsReported) -> str:
    """ "Our figure for not trimming is 4% above the provider's own ($2.85 for 105 requests)." """
    off = round(100 * abs(found.error))
    where = f"{off:,}% {'above' if found.error > 0 else 'below'}" if off else "within 1% of"
    requests = count_of(found.requests, "request")
    if found.requests < found.of:
        requests = f"{found.requests:,} of {count_of(found.of, 'request')}"
    short = " The usage reports less output than the answers hold." if found.short else ""
    priced = f" Each is priced as the model that answered it ({found.models:,} models)." if found.models > 1 else ""
    own = f"the provider's own ({money(found.reported)} for {requests})"
    return f"Our figure{'' if found.sent else ' for not trimming'} is {where} {own}.{short}{priced}"


def lost_prefix_sentence(lost: Sequence[LostPrefix], requests: int) -> str:
    """ "2 of 36 requests lost the prefix they had in the cache: request 9 (cause unknown), …"; "" if none did."""
    if not lost:
        return ""
    named = ", ".join(f"request {one.request + 1:,} ({_about_loss(one, alone=len(lost) == 1)})" for one in lost[:NAMED])
    more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
    had = "it" if len(lost) == 1 else "they"
    of = f"{len(lost):,} of {count_of(requests, 'request')}"
    paid = [one.dollars for one in lost if one.dollars is not None]
    cost = f" Sending that again cost {money(sum(paid))} more than reading it." if len(paid) == len(lost) else ""
    return f"As the usage shows, {of} lost the prefix {had} had in the cache: {named}{more}.{cost}"


def _about_loss(lost: LostPrefix, *, alone: bool) -> str:
    """ "cause unknown; it broke around message 12; $0.31": the last unless it is `alone`, and as far as it is known."""
    cost = "" if alone or lost.dollars is None else money(lost.dollars)
    return "; ".join(filter(None, (_cause(lost), _place(lost), cost)))


def _place(lost: LostPrefix) -> str:
    """The place at which it broke, unless the cause says so."""
    if lost.broke_at is None or lost.cause == "message":
        return ""
    if not lost.read:
        return "nothing of it was read"
    if lost.after_system:
        return "it broke after the system prompt and tools"
    return f"it broke around message {lost.broke_at + 1:,}"


def _cause(lost: LostPrefix) -> str:
    """The cause in a few words, as far as the file shows it."""
    if lost.cause == "model" and lost.models:
        return f"the model changed to {one_line(lost.models[1], MODEL)}"
    if lost.cause == "pause":
        return f"{span(lost.seconds)} after the one before, and the cache lasts {span(lost.lifetime)}"
    if lost.cause == "message" and lost.message is not None:
        return f"message {lost.message + 1:,} replaced the history before it"
    return CHANGED.get(lost.cause, "cause unknown")


def unused_results_sentence(timeline: Timeline, bill: Bill, costs: MessageCosts) -> str:
    """ "At least $0.54 of $10.50 for input went to tool results after an answer last used them."; or ""."""
    unused = float(costs.unused[timeline.conversation.columns.results].sum())
    paid = sum(bill.totals[part] for part in PARTS[:3])
    if not unused or not paid:
        return ""
    return f"At least {money(unused)} of {money(paid)} for input went to tool results after an answer last used them."
