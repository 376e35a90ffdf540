"""Content blocks of Anthropic's Messages API and of logs of it: text, thinking, media, calls and results.

Results stand in user messages, those of the server's own tools inside the answer; here each is a message of its own.
Source: the Messages API reference, content blocks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message, ToolCall, revise
from historylab.formats.base import NOTHING, Losses, Report, kind_of
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.content_parts import MEDIA, json_text, spaced_json
from historylab.formats.messages.fields import text_in
from historylab.formats.messages.kept_records import parts_beside
from historylab.formats.messages.provider_cuts import COMPACTION
from historylab.formats.messages.summary_marks import unmark_summary
from historylab.formats.messages.walker import said_in, table_of, walk_parts, words_in
from historylab.formats.messages.written import object_arguments

CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
TOOL_CHANGES = ("tool_addition", "tool_removal")
"""Blocks of a system message among the others that say which tools the model has from there on."""
RESULT = "tool_result"  # and, of tools that the server runs, web_search_tool_result and others that end so
OPAQUE = ("encrypted_content", "encrypted_index", "encrypted_stdout")
LABELS = {"type", "cache_control", "citations", "caller", "signature"}  # nothing that is said
OF_BLOCK = ("type", "text", "source", "title", "context")  # fields of what a user says that are sent
SOURCES = {"type", "source", "title", "context", "file_id", "image_url", "detail", "cache_control", "citations"}
READ_OF_RESULT = LABELS | {"tool_use_id", "content", "is_error", "name", "server_name"}
READ_OF_CALL = LABELS | {"id", "name", "input", "server_name"}


def is_result(block: Any) -> TypeGuard[dict[str, Any]]:
    """Whether it is the result of a call, of the caller's tools or the server's own."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and kind.endswith(RESULT)


def directs(role: str, message: Mapping[str, Any]) -> bool:
    """Tell whether a message says how the model goes on, by more than a text: its tools, its effort."""
    if role != "system":
        return False
    content = message.get("content")
    blocks = content if isinstance(content, list | tuple) else ()
    return bool(message.get("output_config")) or any(
        isinstance(block, Mapping) and block.get("type") in TOOL_CHANGES for block in blocks
    )


def read_turn(role: str, content: Any, where: str, report: Report) -> list[Message]:
    """The messages in one message's content: text or blocks. Results come before the text of a user that gives them.

    The one that is no result comes last; it has the thinking in its metadata. Warns of what isn't read.
    """
    if not isinstance(content, str | list | None):
        report.lack(f"a content that is {kind_of(content)}", where)
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    return [read_run(role, run, where, report) for run in block_runs(role, blocks)]


def block_runs(role: str, blocks: list[Any], is_result: Callable[[Any], bool] = is_result) -> list[list[Any]]:
    """The blocks of each message in a content: a result, a summary of ours, what was said around; at least one run."""
    if len(blocks) < 2:  # as most contents
        return [blocks]
    runs: list[list[Any]] = []
    said: list[Any] = []
    for block in sorted(blocks, key=lambda block: not is_result(block)) if role == "user" else blocks:
        if not is_result(block) and summary_in(role, [block]) is None:
            said.append(block)
            continue
        runs += [said, [block]] if said else [[block]]
        said = []
    return [*runs, said] if said or not runs else runs


def read_run(role: str, run: list[Any], where: str, report: Report) -> Message:
    """The message that one run is, with the run where it says more."""
    summary = summary_in(role, run)
    if summary is not None:
        return Message("system", summary)
    given, before = bool(run) and is_result(run[0]), report.warned
    message = _result(run[0], where, report) if given else _read_spoken(role, run, where, report)
    if not message.media and report.warned == before:
        return message
    return revise(message, source={**run[0], "role": "tool"} if given else {"role": role, "content": run})


def summary_in(role: str, run: list[Any]) -> str | None:
    """The summary of ours that a run of a user's is, as a list of messages without a system prompt holds it."""
    if role != "user" or len(run) != 1:
        return None
    text = run[0].get("text") if isinstance(run[0], dict) else run[0]
    return unmark_summary(text) if isinstance(text, str) else None


def call_in_block(part: dict[str, Any]) -> ToolCall:
    """A `tool_use` block as a call; its input becomes JSON text."""
    return ToolCall(text_in(part, "id") or "", text_in(part, "name") or "", spaced_json(part.get("input"), "{}"))


def to_blocks(message: Message, losses: Losses) -> list[dict[str, Any]]:
    """A message's blocks: its text, unless it is nothing but spaces, and its calls; or its result."""
    held = media_blocks(message)
    if message.role == "tool":
        content = message.content if held is None else held
        found: dict[str, Any] = {"type": RESULT, "tool_use_id": message.tool_call_id, "content": content}
        return [{**found, "is_error": True} if message.metadata.get("is_error") is True else found]
    said = held or ([text_block(message.content)] if message.content.strip() else [])
    losses.lose("texts of nothing but spaces", bool(message.content) and not said)
    return said + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": object_arguments(call, losses)}
        for call in message.tool_calls
    ]


def media_blocks(message: Message) -> list[dict[str, Any]] | None:
    """The blocks of what a user's message or a result says, its media among them; None where they aren't held."""
    if message.role not in ("user", "tool"):
        return None
    blocks = [
        {name: block[name] for name in OF_BLOCK if name in block}
        for block in parts_beside(message, "content")
        if isinstance(block, dict) and (isinstance(block.get("source"), dict) or str(block.get("text", "")).strip())
    ]
    return blocks if blocks and said_in(blocks, "type", SHOWN) == (message.content, message.media) else None


def text_block(text: str) -> dict[str, Any]:
    """A text as a block."""
    return {"type": "text", "text": text}


def content_of(blocks: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """The content that these blocks are: a single text as such."""
    alone = blocks[0] if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} else None
    return alone["text"] if alone else blocks


def block_text(block: str | dict[str, Any]) -> str | None:
    """The text that a block is read as; None for one that isn't."""
    if isinstance(block, str):
        return block
    field = {"text": "text", COMPACTION: "content"}.get(str(block.get("type")), "")
    return text_in(block, field) if field else _document_text(block)


def _read_spoken(role: str, blocks: list[Any], where: str, report: Report) -> Message:
    """The message that these blocks are, none of which is a result."""
    said = AnswerParts(role=role)
    if any(map(_is_compaction, blocks)):
        blocks = sorted(blocks, key=lambda block: not _is_compaction(block))  # as it stands for what is before it
    walk_parts(blocks, "type", DIRECTING if role == "system" else KINDS, said, where, report)
    if role not in ROLE_CODES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    message = said.messages()[0]
    if not (message.content or message.media or message.tool_calls or message.metadata.get("thinking")):
        report.warn("empty content", where)
    return message


def _add_call(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    report.leave(block, READ_OF_CALL, where)
    for name in ("id", "name"):
        if not isinstance(block.get(name), str):
            report.lack(f"a {block['type']} whose {name} is {kind_of(block.get(name))}", where)
    said.call(call_in_block(block))


def _add_compaction(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    report.leave(block, LABELS | {"content"}, where)
    summary = block.get("content")
    if summary is None:
        report.warn("a compaction of the provider's that failed, which changes nothing", where)
        return
    if not isinstance(summary, str | list):
        report.lack(f"a part of type {COMPACTION!r} not read", where)
        return
    said.say(words_in(summary)[0])
    said.metadata = {COMPACTION: True}
    report.warn("a summary the provider made, which from there on it reads in place of what came before", where)


def _is_compaction(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == COMPACTION


def _add_tool_change(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    report.leave(block, LABELS | {"tool"}, where)
    said.say(json_text({name: value for name, value in block.items() if name != "cache_control"}))


def _add_redacted(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    report.warn("redacted thinking, which only the provider can read", where)


def _add_source(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """Add a medium; a document or a search result that is given as text is sent as such."""
    kind, text = block["type"], _document_text(block)
    if kind in MEDIA:
        report.leave(block, SOURCES, where)
    if text is not None:
        said.say(text)
    elif kind in MEDIA:
        said.attach(MEDIA[kind])
    else:
        report.lack(f"a part of type {kind!r} not read", where)


SHOWN = table_of({"text": {"text": "text"}, **dict.fromkeys((*MEDIA, "search_result"), _add_source)}, LABELS)
"""Blocks of a result."""
KINDS = {
    **SHOWN,
    **table_of({"thinking": {"thinking": "thinking"}}, LABELS),
    **dict.fromkeys(CALLS, _add_call),
    "redacted_thinking": _add_redacted,
    COMPACTION: _add_compaction,
}
DIRECTING = {**KINDS, **dict.fromkeys(TOOL_CHANGES, _add_tool_change)}
"""Blocks of a system message."""


def _result(block: dict[str, Any], where: str, report: Report) -> Message:
    """One result: its content may be text, blocks, or, of a server's tool, anything."""
    content, call, own = block.get("content"), text_in(block, "tool_use_id"), block["type"] == RESULT
    if own and content not in NOTHING and not isinstance(content, str | list):
        report.lack(f"a tool result whose content is {kind_of(content)}", where)
    if not (
        content in NOTHING or isinstance(content, str) or (isinstance(content, list) and own) or _is_blocks(content)
    ):
        content = json.dumps(_readable(content, where, report), ensure_ascii=False)
    said = AnswerParts()
    walk_parts(content if isinstance(content, list) else [content or ""], "type", SHOWN, said, where, report)
    report.leave(block, READ_OF_RESULT, where)
    if not call:
        report.lack("a call or result without an id, paired in order", where)
    metadata: dict[str, Any] = {"is_error": True} if block.get("is_error") is True else {}
    if not own:
        metadata["server_tool"] = True
    return Message("tool", "\n".join(said.texts), tool_call_id=call, media=tuple(said.media), metadata=metadata)


def _document_text(block: dict[str, Any]) -> str | None:
    """The text of a document or a search result that is given as text."""
    source = block.get("source")
    if block.get("type") == "search_result":
        held = block.get("content")
    elif block.get("type") == "document" and isinstance(source, dict) and source.get("type") in ("text", "content"):
        held = source.get("data", source.get("content"))
    else:
        return None
    found = said_in(held if isinstance(held, list) else [held], "type", SHOWN) if isinstance(held, str | list) else None
    return found[0] if found and not found[1] else None


def _readable(value: Any, where: str, report: Report) -> Any:
    """A result without what only the provider can read."""
    if isinstance(value, list):
        return [_readable(item, where, report) for item in value]
    if not isinstance(value, dict):
        return value
    if any(value.get(name) for name in OPAQUE):
        report.warn("encrypted content of a result, which only the provider can read", where)
    return {name: _readable(held, where, report) for name, held in value.items() if name not in OPAQUE}


def _is_blocks(content: Any) -> bool:
    kinds = ("text", "image", "document")
    return isinstance(content, list) and all(isinstance(b, dict) and b.get("type") in kinds for b in content)
