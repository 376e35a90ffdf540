"""Antigravity's transcripts, whose steps name no call: each is put in its place and given the call that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import objects_under
from historylab.formats.messages.paths import Located, holds
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.records import RECORD
from historylab.registry import register

SPEAKERS = {"USER_INPUT": "user", "PLANNER_RESPONSE": "assistant", "NOTIFY_USER": "assistant"}
OF_PROGRAM = {
    *("CHECKPOINT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "KNOWLEDGE_ARTIFACTS", "SYSTEM_MESSAGE"),
    *("ERROR_MESSAGE", "TASK_BOUNDARY"),
}
SHAPE = replace(
    RECORD,
    text=("content.text", "content"),
    time="created_at",
    id="step_index",
    calls={**RECORD.calls, "items": "tool_calls", "arguments": "args"},
    usage="usage",
)
MARKS = (
    {"step_index": ()},
    {"source": ("USER_EXPLICIT", "MODEL")},
    {"type": ("USER_INPUT", "PLANNER_RESPONSE")},
)
TOLD = {"type", "source", "status"}
"""Fields that say who speaks, and that a step is done."""


def looks_like_steps(content: Content) -> float:
    """1 for steps of users and models."""
    steps = [value for _, value in content.values[:40]]
    return 1 if all(any(holds(step, mark) for step in steps) for mark in MARKS) else 0


@register(
    "format",
    title="Antigravity",
    recognise=looks_like_steps,
    marks="step_index source",
    source="kenn-io/agentsview, internal/parser/antigravity_brain_transcript.go (2026)",
    checked="getagentseal/codeburn, tests/fixtures/antigravity-cli-current (two records)",
)
def antigravity(content: Content, report: Report) -> Iterator[Conversation]:
    """Plain transcripts of Antigravity's conversations."""
    yield from read_shaped(SHAPE, _with_calls(sorted(content.values, key=_place)), report)


def _place(located: Located) -> int:
    index = located[1].get("step_index") if isinstance(located[1], dict) else None
    return index if type(index) is int else -1


def _with_calls(steps: list[Located]) -> list[Located]:
    """The steps, each with its speaker, and each result with the call it answers."""
    found, calls, results = list[Located](), list[dict[str, Any]](), list[tuple[str, dict[str, Any]]]()
    for where, value in steps:
        if not isinstance(value, dict):
            found.append((where, value))
            continue
        step = {name: held for name, held in value.items() if name not in TOLD} | {"role": _speaker(value)}
        if made := objects_under(value, "tool_calls"):
            _pair(calls, results)
            calls = [{**call, "id": call.get("id") or f"{_place((where, value))}-{k}"} for k, call in enumerate(made)]
            step["tool_calls"], results = [*calls], []
        elif step["role"] == "tool":
            results.append((str(value.get("type")).lower(), step))
        found.append((where, step))
    _pair(calls, results)
    return found


def _speaker(step: dict[str, Any]) -> str:
    kind, source = step.get("type"), step.get("source")
    if source == "SYSTEM" or (isinstance(kind, str) and kind in OF_PROGRAM):
        return "system"
    return SPEAKERS.get(kind, "tool") if isinstance(kind, str) else ""


def _pair(calls: list[dict[str, Any]], results: list[tuple[str, dict[str, Any]]]) -> None:
    """Give each result the call of its name, and the others, in their order, the calls left."""
    for kind, result in results:
        if call := next((call for call in calls if _is_named(call.get("name"), kind)), None):
            calls.remove(call)
            result["answers"] = call["id"]
    rest = [result for _, result in results if "answers" not in result]
    for result, call in zip(rest, calls, strict=False):
        result["answers"] = call["id"]


def _is_named(name: Any, kind: str) -> bool:
    """Tell whether a step's kind says a tool's name, in full or shortened: LIST_DIRECTORY, list_dir."""
    return isinstance(name, str) and bool(name) and (kind.startswith(name) or name.startswith(kind))
