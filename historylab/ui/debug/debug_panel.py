"""The debug panel in AgentDock's words: Policy, Length, Source, Messages; with each field's source."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.settings.resolve import Resolution
from historylab.systems import agentdock
from historylab.ui.debug.history_log import agentdock_settings
from historylab.ui.session import address
from historylab.wording.untrusted import escape, one_line

SOURCES = {"url": "URL"}


def debug_panel(resolution: Resolution, conversation: Conversation) -> None:
    """A table of four rows."""
    panel = agentdock.debug_panel(agentdock_settings(resolution), conversation)
    agent = one_line(address.linked_agent(), 60)
    rows = [
        ("Policy", panel["policy"], f"Source: {_source(resolution, 'policy')}"),
        ("Length", panel["length"], f"Source: {_source(resolution, 'length')}"),
        ("Source", panel["source"], "the strongest that decided one of the two"),
        ("Messages", f"{panel['messages']:,}", f"Agent: {agent}"),
    ]
    body = "".join(
        f'<tr><th>{word}</th><td class="hl-word">{escape(value)}</td><td>{escape(more)}</td></tr>'
        for word, value, more in rows
    )
    st.html(f'<div class="hl-table"><table><tbody>{body}</tbody></table></div>')


def _source(resolution: Resolution, name: str) -> str:
    origin = resolution.provenance[name]
    source = SOURCES.get(origin.source, origin.source)
    return f"{source} ({origin.name})" if origin.name not in ("", name) else source
