"""Claude.ai's data export, `conversations.json`: conversations of `chat_messages`, whose parents form a tree.

`content` holds what `text` repeats. A turn's calls and their results stand in one message; here each result is one of
its own. The extracted text of attachments was sent, and follows the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import read_turn
from historylab.formats.messages.branching import join_texts, moment, paths, with_branches
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.registry import register

ROLES = {"human": "user"}
READ = {"uuid", "sender", "text", "content", "created_at", "parent_message_uuid", "attachments", "files", "files_v2"}
SHOWN = {"updated_at", "index", "truncated", "stop_reason", "sync_sources", "input_mode", "metadata"}
ABOUT = {"uuid", "name", "summary", "model", "created_at", "updated_at", "account", "chat_messages", "settings"}
ABOUT |= {"current_leaf_message_uuid", "is_starred", "platform"}
SHOWN_OF_BLOCK = {"start_timestamp", "stop_timestamp", "flags", "message", "summaries", "cut_off", "truncated", "uuid"}
SHOWN_OF_BLOCK |= {"integration_name", "integration_icon_url", "icon_name", "tool_identifier", "mcp_server_url"}
SHOWN_OF_BLOCK |= {"approval_options", "approval_key", "approval_key_legacy", "is_mcp_app", "hidden_in_chat"}
SHOWN_OF_BLOCK |= {"context", "display_content", "alternative_display_type", "structured_content", "meta"}
"""Fields of a block for the screen: times, icons, what else is shown of a call."""

OF_PAGE = {"title", "url", "metadata", "is_missing", "is_citable", "prompt_context_metadata", "uuid", "subtitles"}
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic")
PROJECT = {"docs", "prompt_template"}


def _is_export(value: Any) -> bool:
    messages = value.get("chat_messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and any(isinstance(m, dict) and "sender" in m for m in messages[:20])


@register("format", title="Claude.ai export", recognise=value_recogniser(_is_export), marks="chat_messages sender")
def claude_ai(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations of Claude.ai's data export, with edits and retries as branches."""
    for where, value in located_items(content.values):
        if isinstance(value, dict) and isinstance(value.get("chat_messages"), list):
            yield _conversation(value, where, report)
        elif isinstance(value, dict) and value.keys() & PROJECT:
            report.pass_over("a project: its documents are no conversation", where)
        else:
            report.skip(f"{kind_of(value)} without chat_messages", where)


def _conversation(value: dict[str, Any], where: str, report: Report) -> Conversation:
    records = {}
    for i, record in enumerate(value["chat_messages"]):
        at = f"{where} chat_messages[{i}]".strip()
        key = record.get("uuid") if isinstance(record, dict) else None
        key = key if isinstance(key, str) and key else f"message {i}"
        if isinstance(record, dict) and key not in records:
            records[key] = (at, record)
        else:
            again = isinstance(record, dict)
            report.pass_over(
                "a message with the uuid of one before it" if again else f"{kind_of(record)}, no message", at
            )
    order = {key: (moment(record.get("created_at")), place) for place, (key, (_, record)) in enumerate(records.items())}
    current = value.get("current_leaf_message_uuid")
    found = paths(_parents(records), order.__getitem__, current if isinstance(current, str) else None)
    read = _reader(report)
    messages = [[message for key in path for message in read(key, *records[key])] for path in found]
    on_paths = {key for path in found for key in path}
    for key, (at, _) in records.items():
        if key not in on_paths:
            report.pass_over("a message on a branch older than those offered", at)
    for name, beside in value.items():
        if name not in ABOUT and beside not in NOTHING:
            report.keep(name, where)
    said = {"provider": "anthropic", "model": value.get("model"), "session": value.get("uuid")}
    metadata = {name: held for name, held in said.items() if isinstance(held, str) and held}
    title = value.get("name")
    return with_branches(messages or [[]], title if isinstance(title, str) else "", metadata, report)


def _parents(records: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, str | None]:
    """Message → the one it follows: its parent or, where none is named, the message before it."""
    parents: dict[str, str | None] = {}
    before = None
    for key, (_, record) in records.items():
        named = record.get("parent_message_uuid")
        parents[key] = (named if named in records and named != key else None) if isinstance(named, str) else before
        before = key
    return parents


def _reader(report: Report) -> Callable[[str, str, dict[str, Any]], list[Message]]:
    """Reads one message. Paths share what was read, and it is reported once."""
    known: dict[str, list[Message]] = {}

    def read(key: str, where: str, record: dict[str, Any]) -> list[Message]:
        if key not in known:
            report.records += 1
            known[key] = _read(record, where, report, key)
        return known[key]

    return read


@keep_records
def _read(record: Any, where: str, report: Report, key: str) -> list[Message]:
    """The messages in one: the user's with what is attached, or the model's with its calls' results between."""
    report.leave(record, READ | SHOWN, where)
    sender, text, content = record.get("sender"), record.get("text"), record.get("content")
    role = ROLES.get(sender, sender) if isinstance(sender, str) else ""
    blocks = list(_blocks(content, key)) if isinstance(content, list) else []
    if not isinstance(content, list | None):
        report.warn(f"a content that is {kind_of(content)}", where)
    if not any(block.get("type") != "text" or block.get("text") for block in blocks) and isinstance(text, str) and text:
        for block in blocks:
            report.leave(block, {"type", "text", "citations"}, where)
        blocks = [{"type": "text", "text": text}]
    names, attached, media = _attachments(record, where, report)
    blocks += [{"type": "text", "text": held} for held in attached]
    time = iso_time(record.get("created_at"))
    made = [Message(role)] if not blocks and media else read_turn(role, blocks, where, report)
    if names or media:
        last = made[-1]
        made[-1] = replace(last, media=last.media + media, metadata={**last.metadata, "attachments": names})
    sent = [m for m in made if m.content or m.tool_calls or m.media or m.role == "tool"]
    if not sent and any(m.metadata.get("thinking") for m in made):
        report.warn("a reply of nothing but thinking, which isn't sent again", where)
    ids = [key] if len(sent) == 1 else [f"{key}/{k}" for k in range(len(sent))]
    return [replace(m, id=own, timestamp=time) for m, own in zip(sent, ids, strict=True)]


def _blocks(content: list[Any], key: str) -> Iterator[dict[str, Any]]:
    """The blocks of a message without what is for the screen. Calls without an id get one, which their results name."""
    waiting: list[str] = []
    for k, given in enumerate(content):
        if not isinstance(given, dict):
            yield {"type": "text", "text": given} if isinstance(given, str) else {"type": kind_of(given)}
            continue
        block = {name: held for name, held in given.items() if name not in SHOWN_OF_BLOCK}
        if given.get("type") == "tool_use":
            if not isinstance(given.get("id"), str) or not given["id"]:
                block["id"] = f"{key}/call {k}"
            waiting.append(block["id"])
        elif given.get("type") == "tool_result":
            named = given.get("tool_use_id")
            block["tool_use_id"] = named if isinstance(named, str) and named else next(iter(waiting), "")
            waiting = [call for call in waiting if call != block["tool_use_id"]]
            if isinstance(held := block.get("content"), list):
                block["content"] = [_result_part(part) for part in held]
        yield block


def _result_part(part: Any) -> Any:
    """A part of a result; a page that was found is its title, address and text."""
    if not isinstance(part, dict) or part.get("type") not in ("text", "knowledge", "rich_link"):
        return part
    said = [part.get(name) or "" for name in ("title", "url", "text")]
    if not all(isinstance(held, str) for held in said):
        return part
    return {name: held for name, held in part.items() if name not in OF_PAGE} | {
        "type": "text",
        "text": join_texts(said),
    }


def _attachments(record: dict[str, Any], where: str, report: Report) -> tuple[list[str], list[str], tuple[str, ...]]:
    """Names of what is attached, the texts extracted from it, and the media of which there is no text."""
    names: list[str] = []
    texts: list[str] = []
    media: list[str] = []
    known: set[str] = set()
    for field in ("attachments", "files", "files_v2"):
        for item in record[field] if isinstance(record.get(field), list) else ():
            if not isinstance(item, dict):
                report.warn(f"{field} that hold {kind_of(item)}", where)
                continue
            name, held = str(item.get("file_name") or ""), item.get("extracted_content")
            own = str(item.get("file_uuid") or item.get("id") or "")
            if own and own in known:
                continue  # files_v2 repeats files
            known.add(own)
            names += [name] if name else []
            if isinstance(held, str) and held:
                texts.append(held)
            else:
                image = item.get("file_kind") == "image" or name.lower().endswith(IMAGES)
                media.append("image" if image else "file")
    return names, texts, tuple(media)
