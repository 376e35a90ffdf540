"""Which API's messages a list or a body holds, by the first item that says so.

What no mark tells apart (texts alone) is Chat Completions'. Nothing is claimed of an item that no API has: reading it
names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from historylab.errors import LoadError, UnknownMember
from historylab.formats.base import describe, kind_of
from historylab.formats.requests.chat import ChatCompletions
from historylab.formats.requests.form import Form, IsSummary, Request, fields_of
from historylab.registry import opened_later


def _responses() -> Form:
    from historylab.formats.requests.responses import Responses

    return Responses()


def _anthropic() -> Form:
    from historylab.formats.requests.anthropic import Anthropic

    return Anthropic()


def _gemini() -> Form:
    from historylab.formats.requests.gemini import Gemini

    return Gemini()


FORMS: Mapping[str, Form] = {
    "chat_completions": ChatCompletions(),
    "responses": opened_later(_responses),
    "anthropic": opened_later(_anthropic),
    "gemini": opened_later(_gemini),
}
"""By the name of their format, in the order of who is meant where nothing tells."""

CHAT, RESPONSES, ANTHROPIC, GEMINI = (frozenset({name}) for name in FORMS)
ANY = CHAT | RESPONSES | ANTHROPIC | GEMINI
ROLES = {
    "user": ANY, "assistant": ANY, "system": ANY, "developer": CHAT | RESPONSES, "tool": CHAT,
    "function": CHAT, "model": GEMINI,
}  # fmt: skip
OF_CHAT = ("tool_calls", "tool_call_id", "function_call", "refusal")
PARTS = {
    **dict.fromkeys(("image_url", "input_audio", "file"), CHAT),
    **dict.fromkeys(("input_text", "output_text", "input_image", "input_file"), RESPONSES),
    **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use"), ANTHROPIC),
    **dict.fromkeys(("document", "search_result", "compaction", "redacted_thinking"), ANTHROPIC),
}
BODIES = {
    **dict.fromkeys(("system", "stop_sequences", "anthropic_version"), ANTHROPIC),
    **dict.fromkeys(("max_completion_tokens", "response_format", "stop", "n", "functions", "stream_options"), CHAT),
}
"""Fields of a body with `messages` that only one of the APIs has."""


def open_request(
    given: Any,
    format: str | None = None,
    known: Form | None = None,
    start: int = 0,
    is_summary: IsSummary = lambda _: False,
) -> Request:
    """The request that was given: a list of messages or a whole body, of dicts or an SDK's own objects.

    `format`: the name of one of FORMS, whose it is in any case. `known`: the form that a mark gave away (`sure`) in an
    earlier request of the same chat. `start`: how many of the first items were looked at before, without finding any.
    `is_summary`: tells the blocks of a system prompt that are summaries of ours, by their text, from the caller's.
    Raises LoadError for what is neither list nor body, and for a body whose history is elsewhere; UnknownMember for
    another format.
    """
    if format is not None and format not in FORMS:
        raise UnknownMember("format of requests", format, list(FORMS))
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise LoadError(f"{kind_of(given)} was given where a list of messages is meant")
    items, possible = _looked_at(given)
    if format is not None:
        known, possible = FORMS[format], ANY
    if known is not None and known.name in possible:
        return known.open(given, True, is_summary)
    for item in islice(items, start, None):
        if len(possible) == 1:
            break
        whose = _could_be(item)
        if whose is not ANY:
            possible = possible & whose or possible
    return next(form for name, form in FORMS.items() if name in possible).open(given, len(possible) == 1, is_summary)


def _looked_at(given: Any) -> tuple[Iterable[Any], frozenset[str]]:
    """The items to look at, and whose they could be by what stands around them."""
    if not isinstance(given, Mapping):
        return given, ANY
    if "messages" not in given and "input" not in given and "contents" not in given:
        raise LoadError(
            f"{describe(given)} was given where a list of messages is meant, or a body with messages, input or contents"
        )
    if "messages" not in given:
        return (), RESPONSES if "input" in given else GEMINI
    possible = CHAT | ANTHROPIC
    model, tools = given.get("model"), given.get("tools")
    if isinstance(model, str) and model.startswith("claude") and "max_tokens" in given:
        possible = ANTHROPIC
    for tool in tools if isinstance(tools, list | tuple) else ():
        if isinstance(tool, Mapping):
            possible = (
                possible & (ANTHROPIC if "input_schema" in tool else CHAT if "function" in tool else ANY) or possible
            )
    for field, whose in BODIES.items():
        if given.get(field):
            possible = possible & whose or possible
    return given["messages"] if isinstance(given["messages"], list | tuple) else (), possible


def _could_be(item: Any) -> frozenset[str]:
    """Whose item it could be."""
    if type(item) is dict and len(item) == 2 and type(item.get("content")) is type(item.get("role")) is str:
        return ROLES.get(item["role"], ANY)  # most messages
    try:
        fields = fields_of(item)
    except LoadError:
        return ANY
    role, content, kind = fields.get("role"), fields.get("content"), fields.get("type")
    if any(field in fields for field in OF_CHAT):
        return CHAT
    if _is_item(fields):
        return RESPONSES
    if kind == "message":
        return ANTHROPIC if "stop_reason" in fields else RESPONSES
    possible = ROLES.get(role, ANY) if isinstance(role, str) else ANY
    if "parts" in fields and "content" not in fields:
        possible = GEMINI
    for part in content if isinstance(content, list | tuple) else ():
        possible = possible & _part_of(part) or possible
    return possible


def _is_item(fields: Mapping[str, Any]) -> bool:
    from historylab.formats.messages.responses_items import is_item

    return is_item(fields)


def _part_of(part: Any) -> frozenset[str]:
    """Whose content part it could be."""
    try:
        fields = fields_of(part)
    except LoadError:
        return ANY
    kind = fields.get("type")
    if not isinstance(kind, str):
        return ANY
    if kind.endswith("tool_result") or "signature" in fields or (kind == "image" and "source" in fields):
        return ANTHROPIC
    return PARTS.get(kind, ANY)
