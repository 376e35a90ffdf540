"""LiteLLM: rows of its spend logs, and StandardLoggingPayload as its callbacks write it.

Rows hold messages and responses only where that was chosen; else they are requests of known size. Source: LiteLLM's
documentation (StandardLoggingPayload, spend logs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import unpack_json
from historylab.formats.traces.call_names import CallNames
from historylab.formats.traces.calls import conversations_of
from historylab.formats.traces.rows import object_rows, sampled_rows
from historylab.registry import register

OWN = {"spend", "response_cost", "custom_llm_provider", "model_group", "model_map_information", "cache_hit"}
NEEDED = {"call_type", "startTime"}
PAYLOAD = "standard_logging_object"
NO_CALLS = ("embedding", "image", "transcription", "speech", "moderation", "rerank")
NAMES = CallNames(
    input="messages proxy_server_request.body proxy_server_request",
    output="response",
    key="session_id metadata.session_id trace_id litellm_trace_id",
    model="model",
    provider="custom_llm_provider",
    started="startTime start_time",
    ended="endTime end_time",
    parameters="model_parameters proxy_server_request.body proxy_server_request",
    usage="metadata.usage_object",
    counts={
        "prompt_tokens": "prompt_tokens",
        "completion_tokens": "completion_tokens",
        "cached_tokens": "metadata.additional_usage_values.cache_read_input_tokens cache_read_input_tokens",
        "cache_creation_tokens": "metadata.additional_usage_values.cache_creation_input_tokens"
        " cache_creation_input_tokens",
    },
)


def looks_like_litellm(content: Content) -> float:
    """0.95 for rows with a type of call, a time and fields of LiteLLM's own."""
    rows = map(_payload, sampled_rows(content))
    return 0.95 if any(row.keys() >= NEEDED and OWN & row.keys() for row in rows) else 0


@register("format", title="LiteLLM logs", recognise=looks_like_litellm, marks="call_type startTime")
def litellm(content: Content, report: Report) -> Iterator[Conversation]:
    """LiteLLM's logged calls, each with the history it was sent, or only its size."""
    requests = []
    for where, row in object_rows(content, report):
        if any(kind in str(row.get("call_type")) for kind in NO_CALLS):
            report.pass_over(f"a call of type {str(row['call_type'])[:30]}, no conversation", where)
        else:
            failed = _failure(payload := _payload(row))
            answered = {"response": None} if failed else {}
            requests.append(NAMES.exchange_in({**payload, **answered}, where, report, failed))
    yield from conversations_of(requests, report)


def _payload(row: dict[str, Any]) -> dict[str, Any]:
    inner = unpack_json(row.get(PAYLOAD))
    return inner if isinstance(inner, dict) else row


def _failure(row: dict[str, Any]) -> str:
    return str(row.get("error_str") or "failure") if row.get("status") == "failure" or row.get("error_str") else ""
