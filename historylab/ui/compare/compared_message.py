"""The answer about one message under every configuration: what each does with it and why, beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.reports.decisions import unchanged_since
from historylab.ui.compare.configurations import Configuration
from historylab.ui.request.explanation import MOST, SHORT
from historylab.ui.session import session, viewing
from historylab.wording.message_text import full_text, speaker
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape, multiline

NOTHING_CHOSEN = "Choose a message, on a map or in the list, to see what becomes of it under each, and why."


def compared_message(compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int) -> None:
    """The answer about the chosen message at request `number` (from 0)."""
    chosen = session.tab().message
    if chosen is None or chosen >= timelines[0].plans[number].size:
        st.html(f'<div class="hl-meta">{NOTHING_CHOSEN}</div>')
        return
    message = timelines[0].conversation[chosen]
    who = escape(speaker(message))
    each = "".join(_one(c, t, number, chosen) for c, t in zip(compared, timelines, strict=True))
    with st.container(border=True, key="compared-message"):
        st.html(
            f'<div class="hl-title">Message {chosen + 1:,}, {who}, with request {number + 1:,}</div>'
            f'<div class="hl-whys">{each}</div>'
        )
        text = multiline(full_text(message), MOST)
        st.code(text, language=None, wrap_lines=True, height="content" if len(text) < SHORT else 240)
        st.button("Close", key="close-message", on_click=viewing.select_message, args=(None,))


def _one(configuration: Configuration, timeline: Timeline, number: int, chosen: int) -> str:
    found = timeline.plans[number].reason(chosen)
    letter, look = configuration.letter, LOOKS[found.action]
    first = int(unchanged_since(timeline, number)[chosen])
    since = f" since {timeline.steps[first].label}" if found.action != Action.KEPT else ""
    return (
        f'<div><b class="hl-letter hl-letter-{letter}">{letter}</b> {look.mark(found.action.name.lower())}'
        f' <b>{look.word}</b>{since}<div class="hl-small">{escape(found.sentence)}</div></div>'
    )
