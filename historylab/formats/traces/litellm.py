"""LiteLLM: rows of its spend logs, and StandardLoggingPayload as its callbacks write it.

Rows hold messages and responses only where that was chosen; else they are requests of known size. Source: LiteLLM's
documentation (StandardLoggingPayload, spend logs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.usage import to_usage
from historylab.formats.traces.attributes import Attributes
from historylab.formats.traces.calls import conversations_of, first_of, model_of, provider_of, usage_by
from historylab.formats.traces.logged import about_in, logged_answer, logged_input, usage_given
from historylab.formats.traces.rows import LOOKED_AT, rows_in
from historylab.formats.traces.spans import time_of
from historylab.registry import register

OWN = {"spend", "response_cost", "custom_llm_provider", "model_group", "model_map_information", "cache_hit"}
NEEDED = {"call_type", "startTime"}
PAYLOAD = "standard_logging_object"
NO_CALLS = ("embedding", "image", "transcription", "speech", "moderation", "rerank")
USAGE = {
    "prompt_tokens": "prompt_tokens",
    "completion_tokens": "completion_tokens",
    "cached_tokens": "metadata.additional_usage_values.cache_read_input_tokens cache_read_input_tokens",
    "cache_creation_tokens": "metadata.additional_usage_values.cache_creation_input_tokens cache_creation_input_tokens",
}


def looks_like_litellm(content: Content) -> float:
    """0.95 for rows with a type of call, a time and fields of LiteLLM's own."""
    rows = (_payload(row) for _, row in rows_in(content, LOOKED_AT) if isinstance(row, dict))
    return 0.95 if any(row.keys() >= NEEDED and OWN & row.keys() for row in rows) else 0


@register("format", title="LiteLLM logs", recognise=looks_like_litellm, marks="call_type startTime")
def litellm(content: Content, report: Report) -> Iterator[Conversation]:
    """LiteLLM's logged calls, each with the history it was sent, or only its size."""
    requests = []
    for where, row in rows_in(content):
        if not isinstance(row, dict):
            report.skip(f"{kind_of(row)}, not an object", where)
        elif any(kind in str(row.get("call_type")) for kind in NO_CALLS):
            report.pass_over(f"a call of type {str(row['call_type'])[:30]}, no conversation", where)
        else:
            requests.append(_request(dict(_payload(row)), where, report))
    yield from conversations_of(requests, report)


def _payload(row: dict[str, Any]) -> dict[str, Any]:
    inner = unpack_json(row.get(PAYLOAD))
    return inner if isinstance(inner, dict) else row


def _request(row: dict[str, Any], where: str, report: Report) -> Exchange:
    own, said = report.apart(), Attributes({name: unpack_json(value) for name, value in row.items()})
    body = said.get("proxy_server_request")
    body = body.get("body", body) if isinstance(body, dict) else None
    failed = row.get("status") == "failure" or row.get("error_str")
    if failed:
        report.warn(f"a model call that failed ({str(row.get('error_str') or 'failure')[:60]})", where)
    response = None if failed else said.get("response")
    sent = logged_input(said.get("messages") or body, own, f"{where} messages")
    parameters, asked = said.get("model_parameters"), about_in(body) if isinstance(body, dict) else {}
    about = {**asked, **(about_in(parameters) if isinstance(parameters, dict) else {}), **sent.about}
    get = first_of(row)
    return Exchange(
        sent.messages,
        logged_answer(response, own, f"{where} response"),
        str(said.get("session_id", "metadata.session_id", "trace_id", "litellm_trace_id") or ""),
        to_usage(usage_given(response)) or to_usage(said.get("metadata.usage_object")) or usage_by(said.get, USAGE),
        {**about, **model_of(row.get("model"), about.get("model")), **provider_of(row.get("custom_llm_provider"))},
        time_of(get("startTime", "start_time")),
        time_of(get("endTime", "end_time")),
        where=where,
        report=own,
    )
