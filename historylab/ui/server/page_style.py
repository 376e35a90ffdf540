"""The form of every page, in the head of the document: what is drawn is in its place at once, and doesn't move to it.

The whole style comes with the page (`shared/page.py`), after Streamlit's own; but Streamlit draws it, as any HTML, by a
script that a browser loads last.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from historylab.figures.browser import text_to_send

FORM = ("frame", "messages", "page", "scene", "settings", "toolbar", "type", "verdict")
"""The files of `shared/style/` that say where things are, and how large."""
CONDITIONS = {b"if-none-match", b"if-modified-since", b"accept-encoding"}
"""Headers of a request that would have it answered by less than the document, or by one that can't be read."""


class PageStyle:
    """ASGI middleware that adds the form to the head of every document."""

    def __init__(self, app: ASGIApp):
        folder = Path(__file__).parents[1] / "shared" / "style"
        style = "".join(text_to_send(folder / f"{name}.css") for name in FORM)
        self.app, self.added = app, f"<style>{style}</style></head>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
            return await self.app(scope, receive, send)
        asked = {**scope, "headers": [each for each in scope["headers"] if each[0] not in CONDITIONS]}
        begun: list[Message] = []
        body = bytearray()

        async def send_styled(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.append(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                await self._send_whole(begun[0], bytes(body), send)

        return await self.app(asked, receive, send_styled)

    async def _send_whole(self, begun: Message, body: bytes, send: Send) -> None:
        headers = MutableHeaders(scope=begun)
        if headers.get("content-type", "").startswith("text/html"):
            body = body.replace(b"</head>", self.added, 1)
            headers["content-length"] = str(len(body))
            for name in ("etag", "last-modified"):
                if name in headers:
                    del headers[name]
        await send(begun)
        await send({"type": "http.response.body", "body": body})
