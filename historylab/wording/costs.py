"""What a cut costs, in one plain sentence: how often it moves, against not trimming, and what it keeps."""

from __future__ import annotations

import math

from historylab.costs.traffic import CostComparison
from historylab.planning.replay import Timeline
from historylab.recall.retention import Kept, Retention
from historylab.wording.amounts import money, percent
from historylab.wording.cuts import capitalize_first, settings_in_words

CACHES = {
    "none": ("No cache", "every token at full price"),
    "automatic": ("Automatic cache", "as OpenAI's: from 1,024 tokens, in steps of 128, read at a discount"),
    "explicit": ("Explicit cache", "as Anthropic's: what is new is written at a premium, the rest read; five minutes"),
}
"""Cache model → its name on screen, and what it does."""
KINDS = (("evidence", "pieces of gold evidence"), ("reference", "references"), ("link", "links (an estimate)"))


def cost_sentence(timeline: Timeline, found: CostComparison | None) -> str:
    """ "FIFO to 8,000 … moves the cut on 41 of 60 requests and costs 1.90× not trimming ($0.42 against $0.22 …)." """
    if len(timeline.plans) and (timeline.tokens == timeline.untrimmed).all():
        price = f": {money(found.bill.total)} ({_how(found)})" if found else ""
        return f"Nothing is cut, so it costs what not trimming costs{price}."
    what = capitalize_first(settings_in_words(timeline.settings))
    if found is None:
        share = timeline.tokens.sum() / max(1, timeline.untrimmed.sum())
        return f"{what} sends {share:.2f}× the tokens of not trimming. What they cost nobody has said."
    said = found.sentence(what).removesuffix(".")
    against = "" if math.isnan(found.ratio) else f"{money(found.bill.total)} against {money(found.baseline.total)}; "
    return f"{said} ({against}{_how(found)})."


def kept_sentence(found: Retention) -> str:
    """ "It keeps 58 of 60 references." of the best evidence there is; empty where nothing can be said."""
    for kind, noun in KINDS:
        kept = found.kept[kind]
        if kept.total:
            all_of = f"all {kept.total:,}" if not kept.lost else f"{kept.kept:,} of {kept.total:,}"
            return f"It keeps {all_of} {noun}."
    return ""


def kept_line(kept: Kept, noun: str) -> str:
    """ "58 of 60 references kept (96.7%), 4 of them by the summary alone"."""
    by_summary = f", {kept.by_summary:,} of them by the summary alone" if kept.by_summary else ""
    return f"{kept.kept:,} of {kept.total:,} {noun} kept ({percent(kept.share)}){by_summary}"


def pays_sentence(found: CostComparison) -> str:
    """From which price of a cache read on trimming pays, and what it is here."""
    share, here = found.break_even_read_price, float(found.bill.prices.cache_read / (found.bill.prices.input or 1))
    if math.isinf(share):
        return "At no price of a cache read would trimming pay."
    if not share:
        return "At any price of a cache read trimming pays."
    pays = "and it" if here >= share else "but it"
    return f"Trimming pays where a cache read costs more than {share:.0%} of input, {pays} costs {here:.0%} here."


def _how(found: CostComparison) -> str:
    return f"{CACHES[found.bill.cache.name][0].lower()}, an estimate"
