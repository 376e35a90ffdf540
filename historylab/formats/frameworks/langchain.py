"""LangChain messages, as they are dumped or serialised: in a list, an object or JSON lines.

    {"type": "human", "data": {"content": "…"}}                                 messages_to_dict
    {"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {…}}  dumpd
    {"type": "human", "content": "…", "additional_kwargs": {}}                  model_dump

Consecutive chunks of one answer are one message; a deletion marker and a secret's placeholder are none. Source:
langchain-core, messages and load/serializable.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.frameworks.langchain_chunks import joined_chunks
from historylab.formats.messages.answers import AnswerParts, named_model
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import MEDIA
from historylab.formats.messages.fields import as_list, list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.record_groups import Grouping
from historylab.formats.messages.role_records import calls_beside, end_message
from historylab.formats.messages.usage import to_usage
from historylab.formats.messages.walker import OTHER, call_at, table_of, walk_parts, words_in
from historylab.registry import register

ROLES = {"human": "user", "ai": "assistant", "developer": "system", "function": "tool"}
ROLES |= {role: role for role in ("system", "user", "assistant", "tool")}
"""Kind of message, or role that a `chat` message names itself → role."""

REMOVE = "remove"
KINDS = {"human", "ai", "system", "tool", "function", "chat", REMOVE}
CALL = {"id": "id", "name": "name", "arguments": "args"}
PART_CALL = {"id": ("id", "call_id"), "name": "name", "arguments": ("input", "args", "arguments")}
READ = {"content", "type", "name", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "role"}
READ |= {"usage_metadata", "response_metadata", "additional_kwargs", "tool_call_chunks", "chunk_position", "example"}
READ_OF_ADDITIONAL = {"tool_calls", "function_call", "reasoning_content", "reasoning", "refusal", "timestamp"}
READ_OF_ADDITIONAL |= {"created_at", "__openai_role__", "__gemini_function_call_thought_signatures__"}
LABELS = {"type", "id", "index", "status", "encrypted_content", "signature"}
LABELS |= {"cache_control", "citations", "annotations", "extras"}
THOUGHTS = ("reasoning_content", "reasoning.summary")
TIMES, TIMES_OF_ANSWER = ("timestamp", "created_at"), ("created_at", "created")
SPOKEN = ("human", "ai", "AIMessageChunk")
SECRET = "[secret]"


def _read_call(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """A call among the parts: most stand beside them, too."""
    known = {call.id for call in said.calls}
    if part.get("name") and known.isdisjoint((text_in(part, "id"), text_in(part, "call_id"))):
        said.call(call_at(_without_secrets(part), PART_CALL))


PARTS = table_of(
    {
        **{kind: {"text": "text"} for kind in ("text", OTHER)},
        "refusal": {"text": "refusal"},
        "thinking": {"thinking": "thinking"},
        "reasoning": {"thinking": ("reasoning", "summary")},
        "reasoning_content": {"thinking": ("reasoning_content.text", "reasoning_content")},
        **{kind: {"media": "type"} for kind in MEDIA},
        **{kind: {"media": "mime_type"} for kind in ("video", "media")},
        **dict.fromkeys(("tool_use", "tool_call", "function_call"), _read_call),
        **dict.fromkeys(("input_json_delta", "redacted_thinking")),
    },
    LABELS,
)


class Dumped(NamedTuple):
    """A message as it was dumped: its kind ("human"), whether it is a piece of an answer, and its fields."""

    kind: str
    is_piece: bool
    fields: dict[str, Any]


def read_dump(record: Any) -> Dumped | None:
    """The kind and fields of a message; None for anything else. An unknown class is a kind of its own."""
    if not isinstance(record, dict):
        return None
    name, fields = record.get("type"), record.get("data")
    if "lc" in record:
        path, fields = record.get("id"), record.get("kwargs")
        name = path[-1] if name == "constructor" and isinstance(path, list) and path else None
    elif fields is None and "content" in record:
        fields = record
    if not isinstance(name, str) or not isinstance(fields, dict):
        return None
    kind = name.removesuffix("Chunk").removesuffix("Message")
    return Dumped(kind.lower() if kind.lower() in KINDS else name, name == "AIMessageChunk", fields)


def is_dumped_message(record: Any) -> bool:
    """Tell whether it is a message that LangChain dumped."""
    found = read_dump(record)
    return found is not None and found.kind in KINDS


GROUPING = Grouping(("messages", "chat_history"), is_dumped_message)


def looks_dumped(content: Content) -> float:
    """0.9 for serialised constructors, 0.8 for messages with a kind and data, 0.7 for a kind and content alone."""
    found = [record for record in GROUPING.sample(content.values) if isinstance(record, dict)]
    messages = [record for record in found if is_dumped_message(record)]
    if any("lc" in record for record in messages):
        return 0.9
    if not messages or len(messages) * 2 < len(found):
        return 0
    if any(isinstance(record.get("data"), dict) for record in messages):
        return 0.8
    spoken = [record for record in messages if record.get("type") in SPOKEN and "role" not in record]
    return (0.8 if any("additional_kwargs" in record for record in spoken) else 0.7) if spoken else 0


def most_named_provider(messages: list[Message]) -> str:
    """The provider that most answers name."""
    named = Counter(name for m in messages if isinstance(name := m.metadata.get("provider"), str))
    return named.most_common(1)[0][0] if named else ""


@register("format", title="LangChain messages", recognise=looks_dumped, marks="lc additional_kwargs response_metadata")
def langchain(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages of LangChain, dumped as dicts or serialised."""
    for group in GROUPING.groups(content.values, report):
        messages = read_langchain_messages(group.records, report)
        yield group.conversation(messages, report, provider=most_named_provider(messages))


def read_langchain_messages(records: list[tuple[str, Any]], report: Report) -> list[Message]:
    """The messages of one conversation; what can't be read is counted on the report."""
    messages: list[Message] = []
    found = ((where, read_dump(record), record) for where, record in records)
    for _, pieces in groupby(found, key=_answer_of):
        (where, given, record), *more = pieces
        if given and given.is_piece:
            fields = [given.fields, *(other.fields for _, other, _ in more if other)]
            given = given._replace(fields=joined_chunks(fields))
            report.records += len(more)
        if message := _read(given, record, where, report):
            messages.append(message)
    return pair_by_order(messages)


def _answer_of(found: tuple[str, Dumped | None, Any]) -> str:
    """The key that pieces of one answer have in common; the place of anything else."""
    where, given, _ = found
    return f"answer {given.fields.get('id')}" if given and given.is_piece else where


def _read(given: Dumped | None, record: Any, where: str, report: Report) -> Message | None:
    if given is None:
        secret = isinstance(record, dict) and record.get("lc") == 1 and record.get("type") == "secret"
        report.skip("a secret's placeholder" if secret else f"{kind_of(record)} that is no LangChain message", where)
        return None
    if given.kind == REMOVE:
        report.pass_over("a deletion marker, not a message", where)
        return None
    if given.kind not in KINDS and "content" not in given.fields:
        report.skip(f"a {given.kind[:40]} object, not a message", where)
        return None
    report.records += 1
    return _message(given.fields, where, report, given.kind)


@keep_records
def _message(fields: Any, where: str, report: Report, kind: str) -> Message | None:
    extra, about = object_in(fields, "additional_kwargs"), object_in(fields, "response_metadata")
    role = _role(fields, kind, where, report)
    report.leave(fields, READ, where)
    report.leave(extra, READ_OF_ADDITIONAL, where)
    time = iso_time(value_at(extra, TIMES) or value_at(about, TIMES_OF_ANSWER))
    said = AnswerParts(text_in(fields, "id"), time, _metadata(fields, about), role=role, name=text_in(fields, "name"))
    if role == "tool":
        said.answers = text_in(fields, "tool_call_id")
        said.metadata = {"is_error": True} if fields.get("status") == "error" else {}
    for call in _calls(fields, extra, where, report) if role == "assistant" else ():
        said.call(call)
    for path in THOUGHTS if extra else ():
        said.think(words_in(value_at(extra, path))[0])
    content = fields.get("content")
    if isinstance(content, str):
        said.say(content)
    elif not isinstance(content, list | None):
        report.warn(f"content that is {kind_of(content)}, not read", where)
    walk_parts(as_list(content), "type", PARTS, said, where, report)
    said.say(text_in(extra, "refusal") or "")
    return end_message(said, where, report)[0]


def _role(fields: dict[str, Any], kind: str, where: str, report: Report) -> str:
    given = text_in(fields, "role") if kind == "chat" else None
    if given and given not in ROLES:
        report.warn(f"unknown role {given[:40]!r}, kept as conversation", where)
        return given
    if not given and kind not in ROLES:
        report.warn(f"unknown class {kind[:40]!r}, kept as conversation", where)
    return ROLES.get(given or kind, kind.lower())


def _metadata(fields: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """The model, its provider and the usage, as far as they are said."""
    usage = to_usage(fields.get("usage_metadata")) or to_usage(about.get("token_usage"))  # as it was called before
    named = named_model(about.get("model_name"), about.get("model"), about.get("model_id"))
    found = {**named, "provider": text_in(about, "model_provider"), "usage": usage}
    return {name: value for name, value in found.items() if value}


def _calls(fields: dict[str, Any], extra: dict[str, Any], where: str, report: Report) -> Iterator[ToolCall]:
    """The calls, and those whose arguments are no JSON with their raw text."""
    invalid = list_in(fields, "invalid_tool_calls")
    given = list_in(fields, "tool_calls") + invalid
    for _ in invalid:
        report.warn("a call whose arguments are no JSON, kept as they are", where)
    for call in given:
        if isinstance(call, dict):
            yield call_at(_without_secrets(call), CALL)
        else:
            report.warn(f"a tool call that is {kind_of(call)}", where)
    if not given:
        yield from calls_beside(extra)


def _without_secrets(value: Any) -> Any:
    """The value with a word in the place of every secret's placeholder."""
    if isinstance(value, dict):
        if value.get("lc") == 1 and value.get("type") == "secret":
            return SECRET
        return {key: _without_secrets(held) for key, held in value.items()}
    return [_without_secrets(held) for held in value] if isinstance(value, list) else value
