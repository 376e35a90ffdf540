"""When a message is needed: the requests that use a value it holds, and whether they still had it."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.session import cached, viewing
from historylab.wording.answer import need_in_words, short_label
from historylab.wording.untrusted import escape

SHOWN = 4


def needed_later(timeline: Timeline, chosen: int) -> None:
    """A line per need of message `chosen`, those that were lost first; nothing where none is known."""
    found = cached.retention_of(timeline, viewing.must_remember())
    needs = found.needed_of(chosen)
    if not needs:
        return
    st.html('<div class="hl-label">Needed later</div>')
    for k, (need, held) in enumerate(needs[:SHOWN]):
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
    if len(needs) > SHOWN:
        st.html(f'<div class="hl-meta">and {len(needs) - SHOWN:,} more</div>')
