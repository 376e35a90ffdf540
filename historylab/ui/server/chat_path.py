"""AgentDock's path: its documentation's links go to `/chat?…`, and open the playground here, as AgentDock's system."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from historylab.settings.names import SYSTEM

PATH, NAME = "/chat", "agentdock"


class ChatPath:
    """ASGI middleware that sends `/chat` on to the playground beside it."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith(PATH):
            link = playground_link(scope["query_string"].decode("latin-1"))
            await RedirectResponse(link)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def playground_link(query: str) -> str:
    """The playground's link for a query of AgentDock's; unless that names a system it gets AgentDock's: no budget."""
    system = "" if SYSTEM in parse_qs(query) else f"{SYSTEM}={NAME}"
    return "./?" + "&".join(filter(None, (query, system)))
