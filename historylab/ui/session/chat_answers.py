"""An answer of the chat with what its request saw, and a request that got none."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import HistoryLabError
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings
from historylab.wording.chat import SeenRequest

STOPPED = "stopped"
"""The key of the metadata of an answer that was stopped."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """An answer with what its request saw: the conversation with it, and the settings it was planned under."""

    message: Message
    conversation: Conversation
    settings: Settings
    seen: SeenRequest


@dataclass(frozen=True, slots=True)
class ChatFailure:
    """No answer: why, and the request that got none, with what came of the answer."""

    reason: str
    settings: Settings
    problem: HistoryLabError | None = None
    plan: HistoryPlan | None = None
    partial: str = ""
