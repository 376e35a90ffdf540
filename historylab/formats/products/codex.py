"""Codex: rollout files, JSON Lines of `{timestamp, type, payload}`; older ones have bare items, or are one object.

Only response items are what was sent: events repeat them for the screen, but hold the usage and what was taken back.
Source: the rollout protocol in Codex's repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import words_of_person
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import with_branches
from historylab.formats.messages.record_groups import located_items
from historylab.formats.products.codex_session import CodexSession
from historylab.formats.sub_agents import agent_named
from historylab.formats.titles import opening
from historylab.registry import register

ID = re.compile(r"[\w-]{1,80}")
KINDS = {"session_meta", "response_item", "turn_context", "event_msg", "compacted"}
STATES = {
    "world_state": "a snapshot of the surroundings",
    "inter_agent_communication": "a note on another agent",
    "inter_agent_communication_metadata": "a note on another agent",
}
"""Type of a line that is known to hold no message → what it is."""
HEADER = {"id", "timestamp", "instructions"}  # keys of the first line of older files, which has no type


def looks_like_codex(content: Content) -> float:
    """1 for a rollout's lines, or the first line of an older one."""
    found = [value for _, value in _lines(content.values)]
    return 1 if any(_is_wrapped(value) or _is_header(value) or _is_state(value) for value in found) else 0


def find_spawned_files(path: Path, conversations: Sequence[Conversation]) -> Iterator[Path]:
    """The rollouts of a session's sub-agents in its folder, whose names end with their ids."""
    named = (agent_named(m) for one in conversations for m in one if m.role == "tool")
    for agent in dict.fromkeys(name for name in named if ID.fullmatch(name)):
        yield from (beside for beside in sorted(path.parent.glob(f"rollout-*-{agent}.jsonl")) if beside != path)


@register("format", title="Codex", recognise=looks_like_codex, marks="payload timestamp", beside=find_spawned_files)
def codex(content: Content, report: Report) -> Iterator[Conversation]:
    """Codex sessions as they stood last, with what was sent after a compaction; what was taken back is a branch."""
    session = CodexSession(report)
    for where, value in _lines(content.values):
        kind, payload, time = _unwrap(value)
        if kind == "session_meta" and session.is_over(payload):
            yield _conversation(session, report)
            session = CodexSession(report)
        if kind == "session_meta" and isinstance(payload, dict):
            session.begin(payload, where)
        elif kind == "response_item":
            session.add(payload, where, time)
        elif kind == "turn_context" and isinstance(payload, dict):
            session.set_context(payload)
        elif kind == "event_msg" and isinstance(payload, dict):
            session.take_event(payload, where, time)
        elif kind == "token_usage_record" and isinstance(payload, dict):
            session.take_usage_record(payload)
        elif kind == "compacted" and isinstance(payload, dict):
            session.compact(payload, where, time)
        elif kind in STATES or _is_state(value):
            report.pass_over(STATES.get(kind, "a state line of the program"), where)
        else:
            report.skip(f"{kind_of(value)}, not a record" if not kind else _problem(kind, payload), where)
    yield _conversation(session, report)


def _conversation(session: CodexSession, report: Report) -> Conversation:
    found, sent = session.paths()
    asked = filter(None, (words_of_person(m) for m in found[0] if m.role == "user"))
    return with_branches(found, opening(next(asked, "")), session.metadata, report, sent)


def _lines(values: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Every line; the items of an older file that is one object."""
    for where, value in values:
        if isinstance(value, dict) and isinstance(value.get("session"), dict) and isinstance(value.get("items"), list):
            yield where, {"type": "session_meta", "payload": value["session"]}
            yield from located_items([(f"{where} items".strip(), value["items"])])
        else:
            yield from located_items([(where, value)])


def _unwrap(value: Any) -> tuple[str, Any, Any]:
    """The kind of a line, its payload and its time."""
    if isinstance(value, dict) and "payload" in value and isinstance(value.get("type"), str):
        return value["type"], value["payload"], value.get("timestamp")
    if _is_header(value):
        return "session_meta", value, None
    return ("" if not isinstance(value, dict) or _is_state(value) else "response_item"), value, None


def _problem(kind: str, payload: Any) -> str:
    return f"a {kind} line whose payload is {kind_of(payload)}" if kind in KINDS else f"a line of type {kind[:40]!r}"


def _is_wrapped(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) and "payload" in value else None
    return isinstance(kind, str) and kind in KINDS


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= HEADER and not value.keys() & {"type", "role", "messages"}


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and value.get("record_type") == "state"
