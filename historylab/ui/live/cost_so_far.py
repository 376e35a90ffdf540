"""Chips of a conversation so far: what it lost that mattered, and what it costs beside not trimming."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from historylab.costs.cache_reads import cache_reads
from historylab.costs.recorded_cache import billed_model
from historylab.costs.traffic import Traffic, baseline_of, billed_traffic
from historylab.planning.replay import Timeline
from historylab.recordings.sent_plans import SentPlans
from historylab.ui.request.bill_table import bill_of
from historylab.ui.request.verdict_chips import LOST_FROM, cost_from
from historylab.ui.session import cached, prices
from historylab.ui.shared.chips import chip_head, chip_number
from historylab.wording.costs import cost_finding
from historylab.wording.cuts import capitalize_first
from historylab.wording.live import cache_reads_sentence
from historylab.wording.losses import RECALL_UNKNOWN, loss_in_short, losses_shown, lost_facts, named_loss
from historylab.wording.untrusted import escape


def lost_so_far(sent: SentPlans) -> None:
    """The facts that later answers used and that were gone, or would have been, one of them by name."""
    title = "What it would lose that matters" if all(sent.audited) else "What it lost that mattered"
    st.html(f"{chip_head(title, LOST_FROM)}{_lost_html(sent.timeline)}")


def _lost_html(timeline: Timeline) -> str:
    if timeline.original.recorded.textless:
        return f'<div class="hl-chip-said">{escape(RECALL_UNKNOWN)}</div>'
    found = cached.retention_of(timeline, ())
    facts, fact = lost_facts(found), named_loss(losses_shown(found))
    said = chip_number(capitalize_first(facts.amount), f"{facts.rest}.", "b", over=bool(facts.lost))
    return f'{said}<div class="hl-forgot">{escape(loss_in_short(timeline, fact))}</div>' if fact else said


def cost_so_far(sent: SentPlans) -> None:
    """The cost beside not trimming, and the cache reads as reported beside those predicted of what was sent."""
    timeline, would = sent.timeline, all(sent.audited)
    bills, own = bill_of(timeline)
    finding = cost_finding(timeline, bills.get(own), would=would)
    listed = prices.prices_in_effect(billed_model(timeline))
    reads = cache_reads(timeline, listed, _traffic(sent)) if listed else None
    title = "What it would cost so far" if would else "What it costs so far"
    st.html(
        f"{chip_head(title, cost_from(timeline, finding))}"
        f"{chip_number(capitalize_first(finding.amounts), f'{finding.effect}{finding.why}.')}"
        f'<div class="hl-forgot">{escape(cache_reads_sentence(reads))}</div>'
    )


def _traffic(sent: SentPlans) -> Traffic:
    """What was sent: requests that were only watched went as they came."""
    ours, whole = billed_traffic(sent.timeline), baseline_of(sent.timeline)
    if len(ours.sent) != len(whole.sent):  # a projection makes other requests
        return ours
    columns = ("sent", "shared", "broken")
    return replace(
        ours, **{name: np.where(sent.audited, getattr(whole, name), getattr(ours, name)) for name in columns}
    )
