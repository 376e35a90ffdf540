"""Logs of gateways: Helicone's requests, and LiteLLM's spend logs and StandardLoggingPayload.

Helicone's bodies are the provider's own, as its export tool and its API write them; LiteLLM holds messages and
responses only where that was chosen. Rows without them are requests of known size. Source: Helicone's API reference
(HeliconeRequest) and its export tool; LiteLLM's documentation (StandardLoggingPayload, spend logs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import object_in, unpack_json
from historylab.formats.messages.paths import value_at
from historylab.formats.traces.calls import CallNames
from historylab.formats.traces.rows import object_rows, row_recogniser
from historylab.registry import register

OF_HELICONE = {"request_created_at", "request_properties", "helicone_user", "request_path", "prompt_cache_read_tokens"}
OF_HELICONE |= {"requestBody", "responseBody", "heliconeMetadata", "signed_body_url"}
HELICONE_IDS = {"request_id", "requestBody", "request_body"}
RESPONSES = ("response_body", "responseBody", "response")
HELICONE = CallNames(
    input="request_body requestBody request",
    output=" ".join(RESPONSES),
    key="properties.helicone-session-id session_id sessionId helicone_session_id",
    model="response_body.model responseBody.model response.model response_model model request_model model_override",
    provider="provider",
    started="request_created_at requestCreatedAt created_at createdAt timestamp",
    ended="response_created_at responseCreatedAt",
    counts={
        "prompt_tokens": "prompt_tokens promptTokens",
        "completion_tokens": "completion_tokens completionTokens",
        "cached_tokens": "prompt_cache_read_tokens promptCacheReadTokens",
        "cache_creation_tokens": "prompt_cache_write_tokens promptCacheWriteTokens",
    },
)
OF_LITELLM = {"spend", "response_cost", "custom_llm_provider", "model_group", "model_map_information", "cache_hit"}
PAYLOAD = "standard_logging_object"
NO_CALLS = ("embedding", "image", "transcription", "speech", "moderation", "rerank")
LITELLM = CallNames(
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


@register(
    "format",
    title="Helicone requests",
    recognise=row_recogniser(lambda row: OF_HELICONE & row.keys() and HELICONE_IDS & row.keys()),
    marks="request_body response_body",
)
def helicone(content: Content, report: Report) -> Iterator[Conversation]:
    """Logged requests with their bodies, each with the history it was sent."""
    rows = ((where, {**row, "properties": _properties(row)}) for where, row in object_rows(content, report))
    return HELICONE.conversations(rows, report, failure=_helicone_failure, answers_in_failures=False)


def _properties(row: dict[str, Any]) -> dict[str, Any]:
    given = unpack_json(value_at(row, ("request_properties", "properties", "customProperties")))
    return {str(name).lower(): value for name, value in given.items()} if isinstance(given, dict) else {}


def _helicone_failure(row: dict[str, Any]) -> str:
    status, answered = row.get("response_status", row.get("status")), unpack_json(value_at(row, RESPONSES))
    error = object_in({"": answered}, "").get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return str(said or status) if error or (isinstance(status, int) and status >= 400) else ""


def _payload(row: dict[str, Any]) -> dict[str, Any]:
    """The payload that a callback of LiteLLM was given, or else the row."""
    return object_in({"": unpack_json(row.get(PAYLOAD))}, "") or row


def _is_of_litellm(row: dict[str, Any]) -> bool:
    keys = _payload(row).keys()
    return keys >= {"call_type", "startTime"} and not keys.isdisjoint(OF_LITELLM)


@register("format", title="LiteLLM logs", recognise=row_recogniser(_is_of_litellm), marks="call_type startTime")
def litellm(content: Content, report: Report) -> Iterator[Conversation]:
    """LiteLLM's logged calls, each with the history it was sent, or only its size."""
    return LITELLM.conversations(
        _litellm_calls(content, report), report, failure=_litellm_failure, answers_in_failures=False
    )


def _litellm_calls(content: Content, report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, row in object_rows(content, report):
        if any(kind in str(row.get("call_type")) for kind in NO_CALLS):
            report.pass_over(f"a call of type {str(row['call_type'])[:30]}, no conversation", where)
        else:
            yield where, _payload(row)


def _litellm_failure(row: dict[str, Any]) -> str:
    return str(row.get("error_str") or "failure") if row.get("status") == "failure" or row.get("error_str") else ""
