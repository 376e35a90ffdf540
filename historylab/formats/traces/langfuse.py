"""Langfuse: traces and sessions with their observations, batch exports, and rows of the blob storage export.

The API and downloads write camel case, blob rows snake case. `input` and `output` are whatever the application logged.
Source: Langfuse's API reference and blob storage export field reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import PARAMETERS, TOOLS
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.paths import holds, value_at
from historylab.formats.messages.usage import to_usage
from historylab.formats.traces.agent_steps import ToolRun, ToolRuns, TracedCall, whole_requests
from historylab.formats.traces.attributes import DEEPEST, Attributes
from historylab.formats.traces.calls import conversations_of, logged_call, model_of, read_count
from historylab.formats.traces.logged import INSTRUCTIONS, logged_answer, logged_input, prompt_text, usage_given
from historylab.formats.traces.nested_calls import without_doubles
from historylab.formats.traces.rows import rows_in, sampled_rows
from historylab.formats.traces.spans import time_of
from historylab.registry import register

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
CALLS = ("GENERATION",)
TYPES = (*CALLS, "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL")
HELD = ("observations", "traces")
ABOVE = "a model call whose answer only the agent above it holds"
LEFT_OUT = re.compile(r"<?truncated|too large", re.IGNORECASE)


def looks_like_langfuse(content: Content) -> float:
    """1 for a trace with observations, 0.9 for rows of observations or traces."""
    rows = sampled_rows(content)
    if any(holds(row, {"observations.type": TYPES, "traces.observations.type": TYPES}) for row in rows):
        return 1
    return 0.9 if any(_is_observation(row) or _is_session(row) for row in rows) else 0


@register(
    "format",
    title="Langfuse traces",
    recognise=looks_like_langfuse,
    marks="observations traceId",
    source="Langfuse's API reference and blob storage export",
    checked="langfuse/langfuse, worker/src/__tests__/chatml/framework-traces (twenty traces, each with its golden; "
    "ten of them rebuilt with shorter texts)",
)
def langfuse(content: Content, report: Report) -> Iterator[Conversation]:
    """Langfuse traces, sessions and observations: each generation with the history it was sent."""
    found = [item for where, row in rows_in(content) for item in _rows(row, where, {}, report)]
    generated = {_trace(row) for _, row in found if row.get("type") in CALLS}
    above, steps, of = _Observations(row for _, row in found), [], dict[int, dict[str, Any]]()
    for where, row in found:
        if row.get("type") in CALLS or (row.get("type") is None and _text(row.get("id")) not in generated):
            request = _request(row, where, report)
            request.messages = [*above.prompt_of(row, request.messages), *request.messages]
            of[id(request)] = row
            steps.append(
                TracedCall(request, _trace(row), _text(row.get("parent_observation_id")), _text(row.get("id")))
            )
        elif row.get("type") is not None:
            report.pass_over(f"an observation of type {str(row['type'])[:20]}, no model call", where)
    requests = whole_requests(without_doubles(steps, report), above.runs)
    newest = {_trace(of[id(request)]): request for request in requests if request.messages}
    for request in newest.values():
        if not request.answer and (answer := above.answer_of(of[id(request)])):
            request.answer = answer
            report.warn(ABOVE, request.where)
    yield from conversations_of(requests, report)


@lru_cache(maxsize=1_024)
def _snake_case(name: str) -> str:
    return CAMEL.sub("_", name).lower()


def _rows(row: Any, where: str, around: dict[str, Any], report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    """The row with snake-case names, after those nested in it; each knows its trace's session."""
    if not isinstance(row, dict):
        report.skip(f"{kind_of(row)}, not an object", where)
        return
    fields = {_snake_case(name): value for name, value in row.items()}
    if isinstance(trace := fields.pop("trace", None), dict):
        trace = {**trace, **{name: fields.pop(name) for name in HELD if name in fields}}
        yield from _rows(trace, where, around, report)
        return
    here = {"session_id": fields.get("session_id") or around.get("session_id") or around.get("of_session")}
    if "traces" in fields:
        here["of_session"] = fields.get("id")
    for name in HELD:
        if not isinstance(held := fields.pop(name, None), list | None):
            report.warn(f"{name} that are {kind_of(held)}, not read", where)
        elif held:
            for i, item in enumerate(held):
                inner = {**here, **({"trace_id": fields.get("id")} if name == "observations" else {})}
                yield from _rows(item, f"{where} {name}[{i}]".strip(), inner, report)
    if here.get("of_session") is None:
        yield where, {**around, **fields, "session_id": here["session_id"]}


class _Observations:
    """The observations of a file, for what a model call leaves to those around it: its prompt, and results of tools."""

    def __init__(self, rows: Iterable[dict[str, Any]]):
        self._by_id: dict[str, dict[str, Any]] = {}
        self._sent: dict[str, list[Message]] = {}
        runs = []
        for row in rows:
            self._by_id[_text(row.get("id"))] = row
            if row.get("type") not in CALLS and (came := row.get("output")) is not None:
                labels = f"{row.get('metadata')}"
                runs.append(ToolRun(_trace(row), _text(row.get("name")), row.get("input"), came, labels))
        self.runs = ToolRuns(runs)

    def prompt_of(self, row: dict[str, Any], sent: Sequence[Message]) -> list[Message]:
        """The system prompt that a call was sent and doesn't hold: in its attributes, or what the agent above has."""
        if not sent or sent[0].role == "system":
            return []
        if text := _instructions(row):
            return [Message("system", text)]
        for above in map(self._sent_to, self._above(row)):
            if any((m.role, m.content) == (sent[0].role, sent[0].content) for m in above):
                return above[: prompt_length(above)]
        return []

    def answer_of(self, row: dict[str, Any]) -> list[Message]:
        """The answer to the last call of an agent, where only the agent's observation holds it."""
        above = self._above(row) if row.get("level") != "ERROR" else ()
        answers = (logged_answer(each.get("output"), Report(), "") for each in above)
        return next(filter(None, answers), [])

    def _above(self, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The observations that one is in, the inner first."""
        for _ in range(DEEPEST):
            row = self._by_id.get(_text(row.get("parent_observation_id")), {})
            yield row

    def _sent_to(self, row: dict[str, Any]) -> list[Message]:
        """The messages of an observation that begin with a system prompt; none without."""
        id = _text(row.get("id"))
        if id not in self._sent:
            given, text = row.get("input"), _instructions(row)
            read = logged_input(given, Report(), "").messages if text or '"system' in json_text(given) else []
            prompt = [Message("system", text)] if text and prompt_length(read) == 0 else []
            self._sent[id] = [*prompt, *read] if prompt or prompt_length(read) else []
        return self._sent[id]


def _instructions(row: dict[str, Any]) -> str:
    """The instructions in the attributes of the span that an observation was."""
    if "system_instruction" not in f"{row.get('metadata')}":
        return ""
    metadata = unpack_json(row["metadata"])
    attributes = unpack_json(metadata.get("attributes")) if isinstance(metadata, dict) else None
    return prompt_text(Attributes(attributes).get(*INSTRUCTIONS)) if isinstance(attributes, dict) else ""


def _request(row: dict[str, Any], where: str, report: Report) -> Exchange:
    for name in ("input", "output"):
        if isinstance(row.get(name), str) and len(row[name]) < 200 and LEFT_OUT.match(row[name]):
            report.warn(f"an {name} that was left out of the export for its size", where)
            row[name] = None
    failed = str(row.get("status_message") or "error") if row.get("level") == "ERROR" else ""
    call = logged_call(row.get("input"), row.get("output"), where, report, failed)
    parameters, tools = unpack_json(row.get("model_parameters")), unpack_json(row.get("tool_definitions"))
    if isinstance(tools, dict):  # by name
        tools = [unpack_json(tool) for tool in tools.values()]
    call.about = {
        **call.about,
        **model_of(*(row.get(name) for name in ("provided_model_name", "model", "internal_model_id"))),
        **({PARAMETERS: parameters} if isinstance(parameters, dict) and parameters else {}),
        **({TOOLS: tools} if isinstance(tools, list) and tools else {}),
    }
    call.conversation, call.usage = _text(row.get("session_id")) or _trace(row), _usage(row)
    call.started = time_of(value_at(row, ("start_time", "timestamp", "created_at")))
    call.ended = time_of(row.get("end_time"))
    return call


def _usage(row: dict[str, Any]) -> dict[str, int] | None:
    """Langfuse's own counts (input without what was cached), else the provider's as they were logged."""
    details = unpack_json(row.get("usage_details")) or unpack_json(row.get("usage"))
    given = {str(name): read_count(n) for name, n in details.items()} if isinstance(details, dict) else {}
    if not any(given.values()):
        of = {"input": "prompt_tokens", "output": "completion_tokens"}
        given = {name: read_count(row.get(f"{name}_usage", row.get(f"{name}_tokens"))) for name in of}
        given = {name: count or read_count(row.get(of[name])) for name, count in given.items()}
    if not {"input", "output"} & given.keys():
        return to_usage(given) or to_usage(usage_given(row.get("output")))
    cached = {name: count for name, count in given.items() if "cache" in name}
    writes = {name: n for name, n in cached.items() if "creation" in name or "write" in name}
    return to_usage(
        {
            "input_tokens": given.get("input", 0),
            "output_tokens": given.get("output", 0),
            "cache_read_input_tokens": sum(n for name, n in cached.items() if name not in writes),
            "cache_creation_input_tokens": sum(writes.values()),
            "ephemeral_1h_input_tokens": sum(n for name, n in writes.items() if "1h" in name),
        }
    )


def _trace(row: dict[str, Any]) -> str:
    return _text(row.get("trace_id")) or _text(row.get("id"))


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _is_observation(row: dict[str, Any]) -> bool:
    return row.get("type") in TYPES and bool({"trace_id", "traceId", "start_time", "startTime"} & row.keys())


def _is_session(row: dict[str, Any]) -> bool:
    """A session with its traces, or a trace by itself, of which only what went in and came out is known."""
    held = row.get("traces")
    if isinstance(held, list):
        return any(isinstance(trace, dict) and ("sessionId" in trace or "input" in trace) for trace in held)
    return row.keys() >= {"input", "output"} and bool({"sessionId", "traceId", "trace_id", "htmlPath"} & row.keys())
