"""The debug panel in AgentDock's words: Policy, Length, Source, Messages; with the source of each setting."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.settings.resolve import Provenance, Resolution
from historylab.settings.sources import SOURCES
from historylab.systems import agentdock
from historylab.ui.debug.history_log import agentdock_settings
from historylab.ui.session import address, landing
from historylab.wording.untrusted import escape, one_line

TEMPLATE = "default (template)"
"""AgentDock has no word of its own for a template, its "default fallback"."""


def agentdock_panel(resolution: Resolution, conversation: Conversation) -> None:
    """A table: AgentDock's four words, and whether system messages are kept, which a link of ours may change too."""
    panel = agentdock.debug_panel(agentdock_settings(resolution), conversation)
    deciding = (resolution.provenance[name] for name in agentdock.FIELDS.values())
    strongest = _word(min(deciding, key=lambda origin: SOURCES.index(origin.source)))
    agent = one_line(address.linked_agent(), 60)
    system = "kept" if resolution.settings.preserve_system_messages else "not kept"
    rows = [
        ("Policy", panel["policy"], _source(resolution, "policy")),
        ("Length", panel["length"], _source(resolution, "length")),
        ("System messages", system, _source(resolution, "preserve_system_messages")),
        ("Source", strongest, "the strongest that decided one of the three"),
        ("Messages", f"{panel['messages']:,}", f"Agent: {agent}"),
    ]
    body = "".join(
        f'<tr><th>{word}</th><td class="hl-word">{escape(value)}</td><td>{escape(more)}</td></tr>'
        for word, value, more in rows
    )
    st.html(f'<div class="hl-table"><table><tbody>{body}</tbody></table></div>')


def _source(resolution: Resolution, name: str) -> str:
    origin = resolution.provenance[name]
    word = _word(origin)
    return f"Source: {word} ({origin.name})" if origin.name not in ("", name) else f"Source: {word}"


def _word(origin: Provenance) -> str:
    return TEMPLATE if origin.source == "template" else landing.origin_word(origin)
