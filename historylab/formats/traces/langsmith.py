"""LangSmith runs: `run_type`, `inputs`, `outputs`, and the runs they called in `child_runs`.

As a list, JSON lines, one trace, or rows of a bulk export, whose objects are JSON text. Messages are LangChain's, or
what the wrapped client was called with. Source: LangSmith's run data format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.paths import value_at
from historylab.formats.traces.calls import CallNames
from historylab.formats.traces.rows import row_recogniser, rows_in
from historylab.registry import register

CALLS = ("llm", "chat_model")
DEEPEST = 60  # runs nested in each other
THREADS = ("session_id", "thread_id", "conversation_id")
NAMES = CallNames(
    input="inputs",
    output="outputs",
    key="key",
    model="extra.metadata.ls_model_name metadata.ls_model_name",
    provider="extra.metadata.ls_provider metadata.ls_provider",
    started="start_time",
    ended="end_time",
    parameters="extra.invocation_params extra.metadata.ls_invocation_params",
    usage="extra.metadata.usage_metadata",
    counts={
        "prompt_tokens": "prompt_tokens input_tokens",
        "completion_tokens": "completion_tokens output_tokens",
        "cached_tokens": "prompt_token_details.cache_read input_token_details.cache_read",
        "cache_creation_tokens": "prompt_token_details.cache_creation input_token_details.cache_creation",
    },
)


@register(
    "format",
    title="LangSmith runs",
    recognise=row_recogniser(lambda row: "run_type" in row and {"inputs", "outputs", "trace_id"} & row.keys(), 1),
    marks="run_type inputs outputs",
)
def langsmith(content: Content, report: Report) -> Iterator[Conversation]:
    """LangSmith runs: each model call with the history it was sent."""
    runs = [found for where, row in rows_in(content) for found in _runs(row, where, report)]
    return NAMES.conversations(_calls(runs, report), report)


def _calls(runs: list[tuple[str, dict[str, Any]]], report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    """The runs of a model, and of traces that have none those around all others; each with its thread."""
    threads = {_trace(run): key for _, run in runs if (key := _thread(run))}
    called = {_trace(run) for _, run in runs if run.get("run_type") in CALLS}
    seen = set()
    for where, run in runs:
        known = run["id"] if isinstance(run.get("id"), str) else where
        whole = _trace(run) not in called and not run.get("parent_run_id")
        if known in seen:
            report.pass_over("a run that is in the file twice", where)
        elif run.get("run_type") in CALLS or whole:
            yield where, {**run, "key": threads.get(_trace(run), _trace(run))}
        else:
            report.pass_over(f"a run of type {str(run.get('run_type'))[:20]}, no model call", where)
        seen.add(known)


def _runs(run: Any, where: str, report: Report, deep: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(run, dict):
        report.skip(f"{kind_of(run)}, not a run", where)
        return
    yield where, run
    children = unpack_json(run.get("child_runs"))
    if not isinstance(children, list | None):
        report.warn(f"child_runs that are {kind_of(children)}, not a list", where)
    for i, child in enumerate(children if isinstance(children, list) and deep < DEEPEST else ()):
        inner = {**child, "trace_id": child.get("trace_id") or _trace(run)} if isinstance(child, dict) else child
        if isinstance(inner, dict) and not inner.get("parent_run_id"):
            inner["parent_run_id"] = run.get("id") or True
        yield from _runs(inner, f"{where} child_runs[{i}]".strip(), report, deep + 1)


def _trace(run: dict[str, Any]) -> str:
    return str(run.get("trace_id") or run.get("id") or "")


def _thread(run: dict[str, Any]) -> str:
    """The thread that the application named; a run's own `session_id` is its project."""
    extra = unpack_json(run.get("extra"))
    metadata = unpack_json(extra.get("metadata")) if isinstance(extra, dict) else unpack_json(run.get("metadata"))
    found = value_at(metadata, THREADS)
    return found if isinstance(found, str) else ""
