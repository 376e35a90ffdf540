"""Sentences on cost and recall: what a cut costs against not trimming, and how many references it keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from historylab.conversation.usage import is_textless
from historylab.costs.amounts import count_of, money, percent
from historylab.costs.bill import CostComparison
from historylab.costs.caches.base import cache_members
from historylab.costs.lost_prefix import LostPrefix, lost_prefixes, usage_by_request
from historylab.costs.reported import AsReported, against_reported
from historylab.costs.traffic import baseline_of, billed_traffic, tokens_share
from historylab.planning.reasons import INVALID
from historylab.planning.replay import Timeline
from historylab.pricing import Prices
from historylab.recall.retention import Kept, Retention
from historylab.wording.cuts import capitalize_first, settings_in_words
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.untrusted import one_line

PRICES_UNKNOWN = "The prices of this model are unknown"
BASELINE = "the whole conversation as recorded"
"""The content of every request without trimming: the one baseline of every ratio."""
NAMED, MODEL = 3, 60  # requests that are named; characters of a model's name
RECALL_UNKNOWN = "What later requests needed of what is left out is unknown: the file holds no text."
"""In place of all that is found by reading messages, where a transcript has only their sizes."""
KINDS = (("evidence", "piece", " of gold evidence"), ("reference", "reference", ""), ("link", "link", " (an estimate)"))


def cache_titles() -> dict[str, str]:
    """Cache model → its name on screen."""
    return {name: cache.title for name, cache in cache_members().items()}


def cache_description(name: str) -> str:
    """A cache model's description for use within a sentence: no capital, no full stop."""
    words = cache_members()[name].summary.removesuffix(".")
    return words[:1].lower() + words[1:]


def cache_label(name: str) -> str:
    """ "automatic cache, an estimate"; a caller's own cache is called by its name."""
    return f"{cache_titles().get(name, name).lower()}, an estimate"


def cost_sentence(timeline: Timeline, comparison: CostComparison | None) -> str:
    """ "FIFO to 8,000 … changes the beginning of 41 of 60 requests and costs 1.90× not trimming ($0.42 against …)." """
    if is_untrimmed(timeline):
        price = f": {money(comparison.bill.total)} ({cache_label(comparison.bill.cache.name)})" if comparison else ""
        nothing = f"Nothing is cut{' but what an API would refuse' if _leaves_out_invalid(timeline) else ''}"
        return f"{nothing}, so it costs what not trimming costs{price}. {over_budget_sentence(timeline)}".rstrip()
    cut = capitalize_first(settings_in_words(timeline.settings))
    recorded = f"{BASELINE}{_requests_as_recorded(timeline)}"
    if comparison is None:
        return f"{cut} sends {tokens_share(timeline):.2f}× the tokens of not trimming ({recorded}). {PRICES_UNKNOWN}."
    ours, baseline = comparison.bill.total, comparison.baseline.total
    amounts = "" if math.isnan(comparison.ratio) else f"{money(ours)} against {money(baseline)} for {recorded}; "
    return f"{comparison.sentence(cut).removesuffix('.')} ({amounts}{cache_label(comparison.bill.cache.name)})."


def is_untrimmed(timeline: Timeline) -> bool:
    """Whether every request sends the conversation as recorded, whole."""
    sent, whole = billed_traffic(timeline), baseline_of(timeline)
    return np.array_equal(sent.sent, whole.sent) and np.array_equal(sent.shared, whole.shared)


def _leaves_out_invalid(timeline: Timeline) -> bool:
    """Whether a request leaves out calls or results that do not match up, which not trimming does, too."""
    return any((plan.block_reasons == INVALID.code).any() for plan in timeline.plans)


def _requests_as_recorded(timeline: Timeline) -> str:
    """The number of requests in the recording, where a projection makes it another."""
    recorded = len(baseline_of(timeline).sent)
    return "" if recorded == len(timeline.plans) else f", {count_of(recorded, 'request')}"


def kept_sentence(retention: Retention) -> str:
    """ "It keeps 58 of 60 references.", of the best kind of evidence there is; empty if there is none."""
    if is_textless(retention.timeline.original):
        return RECALL_UNKNOWN
    for kind, noun, of_what in KINDS:
        kept = retention.kept[kind]
        if kept.total == 1:
            return f"It {'loses' if kept.lost else 'keeps'} the one {noun}{of_what}."
        if kept.total:
            share = f"{kept.kept:,} of" if kept.lost else "all"
            return f"It keeps {share} {count_of(kept.total, noun)}{of_what}."
    return ""


def kept_line(kept: Kept, noun: str, of_what: str = "") -> str:
    """ "58 of 60 references kept (96.7%), 4 of them only in the summary"; `of_what` follows the noun."""
    by_summary = f", {kept.by_summary:,} of them only in the summary" if kept.by_summary else ""
    return f"{kept.kept:,} of {count_of(kept.total, noun)}{of_what} kept ({percent(kept.share)}){by_summary}"


def pays_sentence(comparison: CostComparison) -> str:
    """At what price of cache reads trimming pays, beside the actual one, as shares of the input price (at most all)."""
    free, full = comparison.pays_at(0), comparison.pays_at(1)
    if free == full:
        same = comparison.bill.total == comparison.baseline.total
        pays = "pays" if free else "costs the same" if same else "would not pay"
        return f"Trimming {pays} at any price of cache reads."
    actual = float(comparison.bill.prices.cache_read / comparison.bill.prices.input)
    here = f"{'and' if comparison.pays_at(actual) else 'but'} here it costs {actual:.1%}"
    bound = f"{'less' if free else 'more'} than {comparison.break_even_read_price:.1%}"
    return f"Trimming pays if a cache read costs {bound} of the input price, {here}."


def as_reported_sentences(timeline: Timeline) -> tuple[str, str]:
    """The distance of these figures from the provider's report, and the requests that lost their cached prefix."""
    return as_reported_sentence(timeline), lost_in_cache_sentence(timeline)


def as_reported_sentence(timeline: Timeline, prices: Prices | None = None) -> str:
    """The distance of these figures from the provider's report; empty if it reported nothing."""
    found = against_reported(timeline, prices)
    return reported_sentence(found) if found else ""


def lost_in_cache_sentence(timeline: Timeline) -> str:
    """Which requests lost their cached prefix, as the usage shows."""
    return lost_prefix_sentence(lost_prefixes(timeline.original), len(usage_by_request(timeline.original)))


def reported_sentence(found: AsReported) -> str:
    """ "Not trimming is computed 4 % above what the provider's usage comes to ($2.85 for 105 requests)." """
    off = round(100 * abs(found.error))
    where = f"{off:,} % {'above' if found.error > 0 else 'below'}" if off else "within 1 % of"
    requests = count_of(found.requests, "request")
    if found.requests < found.of:
        requests = f"{found.requests:,} of {count_of(found.of, 'request')}"
    short = " The usage reports less output than the answers hold." if found.short else ""
    comes_to = f"what the provider's usage comes to ({money(found.reported)} for {requests})"
    return f"Not trimming is computed {where} {comes_to}.{short}"


def lost_prefix_sentence(lost: Sequence[LostPrefix], requests: int) -> str:
    """ "2 of 36 requests lost the prefix they had in the cache: request 9 (cause unknown), …"; "" if none did."""
    if not lost:
        return ""
    named = ", ".join(f"request {one.request + 1:,} ({_cause(one)})" for one in lost[:NAMED])
    more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
    whose = "its" if len(lost) == 1 else "their"
    of = f"{len(lost):,} of {count_of(requests, 'request')}"
    return f"As the usage shows, {of} lost {whose} prefix in the cache: {named}{more}."


def _cause(lost: LostPrefix) -> str:
    """The cause in a few words, as far as the file shows it."""
    if lost.cause == "model" and lost.models:
        return f"the model changed to {one_line(lost.models[1], MODEL)}"
    if lost.cause == "tools":
        return "the tools changed"
    if lost.cause == "prompt":
        return "the system prompt changed"
    if lost.cause == "pause":
        return f"{_span(lost.seconds)} after the one before, and the cache lasts {_span(lost.lifetime)}"
    if lost.cause == "message" and lost.message is not None:
        return f"message {lost.message + 1:,} replaced the history before it"
    return "cause unknown"


def _span(seconds: float) -> str:
    """ "11 minutes", "3 hours"."""
    minutes = math.floor(seconds / 60)
    return count_of(minutes, "minute") if minutes < 60 else count_of(minutes // 60, "hour")
