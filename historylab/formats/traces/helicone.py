"""Helicone's requests: `request_body` and `response_body`, as its export tool and its API write them.

Bodies are the provider's own. Rows without them still have the counts of tokens. Source: Helicone's API reference
(HeliconeRequest) and its export tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import object_in, unpack_json
from historylab.formats.traces.call_names import CallNames
from historylab.formats.traces.calls import conversations_of, first_of
from historylab.formats.traces.rows import object_rows, row_recogniser
from historylab.registry import register

OWN = {"request_created_at", "request_properties", "helicone_user", "request_path", "prompt_cache_read_tokens"}
OWN |= {"requestBody", "responseBody", "heliconeMetadata", "signed_body_url"}
IDS = {"request_id", "requestBody", "request_body"}
RESPONSES = ("response_body", "responseBody", "response")
NAMES = CallNames(
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


@register(
    "format",
    title="Helicone requests",
    recognise=row_recogniser(lambda row: OWN & row.keys() and IDS & row.keys()),
    marks="request_body response_body",
)
def helicone(content: Content, report: Report) -> Iterator[Conversation]:
    """Logged requests with their bodies, each with the history it was sent."""
    yield from conversations_of((_request(row, where, report) for where, row in object_rows(content, report)), report)


def _request(row: dict[str, Any], where: str, report: Report) -> Exchange:
    get = first_of(row)
    given = unpack_json(get("request_properties", "properties", "customProperties"))
    properties = {str(name).lower(): value for name, value in given.items()} if isinstance(given, dict) else {}
    response = unpack_json(get(*RESPONSES))
    failed = _failure(row, response)
    answered = dict.fromkeys(RESPONSES) if failed else {}
    return NAMES.exchange_in({**row, **answered, "properties": properties}, where, report, failed)


def _failure(row: dict[str, Any], response: Any) -> str:
    status, error = row.get("response_status", row.get("status")), object_in({"": response}, "").get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return str(said or status) if error or (isinstance(status, int) and status >= 400) else ""
