"""Sessions whose records form a tree, as Claude Code and its relatives write them: records in, conversations out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeGuard

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.recorded import SIDECHAIN
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.branching import with_branches
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.fields import object_in, objects_under, text_in
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.products.session_attachments import is_known, prompt_in, sent_content
from historylab.formats.products.session_cuts import session_cuts
from historylab.formats.products.session_messages import ReadRecords, record_reader
from historylab.formats.products.session_tree import SessionRecord, Tree, is_boundary, trees
from historylab.formats.titles import opening

ROLES = ("user", "assistant")
NOTICE = "an error notice of the program"
NO_MESSAGES = {
    "agent-color", "agent-name", "agent-setting", "ai-title", "artifact-autoreact-ledger", "artifact-comment-monitor",
    "atis-latch", "attribution-snapshot", "bridge-session", "content-replacement", "cost-state", "custom-title",
    "dev-mods", "file-history-delta", "file-history-snapshot", "fork-context-ref", "frame-link", "last-prompt",
    "launched", "mode", "permission-mode", "pr-link", "progress", "queue-operation", "rate_limit_event", "relocated",
    "result", "started", "stream_event", "summary", "system", "tag", "task-summary", "tool_progress", "worktree-state",
}  # fmt: skip
"""Types of records that Claude Code writes beside its messages."""
TITLES = {
    "custom-title": ("customTitle", "sessionId"),
    "ai-title": ("aiTitle", "sessionId"),
    "summary": ("summary", "leafUuid"),
}
"""Type of a record that names a session → its fields with the title, and with the id of which one."""


def read_sessions(records: list[tuple[str, Any]], report: Report, provider: str) -> Iterator[Conversation]:
    """The conversations of located records, sub-agents after what called them."""
    made = list(_tree_records(records, report))
    prompts = {record.side: _prompt(record) for record in made if prompt_in(record.value)}
    found = list(trees(made))
    titles, tools = _titles(records), _tools(records)
    for tree in sorted(found, key=lambda tree: bool(tree.newest[0].side)):  # subagents after what called them
        read = record_reader(report)
        lead = [prompts[side]] if (side := tree.newest[0].side) in prompts else []
        groups = [[*lead, *read(path)] for path in (tree.newest, *tree.others)]
        paths = [pair_by_order([message for _, made in each for message in made]) for each in groups]
        metadata = _metadata(tree, provider) | ({"tools": tools} if tools else {})
        sent = [session_cuts(*each, report.format) for each in zip(groups, paths, strict=True)]
        yield with_provider_cuts(with_branches(paths, _title(tree, paths[0], titles), metadata, report, sent))
        for record in tree.aside:
            report.pass_over("a record on a branch older than those offered", record.where)


def _prompt(record: SessionRecord) -> ReadRecords:
    """The system prompt of a conversation, before all that is said; the last that was sent counts."""
    return [SessionRecord(record.where, record.value, False, -1)], [Message("system", prompt_in(record.value))]


def _tree_records(records: list[tuple[str, Any]], report: Report) -> Iterator[SessionRecord]:
    """The records of the tree; those that were sent as no message, or are duplicates, are reported."""
    seen: set[Any] = set()
    for position, (where, value) in enumerate(records):
        uuid = (text_in(value, "uuid") or "") if isinstance(value, dict) else ""
        if is_boundary(value) or prompt_in(value):
            report.records += 1
            report.keep("compactions" if is_boundary(value) else "system prompts", where)
            yield SessionRecord(where, value, False, position)
            continue
        usable = has_content(value) and not value.get("isApiErrorMessage")
        rides = not usable and isinstance(value, dict) and sent_content(value) is not None
        key = (uuid or _identity(value)) if usable or rides else None
        if key in seen:
            report.pass_over(f"a record with the {'uuid' if uuid else 'role, text and time'} of one before it", where)
            continue
        if key:
            seen.add(key)
        if not usable and not rides:
            reason, known = _problem(value)
            (report.pass_over if known else report.skip)(reason, where)
        if usable or uuid:
            yield SessionRecord(where, value, usable, position, rides)


def _identity(value: dict[str, Any]) -> tuple[str, str, str] | None:
    """Type, time and words, which tell a copied record from one that says the same again; None without a time."""
    time, said = value.get("timestamp"), [value.get(key) for key in ("message", "attachment", "content")]
    return (value["type"], time, json.dumps(said)) if isinstance(time, str) and time else None


def _problem(value: Any) -> tuple[str, bool]:
    """The reason that nothing is read from a record, and whether that is known to be right."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return "a record without a type" if isinstance(value, dict) else f"{kind_of(value)}, not a record", False
    if kind == "attachment":
        name = object_in(value, "attachment").get("type")
        return f"an attachment without words that were sent ({str(name)[:40]})", is_known(value)
    if kind not in ROLES:
        subtype = text_in(value, "subtype") if kind == "system" else None
        also = "" if subtype is None else f" ({subtype[:40]})"
        return f"{_a(kind[:40])} record{also}, not a message", kind in NO_MESSAGES
    if not _has_message(value):
        return f"{_a(kind)} record whose message is {kind_of(value.get('message'))}", False
    return (NOTICE, True) if has_content(value) else (f"{_a(kind)} record without content", False)


def _titles(records: list[tuple[str, Any]]) -> dict[tuple[str, str], str]:
    """(The kind of a record that names a session, which one) → the title; the last one counts."""
    found: dict[tuple[str, str], str] = {}
    for _, value in records:
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind in TITLES:
            title, named = TITLES[kind]
            if (given := text_in(value, title)) and given.strip():
                found[kind, str(value.get(named))] = given
    return found


def _title(tree: Tree, messages: list[Message], titles: dict[tuple[str, str], str]) -> str:
    last = tree.newest[-1]
    if last.side:
        return f"Subagent: {opening(next((m.content for m in messages if m.role == 'user' and not m.injected), ''))}"
    named = [("custom-title", str(last.session)), ("ai-title", str(last.session))]
    named += [("summary", text_in(record.value, "uuid") or "") for record in reversed(tree.newest)]
    return next((titles[name] for name in named if name in titles), "")


def _tools(records: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The definitions of the session's tools, if a record holds them and not only their names."""
    held = [value.get("attachment", value) for _, value in records if isinstance(value, dict)]
    given = [each for each in held if isinstance(each, dict) and isinstance(each.get("tools"), list)]
    tools = objects_under(given[-1], "tools") if given else []
    return [tool["schema"] if isinstance(tool.get("schema"), dict) else tool for tool in tools]


def _metadata(tree: Tree, provider: str) -> dict[str, Any]:
    last = tree.newest[-1]
    found = {"session": last.session, "version": last.value.get("version"), "agent": last.value.get("agentId")}
    found["call"] = last.value.get("parent_tool_use_id")
    spoken = (record.value["message"] for record in reversed(tree.newest) if record.usable)
    usage = next((held for message in spoken if isinstance(held := message.get("usage"), dict)), {})
    tier = text_in(usage, "service_tier")
    found |= {"parameters": None if tier is None else {"service_tier": tier}, SIDECHAIN: bool(last.side)}
    return {"provider": provider} | {k: v for k, v in found.items() if v}


def _a(kind: str) -> str:
    return f"{'an' if kind.startswith(('a', 'e', 'i', 'o')) else 'a'} {kind}"


def has_content(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is a record that holds a message."""
    return _has_message(value) and isinstance(value["message"].get("content"), str | list)


def _has_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ROLES and isinstance(value.get("message"), dict)
