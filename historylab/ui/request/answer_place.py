"""The one place that answers for a message: why it is kept or lost, since when, what would keep it, who needs it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.request.ask_why import answer_why
from historylab.ui.request.explanation import close_button, explanation, message_more
from historylab.ui.request.first_answer import first_answer, headline_loss
from historylab.ui.request.loss_walk import loss_walk
from historylab.ui.request.mend_buttons import over_budget_mends
from historylab.ui.request.try_it import try_it
from historylab.ui.session import cached, callers, edits, opening, session, viewing
from historylab.ui.shared.answer_region import answer_region
from historylab.wording.answer import deletion_in_words, need_in_words, short_label, unlisted_needs
from historylab.wording.untrusted import escape

NEEDS_SHOWN = 4


def answer_place(timeline: Timeline, number: int, resolution: Resolution) -> Callable[[], None]:
    """The answer about the chosen message at request `number` (from 0), as far as it is known at once.

    Returns what draws the rest, which has to look at every request: call it last. Without a choice that is all of it.
    """
    chosen = session.tab().message
    answer_region(session.tab().picks, of_request=chosen is not None)
    asking, walk = st.container(key="asking", gap="small"), st.container(key="walk", gap="small")
    with walk:
        _deletion_note()
    said, rest = st.container(key="said", gap="small"), _place_for_the_rest(timeline, number, chosen)
    known = chosen is not None and chosen < timeline.plans[number].size
    if chosen is not None and chosen < len(timeline.conversation):
        with said:
            (explanation if known else _later)(timeline, number, chosen)
    needed = message_more(timeline, number, chosen, resolution) if known and chosen is not None else None

    def draw_rest() -> None:
        with walk:
            _walk(timeline, number)
        with rest.container(key="keeps", gap="small"):
            try_it(timeline, number, resolution)
            if session.tab().message is None:
                first_answer(timeline, resolution, mended=bool(over_budget_mends(timeline, number, resolution)))
        if needed is not None and chosen is not None:
            with needed:
                _needed_later(timeline, chosen)
                _sub_agents_called(timeline, chosen)
        with asking:
            answer_why(timeline)

    return draw_rest


def answers_for_mark(timeline: Timeline) -> bool:
    """Tell whether the answer is about a message that must be remembered, so that nothing else has to say its fate."""
    loss = headline_loss(timeline) if session.tab().message is None else None
    return loss is not None and loss.kind == "star"


def _walk(timeline: Timeline, number: int) -> None:
    """The way from loss to loss, from the chosen message or from the one that the headline names."""
    chosen, worst = session.tab().message, headline_loss(timeline)
    loss = worst if chosen is None else None
    loss_walk(timeline, loss.step if loss else number, loss.message if loss else chosen, worst)


def _sub_agents_called(timeline: Timeline, chosen: int) -> None:
    """The way to the conversation of each sub-agent that the message called; none where a projection moved it."""
    if timeline.conversation[chosen] not in timeline.original[chosen : chosen + 1]:
        return
    places = callers.sub_agents_called_by(chosen)
    for k, place in enumerate(places):
        which = f" {k + 1:,} of {len(places):,}" if len(places) > 1 else ""
        label = f"Open the sub-agent's conversation{which}"
        st.button(label, key=f"sub-agent-{k}", type="tertiary", on_click=opening.open_which, args=(place,))


def _place_for_the_rest(timeline: Timeline, number: int, chosen: int | None) -> DeltaGenerator:
    """Where what would keep the message will stand; till then, unless it is known already, what is being done."""
    place = st.container()
    if chosen is None or chosen >= timeline.plans[number].size or timeline.plans[number].reason(chosen).sent:
        return place
    if cached.knows_answer(timeline, number, chosen):
        return place
    place = place.empty()
    place.html('<div class="hl-meta">Trying what would keep it…</div>')
    return place


def _later(timeline: Timeline, number: int, chosen: int) -> None:
    """A message that comes after request `number` (from 0), the one shown."""
    close_button(f'<div class="hl-title">Message {chosen + 1:,}</div>')
    if chosen >= timeline.plans[-1].size:
        st.html('<div class="hl-small">It comes after the last request, so none sends it.</div>')
        return
    first = timeline.conversation.columns.first_request_after(chosen)
    st.html('<div class="hl-small">It comes after the request shown.</div>')
    label = f"The first request after it: {timeline.steps[first].label}"
    st.button(label, key="first-request", on_click=viewing.select_request, args=(first,))


def _needed_later(timeline: Timeline, chosen: int) -> None:
    """A line per need of message `chosen`, those that were lost first; nothing where none is known."""
    found = cached.retention_of(timeline, viewing.must_remember())
    needs = found.needed_of(chosen)
    if not needs:
        return
    st.html('<div class="hl-label">Needed later</div>')
    for k, (need, held) in enumerate(needs[:NEEDS_SHOWN]):
        with st.container(horizontal=True, gap="small", key=f"needed-{k}", wrap=False):
            st.button(
                short_label(timeline, need.step),
                key=f"need-{k}",
                type="tertiary",
                help=f"Show {timeline.steps[need.step].label}",
                on_click=viewing.select_request,
                args=(need.step,),
            )
            lost = "" if held else " hl-needed-lost"
            said = need_in_words(timeline, need, held=held, loss=found.loss_of(need))
            st.html(f'<div class="hl-small{lost}">{escape(said)}</div>')
    others, whole = unlisted_needs(needs, NEEDS_SHOWN)
    if others:
        st.html(f'<div class="hl-meta" title="{whole}">{others}</div>')


def _deletion_note() -> None:
    """The messages a deletion took along, and the way back, while it is the last edit."""
    last = edits.last_deletion()
    if not last:
        return
    before, at, marked = last
    with st.container(key="deletion", gap="small"):
        st.html(f'<div class="hl-small" role="status">{escape(deletion_in_words(before, at, marked=marked))}</div>')
        st.button("Undo the deletion", key="undo-deletion", on_click=edits.undo_edit)
