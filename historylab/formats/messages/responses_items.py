"""Items of OpenAI's Responses API: messages, calls, results and reasoning, several of which make one turn.

Calls and results are joined by `call_id`. A tool that the API runs itself has its result, if it shows one, in the same
item; here it is a call and a result. Source: the Responses API reference, input and output items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import REFERENCES, Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.chat_messages import RENAMED_ROLES
from historylab.formats.messages.content_parts import MEDIA, json_text, spaced_json
from historylab.formats.messages.fields import text_in
from historylab.formats.messages.kept_records import keep_records, parts_beside
from historylab.formats.messages.provider_cuts import COMPACTION, ENCRYPTED
from historylab.formats.messages.walker import OTHER, Table, said_in, table_of, walk_parts

CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}
"""Type of an item that is a call → the field with its arguments. Its result is an item of its own, `…_output`."""

HOSTED = {
    "web_search_call": ("action", "results"),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("revised_prompt", "result"),
    "mcp_call": ("arguments", "output"),
}
"""Type of a call that the API answers itself → the fields with its arguments and its result."""

COMPACTION_TRIGGER = "compaction_trigger"
"""Type of the last item of a request for a compaction, which answers with the item that takes the others' place."""
COMPACTIONS = ("compaction", "compaction_summary")
DIRECTIONS = ("additional_tools", "configuration_update", *COMPACTIONS, COMPACTION_TRIGGER)
"""Types of items that say how the model goes on, in the place of fields beside the items: which tools it has, with what
effort it reasons, what an earlier part was, as only the provider can read it. Codex sends them. They are read as
messages of the developer's, with what they say as JSON, and are pinned: without a tool's definition its calls are
refused, and without a compaction all before it is lost."""

RESULTS = {f"{kind}_output" for kind in CALLS} | {"tool_search_output"}
LABELS = {"type", "id", "status", "object", "created_by", "phase", "internal_chat_message_metadata_passthrough"}
LEFT_OUT = {
    "mcp_list_tools": "an mcp_list_tools item, the tools of a server",
    "mcp_approval_request": "an mcp_approval_request item",
    "mcp_approval_response": "an mcp_approval_response item",
}
OF_PART = {"type", "text", "refusal", "annotations", "logprobs", "detail", "image_url", "file_id", "file_url"}
OF_PART |= {"filename", "file_data", "input_audio"}
REFERENCE = "item_reference"
"""Type of an item that the provider keeps and a request only names: it is read as one of the assistant's, of unknown
text and size, and as a call where the results after it ask for one."""
KEPT_ITEMS = "an item_reference, whose item the provider keeps: its text and size are unknown"
NO_CALLS = ("rs_", "msg_")  # how the ids of reasoning and of messages begin
ENCRYPTED_REASONING = "encrypted reasoning, which only the provider can read"


def is_item(value: Any) -> bool:
    """Whether it is an item of a type that only this API has."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or "role" in value:
        return False
    return _is_reasoning(value) if kind == "reasoning" else kind != "message" and (kind in ITEMS or kind in LEFT_OUT)


def read_items(items: Iterable[tuple[str, Any]], report: Report) -> list[Message]:
    """The messages of items with their locations, each counted as a record, those of one turn joined."""
    read = [message for where, item in items for message in read_item(item, where, report)]
    return with_referenced_calls(join_assistant_messages(read))


@keep_records
def read_item(item: Any, where: str, report: Report) -> list[Message]:
    """The messages in one item, for `join_assistant_messages`; none if it is skipped. Counts the record."""
    said = AnswerParts()
    try:
        _read(item, said, where, report)
    except LoadError as problem:
        report.skip(str(problem), where)
        return []
    report.records += 1
    return said.messages()


def join_assistant_messages(messages: list[Message]) -> list[Message]:
    """The messages, with those of the assistant that follow each other as one."""
    found: list[Message] = []
    for message in messages:
        if found and found[-1].role == message.role == "assistant":
            found[-1] = _join(found[-1], message)
        else:
            found.append(message)
    return found


def may_call(message: Message) -> bool:
    """Tell whether an item that a message refers to may be a call."""
    return any(not name.startswith(NO_CALLS) for name in message.metadata.get(REFERENCES, ()))


def with_referenced_calls(messages: list[Message]) -> list[Message]:
    """The messages, where results right after references that may be calls have theirs, though nothing else names it.

    Which reference is whose can't be known, nor need it: the calls of a turn and their results go together.
    """
    found: list[Message] = []
    caller = -1
    for message in messages:
        if message.role != "tool":
            caller = len(found) if may_call(message) else -1
        elif caller >= 0 and message.tool_call_id and not message.metadata.get("server_tool"):
            calls = found[caller].tool_calls
            if message.tool_call_id not in [call.id for call in calls]:
                found[caller] = replace(found[caller], tool_calls=(*calls, ToolCall(message.tool_call_id, REFERENCE)))
        found.append(message)
    return found


def _join(first: Message, more: Message) -> Message:
    metadata = {**first.metadata, **more.metadata}
    if kept := [name for m in (first, more) for name in m.metadata.get(REFERENCES, ())]:
        metadata[REFERENCES] = kept
    thoughts = [m.metadata["thinking"] for m in (first, more) if m.metadata.get("thinking")]
    if thoughts:
        metadata["thinking"] = "\n".join(thoughts)
    return replace(
        first,
        content="\n".join(filter(None, (first.content, more.content))),
        id=first.id or more.id,
        tool_calls=first.tool_calls + more.tool_calls,
        media=first.media + more.media,
        timestamp=first.timestamp or more.timestamp,
        metadata=metadata,
        source=[*_items_of(first), *_items_of(more)] or None,
    )


def _items_of(message: Message) -> list[Any]:
    """The items that say more than the message."""
    return message.source if isinstance(message.source, list) else [message.source] if message.source else []


def said_parts(message: Message) -> list[Any] | None:
    """The parts of a user's message or a result, its media among them, if it was read from such; else None."""
    given = parts_beside(message, {"user": "content", "tool": "output"}.get(message.role, ""))
    said = [{n: part[n] for n in part if n in OF_PART} for part in given] if _is_parts(given) else []
    return said if said and said_in(said, "type", PARTS) == (message.content, message.media) else None


def to_items(message: Message) -> Iterator[dict[str, Any]]:
    """A message's items: its text and its calls; or its result."""
    said = said_parts(message) or message.content
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": said}
        return
    if said or not message.tool_calls:
        yield {"role": message.metadata.get("role", message.role), "content": said}
    for call in message.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _read(item: Any, said: AnswerParts, where: str, report: Report) -> None:
    if not isinstance(item, dict):
        raise LoadError(f"{kind_of(item)}, not an object")
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        raise LoadError(f"an item whose type is {kind_of(kind)}")
    if kind not in ITEMS or (kind == "reasoning" and not _is_reasoning(item)):
        raise LoadError(LEFT_OUT.get(kind, f"an item of type {kind[:40]!r}, which can't be read"))
    ITEMS[kind](item, said, where, report)


def _add_message(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    role = item.get("role")
    if not isinstance(role, str) or not role:
        raise LoadError("no role")
    _add_content(item.get("content"), said, where, report)
    report.leave(item, LABELS | {"role", "content"}, where)
    said.metadata = {"role": role} if role in RENAMED_ROLES else {}
    said.role, said.id = RENAMED_ROLES.get(role, role), text_in(item, "id") or None
    if said.role not in ROLE_CODES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    if not (said.texts or said.media):
        report.warn("empty content", where)


def _add_directions(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    said.say(json_text({name: value for name, value in item.items() if name not in LABELS | {"role"}}))
    said.role, said.id, said.pinned = "system", text_in(item, "id") or None, True
    said.metadata = {"role": "developer"}
    if item["type"] in COMPACTIONS:
        said.metadata |= {COMPACTION: ENCRYPTED}
        report.warn("a compaction item, which only the provider can read", where)


def _add_reference(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    if not (named := text_in(item, "id")):
        raise LoadError("an item_reference without an id")
    report.warn(KEPT_ITEMS, where)
    said.metadata = {REFERENCES: [named]}


def _add_reasoning(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """Add the model's thinking, to be joined with the answer that follows."""
    for field in ("summary", "content"):
        _add_content(item.get(field) or "", said, where, report)
    said.metadata, said.texts = {"thinking": "\n".join(said.texts)} if said.texts else {}, []
    if item.get("encrypted_content"):
        said.metadata |= {"encrypted_reasoning": True}
        report.warn(ENCRYPTED_REASONING, where)
    report.leave(item, LABELS | {"summary", "content", "encrypted_content"}, where)


def _add_call(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    field = "actions" if item["type"] == "computer_call" and item.get("action") is None else CALLS[item["type"]]
    read = {"name", "call_id", field, "pending_safety_checks", "namespace", "execution"}
    report.leave(item, LABELS | read, where)
    said.call(_call(item, item.get("call_id") or item.get("id"), field, where, report))


def _call(item: dict[str, Any], id: object, field: str, where: str, report: Report) -> ToolCall:
    if not isinstance(item.get("name"), str | None):
        report.lack(f"a call whose name is {kind_of(item['name'])}", where)
    name = text_in(item, "name") or str(item["type"]).removesuffix("_call")
    return ToolCall(_known_id(id, where, report) or "", name, spaced_json(item.get(field), "{}"))


def _known_id(id: object, where: str, report: Report) -> str | None:
    if not isinstance(id, str) or not id:
        report.lack("a call or result without an id, paired in order", where)
    return id if isinstance(id, str) else None


def _add_result(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    output = item.get("output", item.get("tools"))
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        said.attach("image")
    else:
        try:
            content = output if _is_parts(output) else spaced_json(output)
        except TypeError:  # of an object in Python
            raise LoadError(f"output is {kind_of(output)}, not text or a list of parts") from None
        _add_content(content, said, where, report)
    read = {"call_id", "output", "tools", "acknowledged_safety_checks", "max_output_length"}
    report.leave(item, LABELS | read, where)
    said.role, said.answers = "tool", _known_id(item.get("call_id") or item.get("id"), where, report)


def _add_hosted_call(item: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """Add a call that the API answered itself, and the result as far as it shows one."""
    given, answered = HOSTED[item["type"]]
    call = _call(item, item.get("id"), given, where, report)
    result, fault = item.get(answered), item.get("error")
    media: tuple[str, ...] = ()
    if item["type"] == "image_generation_call":
        result, media = "", ("image",) if result else ()
    found = fault or result
    text = "" if found in NOTHING else spaced_json(found)
    if not (text or media):
        report.warn(f"a result of {item['type']} that the API doesn't show", where)
    read = {"name", "server_label", "approval_request_id", "container_id", given, answered, "error"}
    report.leave(item, LABELS | read, where)
    about = {"server_tool": True, **({"is_error": True} if fault else {})}
    said.call(call)
    said.add_result(Message("tool", text, tool_call_id=call.id or None, media=media, metadata=about))


ITEMS: Table = {
    "message": _add_message,
    "reasoning": _add_reasoning,
    REFERENCE: _add_reference,
    **dict.fromkeys(CALLS, _add_call),
    **dict.fromkeys(RESULTS, _add_result),
    **dict.fromkeys(HOSTED, _add_hosted_call),
    **dict.fromkeys(DIRECTIONS, _add_directions),
}


def _attach(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    report.leave(part, OF_PART, where)
    said.attach(MEDIA[part["type"]])


PARTS = table_of(
    {OTHER: {"text": "text"}, "refusal": {"text": ("refusal", "text")}, **dict.fromkeys(MEDIA, _attach)}, OF_PART
)


def _add_content(content: Any, said: AnswerParts, where: str, report: Report) -> None:
    """Add the text and the media of a content."""
    if not isinstance(content, str | list | None):
        raise LoadError(f"content is {kind_of(content)}, not text, a list of parts or null")
    walk_parts([content] if isinstance(content, str) else content or (), "type", PARTS, said, where, report)


def _is_parts(output: Any) -> bool:
    kinds = ("input_text", "output_text", "text", "input_image", "input_file")
    return isinstance(output, list) and all(isinstance(p, dict) and p.get("type") in kinds for p in output)


def _is_reasoning(item: dict[str, Any]) -> bool:
    fields = ("summary", "encrypted_content", "content")
    return item.get("type") == "reasoning" and any(isinstance(item.get(field), list | str) for field in fields)
