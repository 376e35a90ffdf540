"""ShareGPT: `from` and `value`, mostly under `conversations`; also that list with `role` and `content`.

Source: FastChat's and LLaMA-Factory's data formats. Speakers are human, gpt, system, tool (observation) and
function_call, whose value is a call as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.fields import as_list, unpack_json
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import Grouping, RecordGroup
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.speakers import role_in_word
from historylab.formats.messages.spoken import call_of, read_tags
from historylab.registry import register

CALL = "function_call"
TITLES = ("title", "id", "conversation_id", "idx")
READ_BESIDE = {*TITLES, "system", "system_prompt", "tools", "model", "type"}


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and ({"from", "value"} <= value.keys() or {"role", "content"} <= value.keys())


GROUPING = Grouping(("conversations", "conversation", "messages", "items"), _is_record)


def looks_shared(content: Content) -> float:
    """0.8 for `from` and `value`; 0.6 for `role` and `content` under `conversations` or `conversation`."""
    records = GROUPING.sample(content.values)
    pairs = [record for record in records if isinstance(record, dict) and {"from", "value"} <= record.keys()]
    if pairs and len(pairs) * 2 >= len(records) and any(_role(record["from"]) for record in pairs):
        return 0.8
    chats = [record for record in records if _is_record(record)]
    held = any(_holds_chat(value) for _, value in content.values)
    return 0.6 if held and chats and len(chats) * 2 >= len(records) else 0


@register("format", title="ShareGPT", recognise=looks_shared, marks="from value")
def sharegpt(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations as training data has them: who it is from, and its value."""
    for group in GROUPING.groups(content.values, report):
        messages = [*_system_prompt(group, report)]
        for where, record in group.records:
            messages += _messages(record, where, report)
        beside = dict(group.beside)
        if tools := as_list(unpack_json(beside.get("tools"))):
            beside["tools"] = tools
        for name in beside:
            if name not in READ_BESIDE:
                report.keep(name, group.where)
        title = next((str(beside[key]) for key in TITLES if isinstance(beside.get(key), str | int)), "")
        yield Conversation(pair_by_order(messages), title, beside)


@keep_records
def _messages(record: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(record, dict):
        report.skip(f"{kind_of(record)}, not an object", where)
        return []
    if "value" not in record:
        return [*filter(None, [read_reported(record, where, report)])]
    speaker, value = record.get("from"), record["value"]
    if not isinstance(speaker, str) or not isinstance(value, str):
        wrong = "from" if not isinstance(speaker, str) else "value"
        report.skip(f"{wrong} is {kind_of(record.get(wrong))}, not text", where)
        return []
    report.records += 1
    report.leave(record, {"from", "value"}, where)
    role = _role(speaker)
    if not role:
        report.warn(f"unknown speaker {speaker[:40]!r}, kept as conversation", where)
    if not value:
        report.warn("empty content", where)
    return list(_calls(value) if speaker == CALL else read_tags(role or speaker, value))


def _role(speaker: Any) -> str:
    return "assistant" if speaker == CALL else role_in_word(speaker) if isinstance(speaker, str) else ""


def _calls(value: str) -> Iterator[Message]:
    """An assistant message with the call, or the calls, that a value describes; its text if it describes none."""
    given = unpack_json(value)
    calls = [call_of(item) for item in (given if isinstance(given, list) else [given])]
    known = tuple(call for call in calls if call)
    yield Message("assistant", "", tool_calls=known) if len(known) == len(calls) else Message("assistant", value)


def _system_prompt(group: RecordGroup, report: Report) -> Iterator[Message]:
    prompts = (group.beside.pop(key) for key in ("system", "system_prompt") if isinstance(group.beside.get(key), str))
    for prompt in prompts:
        if prompt.strip():
            report.records += 1
            yield Message("system", prompt)


def _holds_chat(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    held = (item.get(name) for item in items if isinstance(item, dict) for name in ("conversations", "conversation"))
    return any(isinstance(records, list) for records in held)
