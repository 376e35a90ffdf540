"""The verdict in three chips: what the model sees, what it lost that mattered, what it costs."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.figures.context_bar import context_bar
from historylab.planning.context_fill import context_limit
from historylab.planning.contexts import reported_under
from historylab.planning.refusals import refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import recorded_validity
from historylab.recall.retention import Loss
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Resolution
from historylab.ui.request.bill_table import bill_of
from historylab.ui.request.keep_by_rule import rules_left
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import cached, viewing
from historylab.ui.session.must_remember import star_marks
from historylab.ui.shared.chips import chip_head, chip_number
from historylab.wording.as_sent import untrimmed_sentence
from historylab.wording.context import context_fill_sentence, counted_by, used_tokens
from historylab.wording.costs import BASELINE, PRICES_UNKNOWN, CostFinding, cost_finding, is_untrimmed
from historylab.wording.cuts import capitalize_first
from historylab.wording.losses import RECALL_UNKNOWN, loss_in_short, losses_shown, lost_facts, lost_value, named_loss
from historylab.wording.must_remember import GLYPH, MustRememberStatus, must_remember_status
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.palette import ALARM
from historylab.wording.rules import rules_status
from historylab.wording.settings import setting_in_words
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import code_span, escape
from historylab.wording.verdict import SEES, WOULD_SEE, forgotten_sentence

AS_REPORTED = (
    "A request that reports its usage stands at its reported size, less what these settings remove; what is cut is "
    "decided by what is counted."
)
SIZED = (
    "A request that reports its usage stands at its reported size; the part that the file doesn’t hold is that less "
    "what is visible, and is added to a request without a report."
)
LOST_FROM = (
    "A fact is a value in an answer or a tool call that an earlier message says, such as an id, a number or a path; or "
    "what the file names as evidence. It is gone if the request that uses it holds it in no message and in no summary."
)


def seen_chip(timeline: Timeline, number: int, *, would: bool = False) -> None:
    """How full request `number` (from 0) is, or would be, by kind: on screen before anything is priced or searched."""
    limit, over = context_limit(timeline), timeline.plans[number].over_budget
    counted, key = counted_by(timeline), cached.browser_key(timeline)
    origin = f"Every message as it is sent, the summary and what frames them, counted by {counted}."
    if is_as_sent(timeline):
        origin += f" {SIZED}"
    elif timeline.settings.overhead:
        origin += f" The fixed overhead of {timeline.settings.overhead:,} tokens is added."
    reported = reported_under(timeline.original, timeline.settings, len(timeline.plans)).any()
    if reported and not is_as_sent(timeline):
        origin += f" {AS_REPORTED}"
    used = f'<span data-used="{key}">{used_tokens(timeline, number):,}</span>'
    alarm = f"{ALARM.glyph} " if over else ""
    said = with_terms(context_fill_sentence(timeline, number), "window", "budget", "threshold")
    st.html(
        f'{chip_head(f"What the model {WOULD_SEE if would else SEES}", origin)}<div class="hl-in-a-row hl-tips">'
        f'<div class="hl-cost{" hl-over" if over else ""}">{alarm}{used} of {limit.tokens:,} tokens</div>'
        f'<div class="hl-chip-said hl-stale">{said}</div></div>'
        f"{context_bar(timeline, number, key)}"
    )


def lost_chip(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The facts that later answers used and that were gone, one of them by name; what must be remembered; rules."""
    found = cached.retention_of(timeline, viewing.must_remember())
    status, losses = must_remember_status(timeline, number, star_marks(timeline)), losses_shown(found)
    rules = rules_status(timeline, number)
    facts_lost = [loss for loss in losses if loss.kind != "star"]
    fact = named_loss(facts_lost)
    star = next((loss for loss in losses if loss.kind == "star"), None)
    if timeline.original.recorded.textless:
        said = f'<div class="hl-chip-said">{escape(RECALL_UNKNOWN)}</div>'
    else:
        facts = lost_facts(found)
        said = chip_number(capitalize_first(facts.amount), f"{facts.rest}.", "b", over=bool(facts.lost))
    if fact:
        which = "First:" if fact is facts_lost[0] else "Such as"
        said += f'<div class="hl-forgot">{which} {escape(loss_in_short(timeline, fact))}</div>'
    elif not (status.lost or rules.lost):
        said += f'<div class="hl-forgot hl-stale">{escape(forgotten_sentence(timeline, number))}</div>'
    st.html(f"{chip_head('What it lost that mattered', LOST_FROM)}{said}{_must_remember_chip(status)}")
    if goal := (star if status.lost and star else fact or star):
        _to_loss(timeline, goal)
    rules_left(timeline, rules, resolution)


def _must_remember_chip(status: MustRememberStatus) -> str:
    """Whether the messages that must be remembered are held at this request; an alarm if one is lost."""
    if not status.sentence:
        return ""
    lost = " hl-over" if status.lost else ""
    glyph = f'<span aria-hidden="true">{GLYPH}</span>'
    return f'<div class="hl-forgot hl-stale{lost}">{glyph} {escape(status.sentence)}</div>'


def _to_loss(timeline: Timeline, loss: Loss) -> None:
    with st.container(horizontal=True, key="chip-lost-buttons"):
        st.button(
            "See why",
            key="see-first-loss",
            type="tertiary",
            icon=":material/arrow_forward:",
            help=f"Go to the request that no longer had {code_span(lost_value(loss))}",
            on_click=choose_message,
            args=(timeline, loss.step, loss.message),
        )
        _to_tab("All lost facts", "Lost facts")


def cost_chip(timeline: Timeline, number: int) -> None:
    """What trimming costs beside not trimming."""
    bills, own = bill_of(timeline)
    finding = cost_finding(timeline, bills.get(own))
    said = f"{finding.effect}{finding.why}."
    if is_untrimmed(timeline) and not timeline.plans[number].over_budget:
        said = f"{said} {over_budget_sentence(timeline)}".rstrip()
    said = f"{said} {untrimmed_sentence(timeline, bills.get(own))}".rstrip()
    st.html(
        f"{chip_head('What it costs', cost_from(timeline, finding))}"
        f'{chip_number(capitalize_first(finding.amounts), said)}<div class="hl-meta">{escape(finding.cache)}</div>'
    )
    _to_tab("See the bill" if bills else "Give the prices", "Cost")


def cost_from(timeline: Timeline, finding: CostFinding) -> str:
    if not finding.cache:
        return f"{PRICES_UNKNOWN}, so tokens are compared. Not trimming is {BASELINE}."
    return (
        f"{count_of(len(timeline.plans), 'request')} with the answers at list prices, under the model's own kind of "
        f"cache ({finding.cache}). Not trimming is {BASELINE}."
    )


def refused_note(timeline: Timeline) -> None:
    """An alarm where requests that are sent would be refused."""
    if recorded_validity(timeline).refused.any():
        st.html(
            f'<div class="hl-cause hl-over">{ALARM.glyph} {escape(refusal_sentence(timeline, setting_in_words))}</div>'
        )


def _to_tab(label: str, tab: str) -> None:
    st.button(label, key=f"to-{tab}", type="tertiary", on_click=viewing.show_tab, args=(tab,))
