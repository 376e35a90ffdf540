"""Helicone's requests: `request_body` and `response_body`, as its export tool and its API write them.

Bodies are the provider's own. Rows without them still have the counts of tokens. Source: Helicone's API reference
(HeliconeRequest) and its export tool.
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
from historylab.formats.traces.calls import conversations_of, first_of, model_of, provider_of, usage_by
from historylab.formats.traces.logged import logged_answer, logged_input, usage_given
from historylab.formats.traces.rows import LOOKED_AT, rows_in
from historylab.formats.traces.spans import time_of
from historylab.registry import register

OWN = {"request_created_at", "request_properties", "helicone_user", "request_path", "prompt_cache_read_tokens"}
OWN |= {"requestBody", "responseBody", "heliconeMetadata", "signed_body_url"}
IDS = {"request_id", "requestBody", "request_body"}
BODIES = (("request_body", "response_body"), ("requestBody", "responseBody"), ("request", "response"))
USAGE = {
    "prompt_tokens": "prompt_tokens promptTokens",
    "completion_tokens": "completion_tokens completionTokens",
    "cached_tokens": "prompt_cache_read_tokens promptCacheReadTokens",
    "cache_creation_tokens": "prompt_cache_write_tokens promptCacheWriteTokens",
}


def looks_like_helicone(content: Content) -> float:
    """0.95 for rows with Helicone's own fields."""
    rows = (row for _, row in rows_in(content, LOOKED_AT) if isinstance(row, dict))
    return 0.95 if any(OWN & row.keys() and IDS & row.keys() for row in rows) else 0


@register("format", title="Helicone requests", recognise=looks_like_helicone, marks="request_body response_body")
def helicone(content: Content, report: Report) -> Iterator[Conversation]:
    """Logged requests with their bodies, each with the history it was sent."""
    requests = []
    for where, row in rows_in(content):
        if isinstance(row, dict):
            requests.append(_request(row, where, report))
        else:
            report.skip(f"{kind_of(row)}, not an object", where)
    yield from conversations_of(requests, report)


def _request(row: dict[str, Any], where: str, report: Report) -> Exchange:
    own, get = report.apart(), first_of(row)
    request, response = (unpack_json(get(*names)) for names in zip(*BODIES, strict=True))
    if _has_failed(row, response):
        report.warn("a model call that failed", where)
        response = None
    sent = logged_input(request, own, f"{where} request")
    properties = unpack_json(get("request_properties", "properties", "customProperties"))
    named = {str(k).lower(): v for k, v in properties.items()} if isinstance(properties, dict) else {}
    key = named.get("helicone-session-id") or get("session_id", "sessionId", "helicone_session_id")
    answered = response.get("model") if isinstance(response, dict) else None
    about = {
        **sent.about,
        **model_of(
            answered, get("response_model", "model", "request_model", "model_override"), sent.about.get("model")
        ),
        **provider_of(get("provider")),
    }
    return Exchange(
        sent.messages,
        logged_answer(response, own, f"{where} response"),
        key if isinstance(key, str) else "",
        to_usage(usage_given(response)) or usage_by(get, USAGE),
        about,
        time_of(get("request_created_at", "requestCreatedAt", "created_at", "createdAt", "timestamp")),
        time_of(get("response_created_at", "responseCreatedAt")),
        where=where,
        report=own,
    )


def _has_failed(row: dict[str, Any], response: Any) -> bool:
    status = row.get("response_status", row.get("status"))
    return (isinstance(status, int) and status >= 400) or (isinstance(response, dict) and bool(response.get("error")))
