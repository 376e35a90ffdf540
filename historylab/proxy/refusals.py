"""Answers of the proxy's own, in the shape in which the API that was asked gives its errors."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from historylab.proxy.headers import RawHeaders

KINDS = {401: "authentication_error", 404: "not_found_error", 413: "request_too_large"}


class Refused(Exception):
    """A request that is answered by the proxy itself, with this status and sentence."""

    headers: RawHeaders = ()
    """What else its headers say."""

    def __init__(self, status: int, sentence: str, code: str):
        super().__init__(sentence)
        self.status, self.sentence, self.code = status, sentence, code


def refusal(refused: Refused, provider: str = "openai") -> Response:
    """The answer; clients that would try again are told that it won't help."""
    kind = KINDS.get(refused.status, "invalid_request_error" if refused.status < 500 else "api_error")
    error: dict[str, Any] = {"type": kind, "message": f"historylab proxy: {refused.sentence}"}
    body: dict[str, Any] = {"type": "error", "error": error}
    if provider == "openai":
        body = {"error": {**error, "param": None, "code": f"historylab_{refused.code}"}}
    again = "true" if refused.status in (502, 503, 504) else "false"
    answer = Response(json.dumps(body), refused.status, {"x-should-retry": again}, "application/json")
    answer.raw_headers += refused.headers
    return answer
