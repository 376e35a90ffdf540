"""The contract of an API: how its requests are read and refused, and how its answers are written."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from historylab.chat_models.base import Reply
from historylab.conversation.message import Message
from historylab.errors import HistoryLabError
from historylab.proxy.refusals import error_body

CREATED = 1_767_225_600  # every answer's: the same request is answered by the same bytes
PIECE = 4  # characters of text in one event, about a token
Body = dict[str, Any]


class RefusedByApi(HistoryLabError):
    """A request that the API refuses, in its own words."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None, status: int = 400):
        super().__init__(message)
        self.param, self.code, self.status = param, code, status


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that may be called, whichever API it was described to.

    `kind`: "function"; Responses has "custom" ones, which take a text, and "local_shell".
    """

    name: str
    schema: Any
    kind: str = "function"
    namespace: str | None = None


class WireApi(ABC):
    """One API. `prefixes`: what the ids of its answers and its calls begin with; `field`: of a body's messages."""

    name: ClassVar[str]
    prefixes: ClassVar[tuple[str, str]]
    field: ClassVar[str] = "messages"
    caches_itself: ClassVar[bool] = True
    limits: ClassVar[tuple[str, ...]] = ("max_completion_tokens", "max_tokens")

    def complete(self, body: Body) -> Body:
        """The request with all that it refers to."""
        return body

    @abstractmethod
    def check(self, body: Body) -> None:
        """Raise RefusedByApi for what the API refuses."""

    @abstractmethod
    def beside(self, body: Body) -> list[Any]:
        """All that the model reads before the messages: tools, system prompt."""

    @abstractmethod
    def messages(self, item: Any) -> Sequence[Message]:
        """The messages in one item, with the texts that count."""

    @abstractmethod
    def tools(self, body: Body) -> list[OfferedTool]:
        """The tools that may be called."""

    def choice(self, body: Body) -> str | None:
        """The tool to call: its name, "" for any, "none" for none; None if the model may choose."""
        return choice_of(body.get("tool_choice"))

    def in_parallel(self, body: Body) -> bool:
        """Tell whether several tools may be called at once."""
        return body.get("parallel_tool_calls") is not False

    @abstractmethod
    def schema(self, body: Body) -> Any:
        """The schema of an answer that has to be JSON; None for a text."""

    def limit(self, body: Body) -> int | None:
        """The most tokens of the answer."""
        return next((body[name] for name in self.limits if body.get(name)), None)

    @abstractmethod
    def whole(self, body: Body, reply: Reply, id: str) -> Body:
        """The body of the answer."""

    @abstractmethod
    def events(self, body: Body, whole: Body) -> Iterator[Body]:
        """The events of a stream that says what the whole answer says."""

    def write_events(self, body: Body, events: Iterable[Body]) -> Iterator[bytes]:
        """Events as they are sent."""
        for event in events:
            yield server_sent(event, event["type"])

    def media_type(self, body: Body) -> str:
        """Of a stream."""
        return "text/event-stream"

    def keep(self, body: Body, whole: Body) -> None:  # noqa: B027  most remember nothing
        """Remember an answer that a later request may refer to."""

    def error(self, refused: RefusedByApi) -> Body:
        """The body of an error."""
        return error_body(self.name, refused.status, str(refused), param=refused.param, code=refused.code)

    @abstractmethod
    def too_long(self, tokens: int, window: int) -> RefusedByApi:
        """The refusal of a request that exceeds the model's window."""


def server_sent(event: Any, name: str = "") -> bytes:
    """One event of a stream; Anthropic's and those of Responses are named."""
    text = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode()


def pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def choice_of(choice: Any) -> str | None:
    """OpenAI says "required" or {"type": "function", …}, Anthropic {"type": "any"} or {"type": "tool", …}."""
    if isinstance(choice, str):
        return {"required": "", "none": "none"}.get(choice)
    if not isinstance(choice, Mapping):
        return None
    if choice.get("type") in ("any", "none"):
        return "" if choice["type"] == "any" else "none"
    function = choice.get("function")
    name = function.get("name") if isinstance(function, Mapping) else choice.get("name")
    return name if isinstance(name, str) else None


def output_schema(output: Any) -> Any:
    """The schema of structured output, as OpenAI and Anthropic have it."""
    output = output or {}
    match output.get("type"):
        case "json_schema":
            return output.get("schema") or (output.get("json_schema") or {}).get("schema") or {}
        case "json_object":
            return {"properties": {"answer": {"type": "string"}}}
    return None


def text_of(content: Any) -> str:
    """The text of a content: a string, or parts of which some have one."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = (part if isinstance(part, str) else part.get("text") for part in content)
    return "\n".join(text for text in texts if isinstance(text, str))


def media_of(content: Any) -> tuple[str, ...]:
    """The kinds of the parts that are no text."""
    parts = content if isinstance(content, list) else []
    kinds = [str(part.get("type")) for part in parts if isinstance(part, Mapping)]
    return tuple(k for kind in kinds for k in ("image", "audio", "file") if k in kind)
