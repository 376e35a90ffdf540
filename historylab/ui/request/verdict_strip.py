"""The strip under the headline: how full the request is, how many facts were missing, and what it all costs."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of, short_count, whole_percent
from historylab.costs.bill import CostComparison
from historylab.figures.context_bar import context_bar
from historylab.planning.context_fill import strictest_limit
from historylab.planning.contexts import reported_under
from historylab.planning.refusals import refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import recorded_validity
from historylab.recordings.as_sent import is_as_sent
from historylab.ui.request.bill_table import bill_of
from historylab.ui.session import cached
from historylab.wording.as_sent import untrimmed_sentence
from historylab.wording.context import context_fill_sentence, counted_by, used_tokens
from historylab.wording.costs import BASELINE, PRICES_UNKNOWN, cost_finding, cost_in_short, is_untrimmed
from historylab.wording.losses import RECALL_UNKNOWN, facts_in_short, lost_facts
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.palette import ALARM
from historylab.wording.settings import setting_in_words
from historylab.wording.trimmers import failed_sentence
from historylab.wording.untrusted import escape
from historylab.wording.verdict import NOT_KNOWN

AS_REPORTED = (
    "A request that reports its usage stands at its reported size, less what these settings remove; what is cut is "
    "decided by what is counted."
)
SIZED = (
    "A request that reports its usage stands at its reported size; the part that the file doesn’t hold is that less "
    "what is visible, and is added to a request without a report."
)
COUNTING = "needed facts: counting"
LOST_FROM = (
    "A fact is a value in an answer or a tool call that an earlier message says, such as an id, a number or a path; or "
    "what the file names as evidence. It is missing if the request that uses it holds it in no message and in no "
    "summary: found by reading, so an estimate."
)


def seen_cell(timeline: Timeline, number: int) -> None:
    """Draw how full request `number` (from 0) is, by kind: on screen before anything is priced or searched."""
    if number in timeline.errors:
        st.html(f'<div class="hl-cell hl-seen"><b class="hl-number">{NOT_KNOWN}</b> tokens</div>')
        return
    limit, used, key = strictest_limit(timeline), used_tokens(timeline, number), cached.browser_key(timeline)
    over = timeline.plans[number].over_budget
    alarm = f"<span{'' if over else ' hidden'}>{ALARM.glyph} </span>"
    share = whole_percent(used / limit) if limit else "100%"
    exact = f"{used:,} of {limit:,} tokens: {context_fill_sentence(timeline, number)}"
    how = escape(_count_origin(timeline))
    of = f'<span data-used="{key}">{short_count(used)}</span> of {short_count(limit)}'
    st.html(
        f'<div class="hl-cell hl-seen hl-tips">{context_bar(timeline, number, key)}'
        f'<span title="{escape(exact)}"><b class="hl-number{" hl-over" if over else ""}">{alarm}{of}</b> tokens, '
        f'<span data-share="{key}" data-limit="{limit}">{share}</span></span> <span class="hl-term" tabindex="0" '
        f'role="note" aria-label="How tokens are counted" aria-description="{how}">≈</span></div>'
    )


def _count_origin(timeline: Timeline) -> str:
    """Describe how every token is counted, and what is reported besides."""
    origin = f"Every message as it is sent, the summary and the formatting, counted by {counted_by(timeline)}."
    if is_as_sent(timeline):
        return f"{origin} {SIZED}"
    if timeline.settings.overhead:
        origin += f" The fixed overhead of {timeline.settings.overhead:,} tokens is added."
    reported = reported_under(timeline.original, timeline.settings, len(timeline.plans)).any()
    return f"{origin} {AS_REPORTED}" if reported else origin


def lost_cell(timeline: Timeline, marks: tuple[int, ...]) -> None:
    """The facts that later answers used and that were missing, and the messages that must be remembered."""
    if timeline.original.recorded.textless:
        st.html(_cell("Facts unknown", "", RECALL_UNKNOWN))
        return
    if not timeline.judged.any():
        st.html(_cell(NOT_KNOWN, "needed facts there", failed_sentence(timeline)))
        return
    facts = lost_facts(cached.retention_of(timeline, marks))
    number, said = facts_in_short(facts)
    st.html(_cell(number, said, LOST_FROM, over=bool(facts.lost or facts.marked)))


def counting_cell() -> None:
    """The cell that stands there until that is counted."""
    st.html(_cell("…", COUNTING, LOST_FROM))


def cost_cell(timeline: Timeline, comparison: CostComparison | None, *, would: bool = False) -> None:
    """Draw what trimming costs, or `would` cost, beside not trimming; why is in its hover."""
    if not timeline.judged.any():
        st.html(_cell(NOT_KNOWN, "cost", failed_sentence(timeline)))
        return
    finding = cost_finding(timeline, comparison, would=would)
    why = f"{finding}"
    if is_untrimmed(timeline) and not timeline.plans[-1].over_budget:
        why = f"{why} {over_budget_sentence(timeline)}".rstrip()
    why = f"{why} {untrimmed_sentence(timeline, comparison)}".rstrip()
    st.html(_cell(*cost_in_short(timeline, comparison), f"{why} {_price_origin(timeline, finding.cache)}"))


def _price_origin(timeline: Timeline, cache: str) -> str:
    if not cache:
        return f"{PRICES_UNKNOWN}, so tokens are compared. Not trimming is {BASELINE}."
    return (
        f"{count_of(len(timeline.plans), 'request')} with the answers at list prices, under the model's own kind of "
        f"cache ({cache}): an estimate. Not trimming is {BASELINE}."
    )


def _cell(number: str, said: str, told: str, *, over: bool = False) -> str:
    """A number as HTML, which tells on hover, focus and touch where it comes from (`told`), and the words after it."""
    big = "hl-number hl-over" if over else "hl-number"
    term = f'<b class="{big} hl-term" tabindex="0" aria-description="{escape(told)}">{escape(number)}</b>'
    return f'<div class="hl-cell hl-tips">{term} {escape(said)}</div>'


def own_comparison(timeline: Timeline) -> CostComparison | None:
    """The bill under the model's own cache beside not trimming; None where its prices are unknown."""
    bills, own = bill_of(timeline)
    return bills.get(own)


def refused_note(timeline: Timeline) -> None:
    """An alarm where requests that are sent would be refused."""
    if recorded_validity(timeline).refused.any():
        st.html(
            f'<div class="hl-cause hl-over">{ALARM.glyph} {escape(refusal_sentence(timeline, setting_in_words))}</div>'
        )
