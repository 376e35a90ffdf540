"""Google Gemini: contents alone, request bodies, responses (`candidates`), logs, batches and streams of them.

Camel case and snake case are read alike. A system instruction stands beside the contents and comes first here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.recorded import TOOLS
from historylab.formats.apis.exchanges import Api
from historylab.formats.apis.streams import Stream
from historylab.formats.base import Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, list_in, object_in
from historylab.formats.messages.gemini_contents import add_part, is_content, media_parts, read_gemini_content, to_parts
from historylab.formats.messages.kept_records import with_fields
from historylab.formats.messages.written import (
    OPENING,
    ApiFeatures,
    body,
    definition_fields,
    merge_turns,
    messages_to_write,
    split_systems,
)
from historylab.registry import register

RULES = ApiFeatures(errors=True, parts=media_parts)
INSTRUCTIONS = ("systemInstruction", "system_instruction")
DECLARED = ("functionDeclarations", "function_declarations")
READ_OF_ANSWER = {"candidates", "usageMetadata", "usage_metadata", "modelVersion", "model_version", "model", "contents"}
READ_OF_ANSWER |= {"responseId", "response_id", "createTime", "create_time", "promptFeedback", "prompt_feedback"}
READ_OF_ANSWER |= {"sdkHttpResponse", "automaticFunctionCallingHistory", "modelStatus"}
READ_OF_CANDIDATE = {"content", "finishReason", "finish_reason", "index", "safetyRatings", "safety_ratings"}
READ_OF_CANDIDATE |= {"tokenCount"}
READ_OF_CANDIDATE |= {"avgLogprobs", "avg_logprobs", "citationMetadata", "citation_metadata", "groundingMetadata"}
READ_OF_CANDIDATE |= {"grounding_metadata", "logprobsResult", "finishMessage", "token_count", "urlContextMetadata"}


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    candidates = value.get("candidates")
    return isinstance(candidates, list) and any(_has_content(candidate) for candidate in candidates)


def looks_like_gemini(content: Content) -> float:
    """0.9 for responses and bodies, 0.8 for contents alone."""
    return API.recognise(
        content, lambda _, objects: 0.9 if any(isinstance(o.get(API.holder), list) for o in objects) else 0.8
    )


def to_gemini_body(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """The conversation as a request body of this API."""
    fields, tools = body(conversation, losses, lambda model: "gemini" in model, _tool)
    prompts, messages = split_systems(messages_to_write(conversation, losses, RULES), losses)
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    turns = (
        ("model" if message.role == "assistant" else "user", to_parts(message, names, losses)) for message in messages
    )
    contents = [{"role": role, "parts": parts} for role, parts in merge_turns(turns, losses, {"text": OPENING})]
    prompt = {"systemInstruction": {"parts": [{"text": text} for text in prompts]}} if prompts else {}
    declared = {"tools": [{"functionDeclarations": tools}]} if tools else {}
    return {**fields, **prompt, "contents": contents, **declared}


def _tool(name: str, description: str, schema: Any) -> dict[str, Any]:
    return definition_fields(name, description, parameters=schema)


@register(
    "format",
    title="Gemini contents",
    recognise=looks_like_gemini,
    api=lambda: API,
    marks="contents parts role",
    write=to_gemini_body,
)
def gemini(content: Content, report: Report) -> Iterator[Conversation]:
    """Contents as Google's Gemini API takes and returns them."""
    yield from API.conversations(content.values, report)


def _body(value: dict[str, Any]) -> dict[str, Any]:
    """A body as the API has it: an SDK's `config` unpacked, contents as a list, function declarations as tools."""
    contents = value.get("contents")
    if contents is None:
        return value
    if isinstance(contents, str | dict):
        one = {"role": "user", "parts": [{"text": contents}]} if isinstance(contents, str) else contents
        value = {**value, "contents": [one]}
    if isinstance(config := value.get("config"), dict):
        held = {k: v for k, v in config.items() if k in (*INSTRUCTIONS, "tools")}
        rest = {k: v for k, v in config.items() if k not in held}
        value = {**held, **{k: v for k, v in value.items() if k != "config"}, "generationConfig": rest}
    tools = value.get(TOOLS)
    return {**value, TOOLS: [d for t in tools for d in _declarations(t)]} if isinstance(tools, list) else value


def _declarations(tool: Any) -> list[Any]:
    held = [tool[name] for name in DECLARED if isinstance(tool.get(name), list)] if isinstance(tool, dict) else []
    return held[0] if held else [tool]


def _prompt(given: Any) -> list[Any]:
    said = [given] if isinstance(given, str) else as_list(given.get("parts") if isinstance(given, dict) else given)
    return [{"role": "system", "parts": [_text_of(part) for part in said]}] if said else []


def _read(records: list[tuple[str, Any]], report: Report) -> list[Message]:
    messages: list[Message] = []
    for where, record in records:
        if not isinstance(record, dict) or not isinstance(record.get("parts"), list):
            found = "an object without parts" if isinstance(record, dict) else f"{kind_of(record)}, not an object"
            report.skip(found, where)
            continue
        report.records += 1
        messages += read_gemini_content(record, where, report)
    return messages


def _text_of(part: Any) -> Any:
    """A part of an instruction; a content in its place is the text of its parts."""
    inner = part.get("parts") if isinstance(part, dict) else None
    return inner[0] if isinstance(inner, list) and len(inner) == 1 else part


def _read_answer(answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
    read = []
    for i, candidate in enumerate(answer["candidates"]):
        at = f"{where} candidates[{i}]"
        if not _has_content(candidate):
            report.skip("a candidate without content", at)
            continue
        report.records += 1
        left = report.leave(candidate, READ_OF_CANDIDATE, at)
        read.append(with_fields(read_gemini_content(candidate["content"], at, report, "model"), left))
    return read


def _has_content(candidate: Any) -> bool:
    return isinstance(candidate, dict) and isinstance(object_in(candidate, "content").get("parts"), list)


def _piece_of(value: dict[str, Any]) -> str | None:
    """A chunk looks like a whole response; one stream's chunks share an id, if they have one."""
    candidates = value.get("candidates")
    if not isinstance(candidates, list) or "contents" in value:
        return None
    if not all(_has_content(c) for c in candidates if not isinstance(c, dict) or c.get("content")):
        return None  # of another kind, to be named
    return str(value.get("responseId", value.get("response_id", "")))


def _is_last(value: dict[str, Any]) -> bool:
    ended = (c for c in value["candidates"] if isinstance(c, dict) and ("finishReason" in c or "finish_reason" in c))
    return not ("responseId" in value or "response_id" in value) and any(ended)


def _assemble(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these chunks; a single one is itself."""
    if len(pieces) == 1:
        return pieces[0]
    parts: list[Any] = []
    first: dict[str, Any] = {}
    for candidate in (c for piece in pieces for c in piece["candidates"][:1] if isinstance(c, dict)):
        first |= candidate
        for part in list_in(object_in(candidate, "content"), "parts"):
            add_part(parts, part)
    whole = {**first, "content": {"role": "model", "parts": parts}}
    merged: dict[str, Any] = {name: value for piece in pieces for name, value in piece.items()}
    return {**merged, "candidates": [whole, *(other for piece in pieces for other in piece["candidates"][1:])]}


API: Api = Api(
    "contents",
    is_record=is_content,
    is_answer=is_answer,
    read=_read,
    choices=_read_answer,
    of_answer=READ_OF_ANSWER,
    prompts=INSTRUCTIONS,
    prompt=_prompt,
    provider="google",
    stream=Stream(_piece_of, _is_last, _assemble),
    body=_body,
    answer_item=lambda answer: next(
        (one["content"] for one in list_in(answer, "candidates") if _has_content(one)), None
    ),
)
