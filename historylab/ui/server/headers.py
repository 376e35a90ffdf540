"""The security headers of every response: nothing is loaded from elsewhere, and no site may frame the page."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = {
    "default-src": "'self'",
    "script-src": "'self' blob:",  # blob: is how Streamlit loads the script of a component written inline
    "style-src": "'self' 'unsafe-inline'",  # its widgets and Plotly write style attributes
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


class SecurityHeaders:
    """ASGI middleware that adds the headers to whatever the wrapped app answers."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.headers = security_headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def security_headers() -> dict[str, str]:
    """Header → value, for every answer of the server."""
    return {
        "Content-Security-Policy": content_security_policy(),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }


def content_security_policy() -> str:
    """POLICY as a header value. Streamlit's own inline scripts are let in by their hash, no other inline script is."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    allowed = "".join(f" '{_hash(script)}'" for script in _inline_scripts(page.read_text("utf-8")))
    return "; ".join(f"{name} {value}{allowed if name == 'script-src' else ''}" for name, value in POLICY.items())


def _inline_scripts(html: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", html, re.DOTALL)


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
