"""Claude.ai's data export, `conversations.json`: conversations of `chat_messages`, whose parents form a tree.

`content` holds what `text` repeats. A turn's calls and their results stand in one message; here each result is one of
its own. The extracted text of attachments was sent, and follows the user's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, revise
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import read_turn, text_block
from historylab.formats.messages.branching import join_texts, with_branches
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.kept_records import keep_others, keep_records
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.shapes.shape import Shape
from historylab.formats.shapes.threads import RecordTree
from historylab.registry import register

TREE = Shape(id="uuid", parent="parent_message_uuid", time="created_at")
ROLES = {"human": "user"}
READ = {"uuid", "sender", "text", "content", "created_at", "parent_message_uuid", "attachments", "files", "files_v2"}
READ |= {"updated_at", "index", "truncated", "stop_reason", "sync_sources", "input_mode", "metadata"}
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
    messages = list_in(value, "chat_messages") if isinstance(value, dict) else []
    return any(isinstance(m, dict) and "sender" in m for m in messages[:20])


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
    tree, known = RecordTree(TREE, rooted=True), set[str]()
    for i, record in enumerate(value["chat_messages"]):
        at = f"{where} chat_messages[{i}]".strip()
        if not isinstance(record, dict):
            report.pass_over(f"{kind_of(record)}, no message", at)
            continue
        key = text_in(record, "uuid") or f"message {i}"
        if key in known:
            report.pass_over("a message with the uuid of one before it", at)
            continue
        known.add(key)
        tree.add(at, record, _read(record, at, report, key))
    keep_others(value, ABOUT, where, report)
    said = {"provider": "anthropic", "model": value.get("model"), "session": value.get("uuid")}
    metadata = {name: held for name, held in said.items() if isinstance(held, str) and held}
    threads = [tree.thread(way) for way in tree.ways([value], report, by_time=True)]
    return with_branches(threads or [[]], text_in(value, "name") or "", metadata, report)


@keep_records
def _read(record: Any, where: str, report: Report, key: str) -> list[Message]:
    """The messages in one: the user's with what is attached, or the model's with its calls' results between."""
    report.records += 1
    report.leave(record, READ, where)
    sender, text, content = record.get("sender"), text_in(record, "text"), list_in(record, "content")
    role = ROLES.get(sender, sender) if isinstance(sender, str) else ""
    if not isinstance(record.get("content"), list | None):
        report.warn(f"a content that is {kind_of(record['content'])}", where)
    blocks = list(_blocks(content, key))
    if text and not any(block.get("type") != "text" or block.get("text") for block in blocks):
        for block in blocks:
            report.leave(block, {"type", "text", "citations"}, where)
        blocks = [text_block(text)]
    names, attached, media = _attachments(record, where, report)
    blocks += map(text_block, attached)
    time = iso_time(record.get("created_at"))
    made = [Message(role)] if not blocks and media else read_turn(role, blocks, where, report)
    if names or media:
        last = made[-1]
        made[-1] = revise(last, media=last.media + media, metadata={**last.metadata, "attachments": names})
    sent = [m for m in made if m.content or m.tool_calls or m.media or m.role == "tool"]
    if not sent and any(m.metadata.get("thinking") for m in made):
        report.warn("a reply of nothing but thinking, which isn't sent again", where)
    ids = [key] if len(sent) == 1 else [f"{key}/{k}" for k in range(len(sent))]
    return [revise(m, id=own, timestamp=time) for m, own in zip(sent, ids, strict=True)]


def _blocks(content: list[Any], key: str) -> Iterator[dict[str, Any]]:
    """The blocks of a message without what is for the screen. Calls without an id get one, which their results name."""
    waiting: list[str] = []
    for k, given in enumerate(content):
        if not isinstance(given, dict):
            yield text_block(given) if isinstance(given, str) else {"type": kind_of(given)}
            continue
        block = {name: held for name, held in given.items() if name not in SHOWN_OF_BLOCK}
        if given.get("type") == "tool_use":
            block["id"] = text_in(given, "id") or f"{key}/call {k}"
            waiting.append(block["id"])
        elif given.get("type") == "tool_result":
            block["tool_use_id"] = text_in(given, "tool_use_id") or next(iter(waiting), "")
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
    return {name: held for name, held in part.items() if name not in OF_PAGE} | text_block(join_texts(said))


def _attachments(record: dict[str, Any], where: str, report: Report) -> tuple[list[str], list[str], tuple[str, ...]]:
    """Names of what is attached, the texts extracted from it, and the media of which there is no text."""
    names, texts, media, known = list[str](), list[str](), list[str](), set[str]()
    for field in ("attachments", "files", "files_v2"):
        for item in list_in(record, field):
            if not isinstance(item, dict):
                report.warn(f"{field} that hold {kind_of(item)}", where)
                continue
            name, held = str(item.get("file_name") or ""), text_in(item, "extracted_content")
            own = str(item.get("file_uuid") or item.get("id") or "")
            if own and own in known:
                continue  # files_v2 repeats files
            known.add(own)
            names += [name] if name else []
            if held:
                texts.append(held)
            else:
                image = item.get("file_kind") == "image" or name.lower().endswith(IMAGES)
                media.append("image" if image else "file")
    return names, texts, tuple(media)
