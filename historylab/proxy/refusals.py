"""Answers of the proxy's own, in the shape in which the API that was asked gives its errors."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from historylab.proxy.headers import RawHeaders

KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}

CLOSES: RawHeaders = ((b"connection", b"close"),)


class Refused(Exception):
    """A request that is answered by the proxy itself, with this status and sentence; `headers`: what else these say."""

    def __init__(self, status: int, sentence: str, code: str, headers: RawHeaders = ()):
        super().__init__(sentence)
        self.status, self.sentence, self.code, self.headers = status, sentence, code, headers


def error_body(
    provider: str, status: int, message: str, *, param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """The body of an error: Anthropic's, Google's, or else OpenAI's, where `param` and `code` stand."""
    if provider == "google":
        named = STATUSES.get(status, "INVALID_ARGUMENT" if status < 500 else "INTERNAL")
        return {"error": {"code": status, "message": message, "status": named}}
    kind = KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    if provider == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}
    return {"error": {"type": kind, "message": message, "param": param, "code": code}}


def refusal(refused: Refused, provider: str = "openai") -> Response:
    """The answer; clients that would try again are told that it won't help."""
    body = error_body(
        provider, refused.status, f"historylab proxy: {refused.sentence}", code=f"historylab_{refused.code}"
    )
    again = "true" if refused.status in (502, 503, 504) else "false"
    answer = Response(json.dumps(body), refused.status, {"x-should-retry": again}, "application/json")
    answer.raw_headers += refused.headers
    return answer
