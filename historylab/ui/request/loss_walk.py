"""From one loss to the next: the values that later requests needed and no longer had, in order of the requests."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import cached, viewing
from historylab.wording.answer import CHOOSE, NO_LOSS, loss_in_words, place_among
from historylab.wording.losses import RECALL_UNKNOWN, losses_shown, lost_facts, named_loss
from historylab.wording.untrusted import escape


def loss_walk(timeline: Timeline, number: int, chosen: int | None) -> None:
    """Buttons to the loss before and after message `chosen` at request `number` (from 0), be it one or not."""
    found = cached.retention_of(timeline, viewing.must_remember())
    losses = losses_shown(found)
    if not losses:
        return
    counts = Counter((loss.step, loss.message) for loss in losses)
    places, here = sorted(counts), (number, -1 if chosen is None else chosen)
    before = max((place for place in places if place < here), default=None)
    after = min((place for place in places if place > here), default=None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="losses-walk"):
        _to("‹ Previous loss", "loss-before", timeline, before)
        passed = sum(counts[place] for place in places if place < here)
        st.html(f'<span class="hl-meta">{place_among(passed, counts[here], lost_facts(found))}</span>', width="content")
        _to("Next loss ›", "loss-after", timeline, after)


def where_to_begin(timeline: Timeline) -> None:
    """Where no message is chosen: a loss that mattered, with the way to it, or that there is none."""
    if timeline.original.recorded.textless:
        st.html(f'<div class="hl-small">{escape(RECALL_UNKNOWN)}</div><div class="hl-meta">{CHOOSE}</div>')
        return
    found = cached.retention_of(timeline, viewing.must_remember())
    losses = losses_shown(found)
    named = named_loss(losses)
    said = loss_in_words(found, named) if named else NO_LOSS
    which = "The first" if named in losses[:1] else "A"
    title = f'<div class="hl-title">{which} loss that mattered</div>' if named else ""
    st.html(f'{title}<div class="hl-small">{escape(said)}</div>')
    if named:
        place = (timeline, named.step, named.message)
        st.button("Show why, and what would keep it", key="first-loss", on_click=choose_message, args=place)
    st.html(f'<div class="hl-meta">{CHOOSE}</div>')


def _to(label: str, key: str, timeline: Timeline, place: tuple[int, int] | None) -> None:
    args = (timeline, *place) if place else ()
    st.button(label, key=key, type="tertiary", disabled=place is None, on_click=choose_message, args=args)
