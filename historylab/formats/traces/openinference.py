"""OpenInference spans, as Phoenix and Arize export them: `llm.input_messages`, `llm.token_count.*` and others.

Attributes may be flattened ("llm.input_messages.0.message.role"), nested, or dotted columns of a table. Source: the
OpenInference specification, semantic conventions and LLM spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.recorded import PARAMETERS, TOOLS
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, unpack_json
from historylab.formats.traces.agent_steps import ToolRun, ToolRuns, TracedCall, whole_requests
from historylab.formats.traces.attributes import Attributes, unflatten
from historylab.formats.traces.calls import conversations_of, logged_call, model_of, provider_of, usage_by
from historylab.formats.traces.rows import LOOKED_AT
from historylab.formats.traces.spans import Span, conversation_keys, spans_in
from historylab.registry import register

KIND = "openinference.span.kind"
KINDS = {"LLM", "CHAIN", "AGENT", "TOOL", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT"}
SESSIONS = ("session.id", "metadata.session_id", "metadata.thread_id")
USAGE = {
    "prompt_tokens": "llm.token_count.prompt",
    "completion_tokens": "llm.token_count.completion",
    "cached_tokens": "llm.token_count.prompt_details.cache_read llm.token_count.prompt_details.cache_input",
    "cache_creation_tokens": "llm.token_count.prompt_details.cache_write",
}
MEDIA = {"image": "image_url", "audio": "input_audio", "file": "file"}
OF_CALLS = ("llm.input_messages", "llm.token_count.")
"""Beginnings of the names of attributes that model calls have."""


def has_openinference_spans(content: Content) -> float:
    """1 for spans of which any has OpenInference's attributes."""
    spans = spans_in(content, most=LOOKED_AT)
    return 1 if any(_kind(span) or span.attributes.any_below(*OF_CALLS) for span in spans) else 0


@register("format", title="OpenInference spans", recognise=has_openinference_spans, marks="openinference.span.kind")
def openinference(content: Content, report: Report) -> Iterator[Conversation]:
    """Spans of model calls by OpenInference's conventions (Phoenix, Arize), each with the history it was sent."""
    spans = list(spans_in(content, report))
    called = {span.trace for span in spans if _is_call(span)}
    traced = []
    for span, key in zip(spans, conversation_keys(spans, SESSIONS), strict=True):
        whole = span.trace not in called and not span.parent and span.attributes.get("input.value")
        if whole or _is_call(span):
            traced.append(TracedCall(_request(span, key, report), span.trace, span.parent))
        else:
            report.pass_over(f"a span of kind {_kind(span) or 'none'}, no model call", span.where)
    yield from conversations_of(whole_requests(traced, ToolRuns(filter(None, map(_run, spans)))), report)


def _run(span: Span) -> ToolRun | None:
    said, name = span.attributes, span.attributes.text("tool.name") or span.name
    given, came = said.raw("input.value"), said.raw("output.value")
    return ToolRun(span.trace, name, given, came) if _kind(span) == "TOOL" and came is not None else None


def _kind(span: Span) -> str:
    kind = span.attributes.text(KIND).upper()
    return kind if kind in KINDS else ""


def _is_call(span: Span) -> bool:
    kind = _kind(span)
    return kind == "LLM" or (not kind and span.attributes.any_below(*OF_CALLS))


def _request(span: Span, key: str, report: Report) -> Exchange:
    said = span.attributes
    given, answered = _records(said.get("llm.input_messages")), _records(said.get("llm.output_messages"))
    given, answered = given or said.get("input.value"), answered or said.get("output.value")
    call = logged_call(given, answered, span.where, report, span.failed)
    call.conversation, call.usage, call.about = key, usage_by(said.get, USAGE), {**call.about, **_about(said)}
    call.started, call.ended = span.started, span.ended
    return call


def _records(given: Any) -> Any:
    """The messages as Chat Completions has them."""
    return [_record(item) for item in given if isinstance(item, dict)] if isinstance(given, list) else None


def _record(item: dict[str, Any]) -> dict[str, Any]:
    inner = item.get("message")
    fields = inner if isinstance(inner, dict) else unflatten({k.removeprefix("message."): v for k, v in item.items()})
    record = {
        name: fields[name] for name in ("role", "content", "name", "tool_call_id") if fields.get(name) is not None
    }
    if isinstance(contents := unpack_json(fields.get("contents")), list):
        record["content"] = [_part(part) for part in contents if isinstance(part, dict)]
    calls = unpack_json(fields.get("tool_calls"))
    if isinstance(calls, list) and calls:
        record["tool_calls"] = [_call(call) for call in calls if isinstance(call, dict)]
    elif fields.get("function_call_name"):
        arguments = fields.get("function_call_arguments_json")
        record["function_call"] = {"name": fields["function_call_name"], "arguments": arguments}
    return {"role": "assistant" if record.get("role") in (None, "model") else record.pop("role"), **record}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    said = Attributes(part)
    kind = said.text("message_content.type") or "text"
    if kind in MEDIA:
        return {"type": MEDIA[kind]}
    return {"type": kind, "text": said.given.get("message_content.text") or said.text("message_content.text")}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    said = Attributes(call)
    function = {"name": said.get("tool_call.function.name"), "arguments": said.get("tool_call.function.arguments")}
    return {"id": said.get("tool_call.id"), "function": function}


def _about(said: Attributes) -> dict[str, Any]:
    held = [Attributes(one).get("tool.json_schema") for one in as_list(said.get("llm.tools")) if isinstance(one, dict)]
    parameters = said.get("llm.invocation_parameters")
    model = parameters.get("model") if isinstance(parameters, dict) else None
    return {
        **model_of(said.get("llm.model_name"), model),
        **provider_of(said.get("llm.provider", "llm.system")),
        **({TOOLS: [tool for tool in held if tool]} if any(held) else {}),
        **({PARAMETERS: parameters} if isinstance(parameters, dict) else {}),
    }
