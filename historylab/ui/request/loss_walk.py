"""From one loss to the next: the values that later requests needed and no longer had, in order of the requests."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.recall.retention import Loss
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import cached, viewing
from historylab.wording.answer import place_among
from historylab.wording.losses import losses_shown, lost_facts


def loss_walk(timeline: Timeline, number: int, chosen: int | None, worst: Loss | None) -> None:
    """Buttons to the loss before and after message `chosen` at request `number` (from 0), be it one or not.

    The `worst`, which the headline names, is the first.
    """
    found = cached.retention_of(timeline, viewing.must_remember())
    losses = losses_shown(found)
    if not losses:
        return
    counts = Counter((loss.step, loss.message) for loss in losses)
    first = (worst.step, worst.message) if worst else None
    here = number, -1 if chosen is None else chosen

    def rank(place: tuple[int, int]) -> tuple[bool, tuple[int, int]]:
        return place != first, place

    before = max((place for place in counts if rank(place) < rank(here)), key=rank, default=None)
    after = min((place for place in counts if rank(place) > rank(here)), key=rank, default=None)
    passed = sum(counts[place] for place in counts if rank(place) < rank(here))
    said, all_of_them = place_among(passed, counts[here], lost_facts(found)), lost_facts(found).losses
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="losses-walk", wrap=False):
        st.html(f'<span class="hl-meta" title="{all_of_them}">{said}</span>')
        _to("‹", "Previous loss", "loss-before", timeline, before)
        _to("›", "Next loss", "loss-after", timeline, after)


def _to(label: str, help: str, key: str, timeline: Timeline, place: tuple[int, int] | None) -> None:
    if place:
        st.button(label, key=key, help=help, type="tertiary", on_click=choose_message, args=(timeline, *place))
