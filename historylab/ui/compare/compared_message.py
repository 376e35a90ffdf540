"""One message under every configuration: each one's decision and reason, and the text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.compare.configurations import Configuration
from historylab.ui.request.explanation import MOST, SHORT
from historylab.ui.session import session, viewing
from historylab.wording.message_text import full_text, speaker
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape, multiline


def compared_message(compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int) -> None:
    """The message chosen on the map, at request `number` (from 0); nothing if none is, or if it comes later."""
    chosen = session.tab().message
    if chosen is None or chosen >= timelines[0].plans[number].size:
        return
    message = timelines[0].conversation[chosen]
    who = escape(speaker(message))
    rows = "".join(_row(c, t, number, chosen) for c, t in zip(compared, timelines, strict=True))
    with st.container(border=True, key="compared-message"):
        st.html(
            f'<div class="hl-title">Message {chosen + 1:,}, {who}, with request {number + 1:,}</div>'
            f'<div class="hl-table"><table><tbody>{rows}</tbody></table></div>'
        )
        text = multiline(full_text(message), MOST)
        st.code(text, language=None, wrap_lines=True, height="content" if len(text) < SHORT else 240)
        st.button("Close", key="close-message", on_click=viewing.select_message, args=(None,))


def _row(configuration: Configuration, timeline: Timeline, number: int, chosen: int) -> str:
    found = timeline.plans[number].reason(chosen)
    letter, look = configuration.letter, LOOKS[found.action]
    return (
        f'<tr><th><b class="hl-letter hl-letter-{letter}">{letter}</b></th><td>{look.badge}</td>'
        f"<td>{escape(found.sentence)}</td></tr>"
    )
