"""Anthropic Messages refuses: turns, calls and results out of place, texts without any, changed thinking.

Sources, beside its API reference and error messages: system messages among the others,
https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages, those that set no more than the
effort, https://platform.claude.com/docs/en/build-with-claude/effort-per-message; blank texts and empty turns, as
measured in https://github.com/experientiallabs/experiential/pull/804; signatures, as measured in
https://github.com/NousResearch/hermes-agent/pull/24107 (what is left out is taken, what was changed is not); that a
running call keeps its thinking where it is enabled: https://docs.claude.com/en/docs/build-with-claude/extended-thinking.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from historylab.proxy.scripted_upstream.api import RefusedByApi
from historylab.proxy.scripted_upstream.seals import unseal

BEFORE_SYSTEM = re.compile(r"claude-(instant|v?[123]|\w+-[123]\b|\w+-4([-.][0-7])?(-\d{6,}|@|$))")
"""Models from before Opus 4.8, which take no system message among the others."""
PREFILLED = re.compile(r"claude-(instant|[23]|(opus|sonnet|haiku)-4([-.][0-5])?(-\d{8}|@|$))")
"""Models from before 4.6, which go on from an assistant's message at the end."""
MOST_MARKS = 4
OF_SYSTEM: Mapping[str, Sequence[str]] = {
    "tool_addition": ("tool_reference", "mcp_tool_reference", "mcp_toolset_reference", "tool_definition"),
    "tool_removal": ("tool_reference", "mcp_tool_reference", "mcp_toolset_reference"),
}
"""Type of a system message's block that changes tools → types of what it names."""
Blocks = Sequence[Mapping[str, Any]]


def check_messages(body: Mapping[str, Any]) -> None:
    """Raise RefusedByApi for what Anthropic Messages refuses."""
    for field in ("model", "max_tokens", "messages"):
        if body.get(field) is None:
            raise RefusedByApi(f"{field}: Field required")
    messages = body["messages"]
    if not isinstance(messages, list) or not messages:
        raise RefusedByApi("messages: at least one message is required")
    for k, message in enumerate(messages):
        _check_message(k, message, str(body["model"]))
    _check_texts("system", blocks_of(body.get("system")))
    _check_places(messages)
    _check_results(messages)
    _check_end(body)
    _check_marks(body)


def blocks_of(content: Any) -> Blocks:
    """The blocks of a content; a text is one."""
    return content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []


def _check_message(k: int, message: Any, model: str) -> None:
    where, role = f"messages.{k}", message.get("role") if isinstance(message, Mapping) else None
    if role not in ("user", "assistant", "system"):
        raise RefusedByApi(f"{where}.role: Input should be 'user' or 'assistant'")
    if role == "system" and BEFORE_SYSTEM.match(model):
        raise RefusedByApi(f"{where}: role 'system' is not supported on this model")
    known = {"role", "content"} | ({"clear_at", "output_config"} if role == "system" else set())
    if surplus := sorted(message.keys() - known):
        raise RefusedByApi(f"{where}.{surplus[0]}: Extra inputs are not permitted")
    content = message.get("content", [] if _sets_effort(message) else None)
    if not isinstance(content, str | list):
        raise RefusedByApi(f"{where}.content: Field required")
    if not content and role != "assistant" and not _sets_effort(message):
        raise RefusedByApi(f"{where}: {role} messages must have non-empty content")
    if message.get("clear_at", "never") not in ("never", "next_user_message"):
        raise RefusedByApi(f"{where}.clear_at: Input should be 'next_user_message' or 'never'")
    _check_texts(where, blocks_of(content))
    _check_tool_changes(where, role, blocks_of(content))


def _sets_effort(message: Mapping[str, Any]) -> bool:
    return message["role"] == "system" and bool(message.get("output_config"))


def _check_tool_changes(where: str, role: str, blocks: Blocks) -> None:
    for j, block in enumerate(blocks):
        kind, tool = block["type"], block.get("tool")
        named = tool.get("type") if isinstance(tool, Mapping) else None
        if kind in OF_SYSTEM and (role != "system" or named not in OF_SYSTEM[kind]):
            raise RefusedByApi(f"{where}.content.{j}: Input tag '{kind}' found using 'type' does not match")
        if role == "system" and kind not in ("text", *OF_SYSTEM):
            raise RefusedByApi(f"{where}.content.{j}: role 'system' takes text blocks and changes of tools")


def _check_texts(where: str, blocks: Blocks) -> None:
    for block in blocks:
        if block["type"] == "text" and not block["text"].strip():
            fault = "contain non-whitespace text" if block["text"] else "be non-empty"
            raise RefusedByApi(f"{where.partition('.')[0]}: text content blocks must {fault}")


def _check_places(messages: Sequence[Mapping[str, Any]]) -> None:
    """A message that sets no more than the effort stands anywhere, but beside a system message that says more."""
    if messages[0]["role"] != "user":
        raise RefusedByApi('messages: first message must use the "user" role')
    for role, row in groupby(enumerate(messages), lambda numbered: numbered[1]["role"]):
        run = list(row)
        k, end = run[0][0], run[-1][0] + 1
        saying = sum(bool(message.get("content")) for _, message in run) if role == "system" else 0
        around = [messages[k - 1]["role"], *(message["role"] for message in messages[end : end + 1])]
        if saying > 1 or (saying and around not in (["user"], ["user", "assistant"])):
            raise RefusedByApi(
                f"messages.{k}: a 'system' message must follow a user turn, and be last or precede an assistant turn"
            )


def _turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str, Blocks]]:
    """The turns, of which each is one or several messages of a role: its first message, its role, its blocks."""
    said = [(k, message) for k, message in enumerate(messages) if message["role"] != "system"]
    for role, row in groupby(said, lambda numbered: numbered[1]["role"]):
        turn = list(row)
        yield turn[0][0], role, [block for _, message in turn for block in blocks_of(message["content"])]


def _check_results(messages: Sequence[Mapping[str, Any]]) -> None:
    waiting: list[str] = []
    known = Counter[str]()
    for k, role, blocks in _turns(messages):
        kinds = [block["type"] for block in blocks]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if results and (role != "user" or set(results) - set(waiting)):
            strange = next((id for id in results if id not in waiting), results[0])
            raise RefusedByApi(
                f"messages.{k}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {strange}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if len(set(results)) < len(results):
            raise RefusedByApi(f"messages.{k}: each tool_use must have a single result: {results}")
        missing = [id for id in waiting if id not in results]
        if missing or "tool_result" in kinds[len(results) :]:
            raise RefusedByApi(_name_unanswered(k - 1, missing or results))
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        known.update(waiting)
        _check_thinking(k, blocks)
    if waiting:
        raise RefusedByApi(_name_unanswered(len(messages) - 1, waiting))
    if any(count > 1 for count in known.values()):
        raise RefusedByApi("messages: `tool_use` ids must be unique")


def _name_unanswered(k: int, ids: Sequence[str]) -> str:
    return (
        f"messages.{k}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(ids)}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _check_thinking(k: int, blocks: Blocks) -> None:
    for j, block in enumerate(blocks):
        if block["type"] == "thinking" and unseal(block.get("signature")) != block.get("thinking"):
            raise RefusedByApi(f"messages.{k}.content.{j}: Invalid `signature` in `thinking` block")


def _check_end(body: Mapping[str, Any]) -> None:
    *_, (_, role, blocks) = turns = list(_turns(body["messages"]))
    if role == "assistant":
        model = str(body["model"])
        if model.startswith("claude") and not PREFILLED.match(model):
            raise RefusedByApi(
                "This model does not support assistant message prefill. The conversation must end with a user message."
            )
        if blocks and blocks[-1]["type"] == "text" and blocks[-1]["text"] != blocks[-1]["text"].rstrip():
            raise RefusedByApi("messages: final assistant content cannot end with trailing whitespace")
    runs = len(turns) > 1 and any(block["type"] == "tool_result" for block in blocks)
    if runs and (body.get("thinking") or {}).get("type") == "enabled":
        first = turns[-2][2][0]["type"]
        if first not in ("thinking", "redacted_thinking"):
            raise RefusedByApi(
                f"messages.{turns[-2][0]}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                f"`{first}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
            )


def _check_marks(body: Mapping[str, Any]) -> None:
    places = [body, *(body.get("tools") or ()), *blocks_of(body.get("system"))]
    for message in body["messages"]:
        for block in blocks_of(message.get("content")):
            inner = blocks_of(block.get("content")) if block["type"] == "tool_result" else []
            places += [block, *inner]
    marked = sum(bool(place.get("cache_control")) for place in places)
    if marked > MOST_MARKS:
        raise RefusedByApi(f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {marked}.")
