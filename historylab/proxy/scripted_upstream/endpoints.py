"""Addresses of the upstream: the paths of each API, as they end, and what clients ask for when they start."""

from __future__ import annotations

import re
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from historylab.proxy.scripted_upstream.api import CREATED, Body, RefusedByApi
from historylab.proxy.scripted_upstream.app import ScriptedUpstream

ENDINGS = {"/chat/completions": "chat_completions", "/responses": "responses", "/messages": "anthropic"}
DEPLOYMENT = re.compile(r"/deployments/([^/]+)/")
METHOD = re.compile(r"/models/([^/]+):(generateContent|streamGenerateContent|countTokens)$")
MODELS = ("gpt-5.5", "claude-opus-4-8", "gemini-3-flash")
"""The models that are listed; a request may name any."""


def endpoints(upstream: ScriptedUpstream) -> Starlette:
    """The app with the routes to an upstream."""

    async def answer(request: Request) -> Response:
        content, path = await request.body(), request.url.path
        if method := METHOD.search(path):
            if method[2] == "countTokens":
                return upstream.count_tokens("gemini", content, model=method[1])
            streams = {"stream": method[2] == "streamGenerateContent", "alt": request.query_params.get("alt")}
            return upstream.respond("gemini", content, model=method[1], **streams)
        if path.endswith("/messages/count_tokens"):
            return upstream.count_tokens("anthropic", content, max_tokens=1)
        for ending, api in ENDINGS.items():
            if path.endswith(ending):
                deployed = DEPLOYMENT.search(path)
                return upstream.respond(api, content, **({"model": deployed[1]} if deployed else {}))
        return JSONResponse({"error": {"message": f"Invalid URL (POST {path})", "code": None}}, 404)

    async def tell_no_socket(request: Request) -> Response:
        """Codex asks for a WebSocket first, and takes HTTP at once where it is told that there is none."""
        refused = RefusedByApi("Responses are served over HTTP alone.", status=426)
        return JSONResponse(upstream.apis["responses"].error(refused), 426)

    routes = [
        Route("/", _greet),
        Route("/{version}/responses", tell_no_socket, methods=["GET"]),
        Route("/{version}/models", _list_models),
        Route("/{version}/models/{model:path}", _list_models, methods=["GET"]),
        Route("/{path:path}", answer, methods=["POST"]),
    ]
    return Starlette(routes=routes)


async def _list_models(request: Request) -> Response:
    """The models, or the one that is asked for, in the form of the API that the request is of."""
    one = request.path_params.get("model")
    of = "openai"
    if "x-goog-api-key" in request.headers or "beta" in request.path_params["version"]:
        of = "gemini"
    if "anthropic-version" in request.headers:
        of = "anthropic"
    models = [_describe(name, of) for name in ([one] if one else MODELS)]
    if one:
        return JSONResponse(models[0])
    lists: dict[str, Body] = {
        "openai": {"object": "list", "data": models},
        "anthropic": {"data": models, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]},
        "gemini": {"models": models},
    }
    return JSONResponse(lists[of])


def _describe(name: str, of: str) -> Body:
    if of == "anthropic":
        return {"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
    if of == "gemini":
        return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": ["generateContent"]}
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "scripted"}


async def _greet(request: Request) -> Any:
    return JSONResponse({"scripted": "a model server without a model"})
