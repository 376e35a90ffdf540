"""Stand-ins for the agent frameworks' message classes, for where they are not installed.

Only what the exported hooks use, as strict as the original: what it would refuse or misread fails here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

ROLES = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}
KEYS = {"role", "content", "name", "tool_calls", "tool_call_id"}


@dataclass
class LangChainMessage:
    type: str
    content: Any
    more: dict[str, Any] = field(default_factory=dict)

    def model_copy(self, update: Mapping[str, Any]) -> LangChainMessage:
        return replace(self, **update)


def convert_to_messages(records: Sequence[Mapping[str, Any]]) -> list[LangChainMessage]:
    return [_langchain_message(record) for record in records]


def _langchain_message(record: Mapping[str, Any]) -> LangChainMessage:
    assert set(record) <= KEYS, "anything else would be sent along"
    more = {name: value for name, value in record.items() if name not in ("role", "content")}
    return LangChainMessage(ROLES[record["role"]], record["content"] or "", more)


def convert_to_openai_messages(message: LangChainMessage) -> dict[str, Any]:
    role = next(role for role, kind in ROLES.items() if kind == message.type)
    return {"role": role, "content": message.content, **message.more}


@dataclass
class SystemPromptPart:
    content: str
    timestamp: Any = None
    part_kind: str = "system-prompt"


@dataclass
class UserPromptPart:
    content: Any
    timestamp: Any = None
    part_kind: str = "user-prompt"


@dataclass
class ToolReturnPart:
    tool_name: str
    content: Any
    tool_call_id: str
    timestamp: Any = None
    part_kind: str = "tool-return"

    def model_response_str(self) -> str:
        return str(self.content)


@dataclass
class TextPart:
    content: str
    part_kind: str = "text"


@dataclass
class FilePart:
    content: Any
    part_kind: str = "file"


@dataclass
class ToolCallPart:
    tool_name: str
    args: str
    tool_call_id: str
    part_kind: str = "tool-call"


@dataclass
class ImageUrl:
    url: str
    vendor_metadata: dict[str, Any]
    kind: str = "image-url"


@dataclass
class ModelRequest:
    parts: list[Any]
    instructions: str | None = None
    timestamp: Any = None
    kind: str = "request"


@dataclass
class ModelResponse:
    parts: list[Any]
    timestamp: Any = None
    kind: str = "response"


class AbstractCapability:
    """What a capability of Pydantic AI derives from."""


class AgentMiddleware:
    """What a middleware of LangChain derives from."""


class CustomLogger:
    """What a callback of LiteLLM's proxy derives from."""


PYDANTIC = (
    SystemPromptPart, UserPromptPart, ToolReturnPart, TextPart, FilePart, ToolCallPart, ImageUrl, ModelRequest,
    ModelResponse,
)  # fmt: skip
MODULES = {
    "langchain_core.messages": (convert_to_messages, convert_to_openai_messages),
    "langchain.agents.middleware": (AgentMiddleware,),
    "pydantic_ai.capabilities": (AbstractCapability,),
    "pydantic_ai.messages": PYDANTIC,
    "litellm.integrations.custom_logger": (CustomLogger,),
}


@contextmanager
def stand_ins():
    """In place of the frameworks while it lasts, whether they are installed or not."""
    names = {".".join(parts[:k]) for name in MODULES for parts in [name.split(".")] for k in range(1, len(parts) + 1)}
    ours = [name for name in sys.modules if name.startswith("historylab.frameworks.")]
    before = {name: sys.modules.pop(name, None) for name in [*names, *ours]}
    for name in names:
        sys.modules[name] = ModuleType(name)
        for each in MODULES.get(name, ()):
            setattr(sys.modules[name], each.__name__, each)
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name in names or name.startswith("historylab.frameworks.")]:
            del sys.modules[name]
        sys.modules.update({name: module for name, module in before.items() if module is not None})
