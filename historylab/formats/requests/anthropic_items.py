"""A message of Anthropic's API as messages of ours: each result, each summary of ours, and what is said around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.anthropic_blocks import (
    CALLS,
    TOOL_CHANGES,
    block_runs,
    block_text,
    directs,
    read_run,
    text_block,
)
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.requests.form import STRICT, call_records, fields_of

ROLES = ("user", "assistant", "system")
THOUGHTS = ("thinking", "redacted_thinking")
Block = dict[str, Any]


def runs_in(item: Any) -> tuple[str, list[list[Any]]]:
    """The role of an item, and the blocks of each message in it."""
    fields = fields_of(item)
    role, content = fields.get("role"), fields.get("content")
    if role not in ROLES:
        raise LoadError("no role" if not role else f"a role {str(role)[:40]!r}, which this API doesn't have")
    if isinstance(content, str):
        return role, [[content]]
    if content is None and directs(role, fields):
        return role, [[]]
    if not isinstance(content, list | tuple):
        raise LoadError(f"content is {kind_of(content)}, not text or a list of blocks")
    return role, block_runs(role, [as_block(block) for block in content])


def messages_from_item(item: Any) -> list[Message]:
    """The messages of an item."""
    role, runs = runs_in(item)
    return [_message_of(item, role, run, place, len(runs)) for place, run in enumerate(runs)]


def messages_as_sent(item: Any) -> list[Message]:
    """The messages of an item, a summary in a user's with its mark."""
    messages = messages_from_item(item)
    if item_role(item) == "system":
        return messages
    return [replace(m, content=mark_summary(m.content)) if m.role == "system" else m for m in messages]


def item_role(item: Any) -> Any:
    """The role of an item: "system" is said in its place among the others, from Claude Opus 4.8 on."""
    return fields_of(item).get("role")


def as_block(given: Any) -> Any:
    """A block as dicts; a text as it is."""
    if isinstance(given, str):
        return given
    block = fields_of(given)
    content = block.get("content")
    if isinstance(content, list | tuple) and any(type(part) not in (dict, str) for part in content):
        return {**block, "content": [part if isinstance(part, str) else fields_of(part) for part in content]}
    return block


def _message_of(item: Any, role: str, run: list[Any], place: int, of: int) -> Message:
    """The message that a run of an item's blocks is."""
    message = read_run(role, run, "", STRICT)
    fields: dict[str, Any] = {"role": message.role}
    if message.role == "tool":
        fields |= {"tool_call_id": message.tool_call_id, "content": run[0].get("content") or ""}
    else:
        spoken = message.role == role and run != [message.content]
        fields["content"] = _spoken_blocks(run) if spoken else message.content
    if message.tool_calls:
        fields["tool_calls"] = call_records(message)
    directive = role == "system" and directs(role, fields_of(item))
    return replace(message, pinned=directive, source=Excerpt(fields, (item,), place, of))


def _spoken_blocks(run: list[Any]) -> list[Block]:
    """What is said in a run: its texts and media."""
    texts = [(block, block_text(block)) for block in run if isinstance(block, str) or not is_apart(block)]
    return [block if text is None else text_block(text) for block, text in texts]


def is_apart(block: Block) -> bool:
    return block.get("type") in (*CALLS, *THOUGHTS, *TOOL_CHANGES)
