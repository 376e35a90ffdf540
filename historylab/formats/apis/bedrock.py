"""Bedrock's Converse API, and the sessions of Strands agents, which hold its messages: parts without a type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import list_in, object_in
from historylab.formats.messages.paths import holds
from historylab.formats.messages.secrets_beside import without_secrets
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

SHAPE = Shape.of(
    {
        "items": "messages",
        "role": ["role", "message.role"],
        "parts": ["content", "message.content"],
        "kind": "",
        "kinds": {
            "text": {"text": "text"},
            "toolUse": {"call": {"id": "toolUse.toolUseId", "name": "toolUse.name", "arguments": "toolUse.input"}},
            "toolResult": {
                "result": {
                    "id": "toolResult.toolUseId",
                    "text": ["toolResult.content.text", "toolResult.content.json", "toolResult.content"],
                }
            },
            "reasoningContent": {"thinking": "reasoningContent.reasoningText.text"},
            "image": {"media": "image.format"},
            "document": {"label": "document.name"},
            "video": {"media": "video.format"},
            "cachePoint": None,
            "guardContent": {"text": "guardContent.text.text"},
        },
        "time": "created_at",
        "id": "message_id",
        "model": "modelId",
        "tools": "toolConfig.tools",
        "usage": {
            "input": ["usage.inputTokens", "message.metadata.usage.inputTokens"],
            "output": ["usage.outputTokens", "message.metadata.usage.outputTokens"],
            "cache_reads": ["usage.cacheReadInputTokens", "message.metadata.usage.cacheReadInputTokens"],
            "cache_writes": ["usage.cacheWriteInputTokens", "message.metadata.usage.cacheWriteInputTokens"],
        },
    }
)
OWN_PARTS = ("toolUse.toolUseId", "toolResult.toolUseId", "reasoningContent.reasoningText", "cachePoint")
OWN_FIELDS = ("inferenceConfig", "toolConfig", "additionalModelRequestFields", "guardrailConfig", "system.text")
MESSAGE_FILE = re.compile(r"(.*agent_[^/]*/messages/message_)(\d+)\.json$")


def looks_like_converse(content: Content) -> float:
    """0.95 for parts that only this API has, 0.9 for a body with its own fields, beside texts without a type."""
    values = [value for _, value in content.values[:40] if isinstance(value, dict) and "messages" in value]
    if any(holds(value, {f"messages.content.{part}": () for part in OWN_PARTS}) for value in values):
        return 0.95
    named = (v for v in values if holds(v, dict.fromkeys(OWN_FIELDS, ())) and holds(v, {"messages.content.text": ()}))
    return 0.9 if any(not holds(value, {"messages.content.type": ()}) for value in named) else 0


@register(
    "format",
    title="Bedrock Converse",
    recognise=looks_like_converse,
    marks="inferenceConfig toolConfig modelId",
    source="botocore, bedrock-runtime 2023-09-30, Converse",
    checked="traceloop/openllmetry, packages/opentelemetry-instrumentation-bedrock/tests/traces/cassettes",
)
def bedrock(content: Content, report: Report) -> Iterator[Conversation]:
    """Requests of Bedrock's Converse API, each a conversation, with the answer that stands beside."""
    for where, value in content.values:
        if not isinstance(value, dict):
            report.skip("no body of a request", where)
            continue
        system = list_in(value, "system")
        answer = object_in(value, "response") or value
        said = object_in(object_in(answer, "output"), "message")
        messages = [{"role": "system", "content": system}] if system else []
        messages += list_in(value, "messages") + ([{**said, "usage": answer.get("usage")}] if said else [])
        found = read_shaped(SHAPE, [(where, {**value, "messages": messages})], report)
        yield from without_secrets(found, report)


def is_session_message(content: Content) -> float:
    """1 for a message that Strands stored."""
    given = content.values[0][1] if len(content.values) == 1 else None
    stored = isinstance(given, dict) and {"message", "message_id", "created_at"} <= given.keys()
    return 1 if stored and holds(given, {"message.role": ("user", "assistant")}) else 0


@register(
    "format",
    title="Strands session",
    recognise=is_session_message,
    marks="message_id redact_message",
    source="strands-agents/sdk-python, src/strands/session/file_session_manager.py, v1.62",
    checked="a session that strands-agents 1.62 itself wrote",
)
def strands(content: Content, report: Report) -> Iterator[Conversation]:
    """The messages of a Strands agent, each in a file; of a folder those of one agent are one conversation."""
    found = MESSAGE_FILE.match(content.name)
    names = [name for name in content.siblings if found and name.startswith(found[1])] or [content.name]
    messages: list[Any] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        beside = content if name == content.name else Content(content.siblings[name], name)
        content.taken.add(name)
        try:
            messages += [value for _, value in beside.values]
        except LoadError:
            report.skip("a message that is no JSON", name)
    yield from read_shaped(SHAPE, [("", {"messages": messages})], report)
