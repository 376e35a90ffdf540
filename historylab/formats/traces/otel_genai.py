"""OpenTelemetry GenAI spans: `gen_ai.*` attributes, with their older spellings.

Messages stand in `gen_ai.input.messages` and `gen_ai.output.messages` (as JSON text or structured), before 1.37 in
events (`gen_ai.user.message` …, on the span or as logs), in OpenLLMetry's `gen_ai.prompt.0.role` …, or in the AI SDK's
`ai.prompt.messages`. Source: open-telemetry/semantic-conventions-genai; OpenLLMetry's semantic conventions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import PARAMETERS, TOOLS
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.provider_cuts import COMPACTED
from historylab.formats.traces.agent_steps import ToolRun, ToolRuns, TracedCall, whole_requests
from historylab.formats.traces.attributes import Attributes
from historylab.formats.traces.calls import conversations_of, model_of, provider_of, usage_by, warn_of_failure
from historylab.formats.traces.logged import INSTRUCTIONS, OTHER_ANSWERS, logged_answer, logged_input, prompt_text
from historylab.formats.traces.messages import messages_in
from historylab.formats.traces.parts import Histories
from historylab.formats.traces.rows import LOOKED_AT
from historylab.formats.traces.spans import Span, conversation_keys, spans_in
from historylab.registry import register

PREFIXES = ("gen_ai.", "ai.prompt", "llm.request.")
CALLS = {"chat", "generate_content", "text_completion", "completion", "responses", "message", "generate"}
AGENTS = {"invoke_agent", "invoke_workflow"}
INPUT = ("gen_ai.input.messages", "gen_ai.request.messages", "ai.prompt.messages", "gen_ai.prompt", "llm.prompts")
OUTPUT = ("gen_ai.output.messages", "gen_ai.response.messages", "gen_ai.completion", "llm.completions")
SESSIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "langsmith.trace.session_id",
)
USAGE = {
    "prompt_tokens": "gen_ai.usage.input_tokens gen_ai.usage.prompt_tokens llm.usage.prompt_tokens"
    " ai.usage.inputTokens ai.usage.promptTokens",
    "completion_tokens": "gen_ai.usage.output_tokens gen_ai.usage.completion_tokens llm.usage.completion_tokens"
    " ai.usage.outputTokens ai.usage.completionTokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_read_input_tokens"
    " gen_ai.usage.input_tokens.cached gen_ai.usage.cached_tokens gen_ai.usage.details.cache_read_tokens"
    " gen_ai.usage.details.cache_read_input_tokens ai.usage.cachedInputTokens",
    "cache_creation_tokens": "gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_write.input_tokens"
    " gen_ai.usage.cache_creation_input_tokens gen_ai.usage.input_tokens.cache_write"
    " gen_ai.usage.details.cache_write_tokens gen_ai.usage.details.cache_creation_input_tokens",
}
"""Count as Chat Completions calls it → the attributes that hold it."""

REQUEST = "temperature top_p top_k max_tokens seed frequency_penalty presence_penalty stop_sequences reasoning.level"
PARAMETER_NAMES = {name: f"gen_ai.request.{name}" for name in REQUEST.split()}
ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
SAID = ("gen_ai.content.prompt", "gen_ai.content.completion")
DETAILS = "gen_ai.client.inference.operation.details"
REPEATED = "an agent's span, whose messages its model calls have"


def has_genai_spans(content: Content) -> float:
    """0.9 for spans of which any has GenAI attributes or events; 0.5 for other OTLP, so that it is named."""
    for span in spans_in(content, most=LOOKED_AT):
        if span.attributes.any_below(*PREFIXES) or any(name.startswith("gen_ai.") for name, _ in span.events):
            return 0.9
    return 0.5 if any("resourceSpans" in value for _, value in content.values if isinstance(value, dict)) else 0


@register("format", title="OpenTelemetry GenAI spans", recognise=has_genai_spans, marks="resourceSpans scopeSpans")
def otel_genai(content: Content, report: Report) -> Iterator[Conversation]:
    """Spans of model calls by OpenTelemetry's GenAI conventions, each with the history it was sent."""
    found = [(span, _kind(span)) for span in _join_events(spans_in(content, report))]
    spans = [span for span, _ in found]
    called = {span.trace for span, kind in found if kind == "call"}
    prompts = {span.id: _instructions(span.attributes) for span, kind in found if kind != "call"}
    calls, histories = [], Histories()
    for (span, kind), key in zip(found, conversation_keys(spans, SESSIONS), strict=True):
        if kind == "call" or (kind == "agent" and span.trace not in called):
            request = _request(span, key, histories, report)
            if not prompt_length(request.messages):
                request.messages = [*prompts.get(span.parent, ()), *request.messages]
            calls.append(TracedCall(request, span.trace, span.parent))
        else:
            report.pass_over(REPEATED if kind == "agent" else "a span that is no model call", span.where)
    yield from conversations_of(whole_requests(calls, ToolRuns(filter(None, map(_run, spans)))), report)


def _run(span: Span) -> ToolRun | None:
    said, names = span.attributes, ("name", "call.arguments", "call.result", "call.id")
    name, given, came, id = (said.raw(f"gen_ai.tool.{each}") for each in names)
    return ToolRun(span.trace, str(name or span.name), given, came, str(id)) if came is not None else None


def _join_events(spans: Iterator[Span]) -> Iterator[Span]:
    """Each span once, with the events that were logged apart from it."""
    known: dict[tuple[str, str], Span] = {}
    for span in spans:
        first = known.setdefault((span.trace, span.id or span.where), span)
        if first is not span:
            first.events += span.events
    yield from known.values()


def _kind(span: Span) -> str:
    operation = span.attributes.text("gen_ai.operation.name")
    of_agent = span.name.startswith("ai.") and not span.name.endswith((".doGenerate", ".doStream"))
    of_agent = of_agent or operation in AGENTS
    if operation and not of_agent:
        return "call" if operation in CALLS else ""
    holds = span.attributes.raw(*INPUT, *OUTPUT) or any(n in ROLES or n in (*SAID, DETAILS) for n, _ in span.events)
    if of_agent:
        return "agent" if holds else ""
    return "call" if holds or usage_by(span.attributes.get, USAGE) else ""


def _request(span: Span, key: str, histories: Histories, report: Report) -> Exchange:
    said, own = span.attributes, report.apart()
    details = next((attributes for name, attributes in span.events if name == DETAILS), None)
    if details and not said.raw(*INPUT, *OUTPUT):
        said = Attributes({**said.given, **details.given})
    warn_of_failure(span.failed, span.where, report)
    sent, answers = _messages(said, span, histories, own)
    if not sent and not answers:
        sent, answers = _of_events(_events(span), own, span.where)
    if said.get("gen_ai.conversation.compacted") is True:
        answers = [replace(m, metadata={**m.metadata, COMPACTED: True}) for m in answers]
    return Exchange(
        _instructions(said) + sent,
        answers,
        key,
        usage_by(said.get, USAGE),
        _about(said),
        span.started,
        span.ended,
        where=span.where,
        report=own,
    )


def _messages(
    said: Attributes, span: Span, histories: Histories, report: Report
) -> tuple[list[Message], list[Message]]:
    given, where = said.raw(*INPUT), f"{span.where} input"
    sent = histories.read(given, report, where) if isinstance(given, str) else None
    if sent is None:
        sent = logged_input(_records(unpack_json(given)), report, where).messages
    output = _records(said.get(*OUTPUT))
    several = isinstance(output, list) and all(isinstance(o, dict) and "finish_reason" in o for o in output)
    if several and len(output) > 1:
        report.warn(OTHER_ANSWERS, span.where)
        output = output[:1]
    return sent, logged_answer(output or _answer_of_ai_sdk(said), report, f"{span.where} output")


def _records(given: Any) -> Any:
    """Messages that were flattened into attributes; one without a role is an item of a list."""
    is_item = isinstance(given, dict) and "content" in given and given.keys().isdisjoint(("messages", "role"))
    return [given] if is_item else given


def _answer_of_ai_sdk(said: Attributes) -> dict[str, Any] | None:
    text, calls = said.given.get("ai.response.text"), said.get("ai.response.toolCalls")
    return None if text is None and not isinstance(calls, list) else {"text": text or "", "toolCalls": calls}


def _events(span: Span) -> list[tuple[str, Attributes]]:
    """The span's events, or those that an attribute lists (Logfire, Pydantic AI)."""
    listed = span.attributes.get("events", "all_messages_events")
    found = [Attributes(event) for event in listed if isinstance(event, dict)] if isinstance(listed, list) else []
    return span.events + [(event.text("event.name"), event) for event in found]


def _of_events(events: list[tuple[str, Attributes]], report: Report, where: str) -> tuple[list[Message], list[Message]]:
    sent: list[dict[str, Any]] = []
    answers: list[Any] = []
    for name, event in events:
        inner = unpack_json(event.given.get("gen_ai.event.content"))
        body: dict[str, Any] = {**event.given, **(inner if isinstance(inner, dict) else {})}
        if name in ROLES:
            sent.append(_said_in_event(body, ROLES[name]))
        elif name == "gen_ai.choice":
            message = unpack_json(body.get("message"))
            answers.append(_said_in_event(message if isinstance(message, dict) else body, "assistant"))
        elif name in SAID:
            given = event.get("gen_ai.prompt", "gen_ai.completion")
            if name == SAID[0]:
                return logged_input(_records(given), report, where).messages, _of_events(events[1:], report, where)[1]
            answers.append(given if isinstance(given, str) else _records(given))
    if len(answers) > 1:
        report.warn(OTHER_ANSWERS, where)
    return messages_in(sent, report, where), logged_answer(answers[0], report, where) if answers else []


def _said_in_event(body: dict[str, Any], role: str) -> dict[str, Any]:
    record = {"role": body.get("role") or role, "content": body.get("content")}
    if calls := unpack_json(body.get("tool_calls")):
        record["tool_calls"] = calls
    if role == "tool" and (call := body.get("id") or body.get("tool_call_id")):
        record["tool_call_id"] = call
    if not isinstance(record["content"], str | list | None):
        record["content"] = prompt_text(record["content"]) or str(record["content"])
    return record


def _instructions(said: Attributes) -> list[Message]:
    text = prompt_text(said.get(*INSTRUCTIONS))
    return [Message("system", text)] if text else []


def _about(said: Attributes) -> dict[str, Any]:
    tools = said.get("gen_ai.tool.definitions", "llm.request.functions", "ai.prompt.tools", "gen_ai.request.tools")
    parameters = {name: value for name, given in PARAMETER_NAMES.items() if (value := said.get(given)) is not None}
    about = model_of(said.get("gen_ai.response.model"), said.get("gen_ai.request.model"), said.get("ai.model.id"))
    return {
        **about,
        **provider_of(said.get("gen_ai.provider.name", "gen_ai.system")),
        **({TOOLS: [unpack_json(tool) for tool in tools]} if isinstance(tools, list) else {}),
        **({PARAMETERS: parameters} if parameters else {}),
    }
