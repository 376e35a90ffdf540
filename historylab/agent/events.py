"""The events of an agent's run, as values: each event that changed the conversation carries the new one."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.chat_models.base import Reply
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import ToolCall, Usage
from historylab.errors import HistoryLabError
from historylab.planning.plan import HistoryPlan


@dataclass(frozen=True, slots=True)
class Planned:
    """Request `number` (from 0 in this run) is about to be sent as planned."""

    number: int
    plan: HistoryPlan


@dataclass(frozen=True, slots=True)
class Compacted:
    """`messages` became a summary: in the plan, while the conversation stays whole (`by` names the summarizer, `note`
    says if it stepped in for another), or in the conversation itself (`by` is the tool)."""

    by: str
    messages: int
    note: str
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Replied:
    """The whole answer to one request."""

    reply: Reply
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool is about to be run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result; `failed` if it is an error, or there is no such tool."""

    call: ToolCall
    text: str
    failed: bool
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class StatusUpdated:
    """A status message with the usage so far was added."""

    text: str
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Finished:
    """The agent answered. `usage` is that of all requests and summaries of the run, as far as they were reported.

    `plan` is the last request's: hand it in as `previous` when the conversation goes on.
    """

    text: str
    usage: Usage
    conversation: Conversation
    plan: HistoryPlan


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer, with the reason in one sentence. Running the loop again on `conversation` continues from there.

    `problem` is the error, where a model or a stage raised one.
    """

    reason: str
    usage: Usage
    conversation: Conversation
    problem: HistoryLabError | None = None


Event = Planned | Compacted | TextDelta | Replied | ToolCalled | ToolResult | StatusUpdated | Finished | Failed
