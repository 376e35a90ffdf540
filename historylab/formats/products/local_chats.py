"""Chats of programs on one's own machine that wrap each message: LM Studio's versions, QwenPaw's pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, list_in
from historylab.formats.messages.paths import holds, value_at
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.records import RECORD
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

LM_STUDIO = Shape.of(
    {
        "items": "said",
        "role": "role",
        "roles": {"thinking": "thinking"},
        "parts": "content",
        "kinds": {
            "text": {"text": "text"},
            "file": {"media": "fileType"},
            "toolCallRequest": {
                "call": {"id": ["toolCallRequestId", "callId"], "name": "name", "arguments": "parameters"}
            },
            "toolCallResult": {"result": {"id": ["toolCallRequestId", "toolCallId", "callId"], "text": "content"}},
        },
        "model": ["genInfo.identifier", "sender", "lastUsedModel.identifier"],
        "usage": {"input": "genInfo.stats.promptTokensCount", "output": "genInfo.stats.predictedTokensCount"},
        "title": "name",
    }
)
QWENPAW = replace(
    RECORD,
    items="said",
    name="",
    parts="content",
    kinds={
        "text": {"text": "text"},
        "thinking": {"thinking": "thinking"},
        "tool_use": {"call": {"id": "id", "name": "name", "arguments": "input"}},
        "tool_result": {"result": {"id": "id", "text": "output"}},
        "image": {"media": "type"},
    },
    time="timestamp",
)
NO_WORDS = ("debugInfoBlock", "toolStatus")
"""Steps of LM Studio that say what happened, and nothing to anybody."""


def looks_like_lm_studio(content: Content) -> float:
    """1 for messages of which each has versions."""
    marks = {"messages.versions.role": ("user", "assistant")}
    return 1 if any(holds(value, marks) for _, value in content.values[:40]) else 0


@register(
    "format",
    title="LM Studio",
    recognise=looks_like_lm_studio,
    marks="versions currentlySelected",
    source="LM Studio 0.3, .lmstudio/conversations/*.conversation.json",
)
def lm_studio(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations of LM Studio: of every message the version that is selected."""
    for where, value in content.values:
        if not isinstance(value, dict):
            report.skip("no conversation", where)
            continue
        prompt = value.get("systemPrompt")
        said: list[Any] = [{"role": "system", "content": prompt}] if isinstance(prompt, str) and prompt else []
        for message in list_in(value, "messages"):
            said += _steps(message)
        yield from read_shaped(LM_STUDIO, [(where, {**value, "said": said})], report)


def _steps(message: Any) -> list[Any]:
    """The selected version of a message, one step after another."""
    versions = list_in(message, "versions") if isinstance(message, dict) else []
    chosen = message.get("currentlySelected") if versions else None
    version = versions[chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else 0] if versions else None
    if not isinstance(version, dict) or not isinstance(version.get("steps"), list):
        return [version]
    about = {"role": version.get("role"), "sender": value_at(version, "senderInfo.senderName")}
    steps = (step for step in version["steps"] if value_at(step, "type") not in NO_WORDS)
    return [{**about, **_record_of(step)} if isinstance(step, dict) else step for step in steps]


def _record_of(step: dict[str, Any]) -> dict[str, Any]:
    thinks = {"role": "thinking"} if value_at(step, "style.type") == "thinking" else {}
    return thinks | {key: step[key] for key in ("content", "genInfo") if key in step}


def looks_like_qwenpaw(content: Content) -> float:
    """1 for the memory of an agent, in which each message is paired with its marks."""
    marks = {"agent.memory.content.role": ("user", "assistant")}
    return 1 if any(holds(value, marks) for _, value in content.values[:40]) else 0


@register(
    "format",
    title="QwenPaw",
    recognise=looks_like_qwenpaw,
    marks="memory toolkit",
    source="kenn-io/agentsview, internal/parser/qwenpaw.go (2026)",
    checked="kenn-io/agentsview, internal/parser/testdata/qwenpaw/default/sessions/main_main.json",
)
def qwenpaw(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of QwenPaw, as its agent remembers them."""
    for where, value in content.values:
        pairs = as_list(value_at(value, "agent.memory.content"))
        said = [pair[0] if isinstance(pair, list) and pair else pair for pair in pairs]
        yield from read_shaped(QWENPAW, [(where, {"said": said})], report)
