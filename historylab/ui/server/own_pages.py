"""Who is answered: requests to an address the server is known by, from its own pages or from no page at all.

Streamlit looks at websockets only, lets in every port of this machine, and asks the internet for the machine's address
before it refuses anybody. What other sites send therefore never reaches it.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from historylab.serving.callers import asked_by_other_site

POLICY_VIOLATION = 1008
UNKNOWN_HOST = (
    "This server is not known by that name. Whoever runs it can add the name to STREAMLIT_SERVER_ALLOWED_HOSTS."
)
OTHER_SITE = (
    "Another site's page asked for this. Whoever runs the server behind a proxy can add the origin that readers see "
    "to STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS."
)


class OwnPagesOnly:
    """ASGI middleware that refuses what comes from other sites, or under a name that is not the server's."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        why = refusal_reason(Headers(scope=scope)) if scope["type"] in ("http", "websocket") else ""
        if not why:
            await self.app(_as_its_own(scope), receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(why, 403)(scope, receive, send)
        else:
            await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)


def refusal_reason(headers: Headers) -> str:
    """Why a request with these headers is refused; "" if it is answered."""
    hosts = headers.getlist("host")
    if len(hosts) > 1 or not is_host_allowed(hosts[0] if hosts else None):
        return UNKNOWN_HOST
    return OTHER_SITE if asked_by_other_site(headers, _is_listed) else ""


def _is_listed(origin: str) -> bool:
    """Whether the operator named this origin, or switched the check off, by Streamlit's options."""
    return not config.get_option("server.enableCORS") or origin in config.get_option("server.corsAllowedOrigins")


def _as_its_own(scope: Scope) -> Scope:
    """A websocket that was let in, as if a page of ours had opened it: else Streamlit asks the internet once more."""
    headers = Headers(scope=scope) if scope["type"] == "websocket" else {}
    if "origin" not in headers:
        return scope
    others = [(name, value) for name, value in scope["headers"] if name != b"origin"]
    return {**scope, "headers": [*others, (b"origin", f"http://{headers['host']}".encode("latin-1"))]}
