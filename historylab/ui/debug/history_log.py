"""The two `[History]` lines of AgentDock's documentation, written under NODE_ENV=development on every change."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.formats.chat_messages import to_record
from historylab.settings.resolve import Resolution
from historylab.systems.agentdock import FIELDS, HistorySettings, prepare_messages
from historylab.ui.server.development_log import is_development
from historylab.ui.session import address, session
from historylab.wording.untrusted import one_line


def agentdock_settings(resolution: Resolution) -> HistorySettings:
    """Our settings as AgentDock's three, with their sources."""
    values = {name: resolution.settings.value(ours) for name, ours in FIELDS.items()}
    sources = {name: resolution.provenance[ours].source for name, ours in FIELDS.items()}
    return HistorySettings(**values, sources=sources)


def log_history(resolution: Resolution, conversation: Conversation) -> None:
    """Log what AgentDock would for this conversation, once per change of conversation or settings."""
    settings = agentdock_settings(resolution)
    now = f"{conversation.digest} {settings} {address.linked_agent()}"
    if is_development() and session.note_logged(now):
        prepare_messages([to_record(m) for m in conversation], settings, agent_id=one_line(address.linked_agent(), 60))
