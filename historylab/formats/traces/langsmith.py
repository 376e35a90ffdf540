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
from historylab.formats.traces.call_names import CallNames
from historylab.formats.traces.calls import conversations_of, first_of
from historylab.formats.traces.rows import rows_in, sampled_rows
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


def has_runs(content: Content) -> float:
    """1 for records with a run type, and inputs or outputs."""
    others = {"inputs", "outputs", "trace_id"}
    return 1 if any("run_type" in row and others & row.keys() for row in sampled_rows(content)) else 0


@register("format", title="LangSmith runs", recognise=has_runs, marks="run_type inputs outputs")
def langsmith(content: Content, report: Report) -> Iterator[Conversation]:
    """LangSmith runs: each model call with the history it was sent."""
    runs = [found for where, row in rows_in(content) for found in _runs(row, where, report)]
    threads = {_trace(run): key for _, run in runs if (key := _thread(run))}
    called = {_trace(run) for _, run in runs if run.get("run_type") in CALLS}
    requests, seen = [], set()
    for where, run in runs:
        known = run["id"] if isinstance(run.get("id"), str) else where
        if known in seen:
            report.pass_over("a run that is in the file twice", where)
            continue
        seen.add(known)
        whole = _trace(run) not in called and not run.get("parent_run_id")
        if run.get("run_type") in CALLS or whole:
            named = {**run, "key": threads.get(_trace(run), _trace(run))}
            requests.append(NAMES.exchange_in(named, where, report, str(run.get("error") or "")))
        else:
            report.pass_over(f"a run of type {str(run.get('run_type'))[:20]}, no model call", where)
    yield from conversations_of(requests, report)


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
    return str(first_of(run)("trace_id", "id") or "")


def _thread(run: dict[str, Any]) -> str:
    """The thread that the application named; a run's own `session_id` is its project."""
    extra = unpack_json(run.get("extra"))
    metadata = unpack_json(extra.get("metadata")) if isinstance(extra, dict) else unpack_json(run.get("metadata"))
    found = first_of(metadata)(*THREADS) if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""
