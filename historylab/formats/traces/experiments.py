"""Logs of tools that trace and score experiments: Braintrust's spans, Weave's calls, promptfoo's results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import object_in, text_in
from historylab.formats.traces.calls import CallNames
from historylab.formats.traces.rows import object_rows, row_recogniser
from historylab.registry import register

SPANS = CallNames(
    input="input",
    output="output",
    key="metadata.session_id metadata.thread_id metadata.conversation_id root_span_id",
    model="metadata.model",
    provider="metadata.provider",
    started="metrics.start created",
    ended="metrics.end",
    parameters="metadata",
    counts={
        "prompt_tokens": "metrics.prompt_tokens",
        "completion_tokens": "metrics.completion_tokens",
        "cached_tokens": "metrics.prompt_cached_tokens",
        "cache_creation_tokens": "metrics.prompt_cache_creation_tokens",
    },
)
CALLS = CallNames(
    input="inputs",
    output="output",
    key="attributes.session_id thread_id trace_id",
    model="output.model inputs.model",
    started="started_at",
    ended="ended_at",
    parameters="inputs",
    usage="usage",
)
RESULTS = CallNames(
    input="prompt.raw prompt",
    output="response.output",
    key="id place",
    model="model",
    counts={
        "prompt_tokens": "response.tokenUsage.prompt",
        "completion_tokens": "response.tokenUsage.completion",
        "cached_tokens": "response.tokenUsage.cached",
    },
)
WAYS = ("chat", "completion", "messages", "responses", "converse", "text-generation")
"""Ways to ask a provider, which may stand before the model in promptfoo's id of it."""


def _is_span(row: dict[str, Any]) -> bool:
    return isinstance(row.get("span_attributes"), dict) and "root_span_id" in row


def _is_weave_call(row: dict[str, Any]) -> bool:
    return isinstance(row.get("op_name"), str) and isinstance(row.get("inputs"), dict) and "started_at" in row


def _is_result(row: dict[str, Any]) -> bool:
    return "promptIdx" in row and "testIdx" in row and isinstance(row.get("response"), dict)


@register(
    "format",
    title="Braintrust spans",
    recognise=row_recogniser(_is_span),
    marks="span_attributes root_span_id",
    source="Braintrust's API reference, project logs",
    checked="braintrustdata/braintrust-sdk-javascript, e2e/scenarios/anthropic-instrumentation/__snapshots__"
    " (what its spans log, without their places)",
)
def braintrust(content: Content, report: Report) -> Iterator[Conversation]:
    """Braintrust's logged spans: each model call with the history it was sent."""
    rows = object_rows(content, report)
    return SPANS.conversations(rows, report, lambda row: _is_span(row) and row["span_attributes"].get("type") == "llm")


@register(
    "format",
    title="Weave calls",
    recognise=row_recogniser(_is_weave_call),
    marks="op_name started_at inputs",
    source="wandb/weave, trace_server_interface, CallSchema",
)
def weave(content: Content, report: Report) -> Iterator[Conversation]:
    """Weave's calls: those of a model, which have usage of their own, each with the history it was sent."""
    rows = [(where, {**row, "usage": _usage(row)}) for where, row in object_rows(content, report)]
    above = {text_in(row, "parent_id") for _, row in rows if row["usage"]}
    return CALLS.conversations(rows, report, lambda row: row["usage"] and text_in(row, "id") not in above)


@register(
    "format",
    title="promptfoo results",
    recognise=row_recogniser(_is_result),
    marks="promptIdx testIdx response",
    source="promptfoo/promptfoo, results, version 3",
    checked="promptfoo/promptfoo, bedrock-working-test-results.json (of 0.119.9)",
)
def promptfoo(content: Content, report: Report) -> Iterator[Conversation]:
    """promptfoo's results: each prompt with its answer."""
    rows = (
        (where, {**row, "model": _model(row.get("provider")), "place": where})
        for where, row in object_rows(content, report)
    )
    return RESULTS.conversations(rows, report, _is_result)


def _usage(row: dict[str, Any]) -> Any:
    """The counts of a call, which stand under the name of its model."""
    return next(iter(object_in(object_in(row, "summary"), "usage").values()), None)


def _model(provider: Any) -> str:
    """The model in a provider's id ("openai:chat:gpt-4o", "bedrock:amazon.nova-micro-v1:0")."""
    given = provider.get("id") if isinstance(provider, dict) else provider
    if not isinstance(given, str):
        return ""
    named = given.partition(":")[2] or given
    way, _, rest = named.partition(":")
    return rest if rest and way in WAYS else named
