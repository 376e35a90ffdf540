"""The endpoints: they read a request as the API does, count it, and answer it, streamed if that was asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall
from historylab.counters.base import Counter as TokenCounter
from historylab.counters.base import count_text, open_counter
from historylab.errors import LoadError
from historylab.proxy.scripted_upstream.answers import answer_to, parse_request
from historylab.proxy.scripted_upstream.api import CREATED, Body, RefusedByApi, WireApi
from historylab.proxy.scripted_upstream.chat import ChatWire
from historylab.proxy.scripted_upstream.messages import MessagesWire
from historylab.proxy.scripted_upstream.prefixes import Prefixes
from historylab.proxy.scripted_upstream.reading import ReadRequest, billed_usage, read_request
from historylab.proxy.scripted_upstream.responses import ResponsesWire

WINDOW = 128_000
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, LoadError)
PATHS = {"/v1/chat/completions": "chat_completions", "/v1/responses": "responses", "/v1/messages": "anthropic"}
MODELS = ("gpt-5.5", "claude-opus-4-8", "gemini-3-flash")
"""Those that are listed; a request may name any."""


class ScriptedUpstream:
    """Answers requests, and remembers which prefixes it has been sent. `log` gets a line for each.

    `tool_turns`: for how many turns each question calls tools; None: by rule.
    """

    def __init__(
        self,
        window: int = WINDOW,
        log: Callable[[str], object] = lambda line: None,
        tool_turns: int | None = None,
    ):
        self.window, self.log, self.tool_turns = window, log, tool_turns
        self.apis: Mapping[str, WireApi] = {api.name: api for api in (ChatWire(), ResponsesWire(), MessagesWire())}
        self.prefixes = Prefixes()
        self._times_asked: Counter[bytes] = Counter()

    def app(self) -> Starlette:
        def endpoint(api: str) -> Callable[[Request], Any]:
            async def answer(request: Request) -> Response:
                return self.respond(api, await request.body())

            return answer

        async def count_tokens(request: Request) -> Response:
            return self.count_tokens("anthropic", await request.body())

        answers = [Route(path, endpoint(api), methods=["POST"]) for path, api in PATHS.items()]
        return Starlette(
            routes=[
                *answers,
                Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
                Route("/v1/responses", _no_socket, methods=["GET"]),
                Route("/v1/models", _models),
                Route("/v1/models/{model:path}", _models),
                Route("/", _hello),
            ]
        )

    def respond(self, name: str, content: bytes) -> Response:
        """The answer to a request of that API, or its refusal."""
        api = self.apis[name]
        try:
            body, read = self._read(api, content)
            if read.tokens > self.window:
                self.log(f"{read}: refused, as the window has {self.window}")
                raise api.too_long(read.tokens, self.window)
            reply, id = self._reply(api, body, read)
            whole = api.whole(body, reply, id)
        except RefusedByApi as refused:
            self.log(f"refused: {refused}")
            return JSONResponse(api.error(refused), refused.status)
        except UNREADABLE as problem:
            return JSONResponse(api.error(RefusedByApi(f"the request can't be read: {problem}")), 400)
        api.keep(body, whole)
        reads = reply.usage.cache_reads if reply.usage else 0
        cached = f" ({reads} from the cache)" if reads else ""
        called = ", ".join(f"called {call.name}" for call in reply.tool_calls)
        self.log(f"{read}{cached}: {called or 'answered'}")
        if not body.get("stream"):
            return JSONResponse(whole)

        async def stream() -> Any:
            for event in api.write_events(body, api.events(body, whole)):
                yield event

        return StreamingResponse(stream(), media_type=api.media_type)

    def count_tokens(self, name: str, content: bytes) -> Response:
        """How many tokens a request has; it names no limit of its answer."""
        api = self.apis[name]
        try:
            _, read = self._read(api, content, max_tokens=1)
        except RefusedByApi as refused:
            return JSONResponse(api.error(refused), refused.status)
        except UNREADABLE as problem:
            return JSONResponse(api.error(RefusedByApi(f"the request can't be read: {problem}")), 400)
        return JSONResponse({"input_tokens": read.tokens})

    def _read(self, api: WireApi, content: bytes, **more: Any) -> tuple[Body, ReadRequest]:
        body = api.complete({**json.loads(content), **more})
        api.check(body)
        return body, read_request(api, body)

    def _reply(self, api: WireApi, body: Body, read: ReadRequest) -> tuple[Reply, str]:
        """The answer and its id, which no other answer has."""
        said = answer_to(parse_request(api, body, body[api.field]), self.tool_turns)
        usage, model = billed_usage(api, body, read, self.prefixes), str(body["model"])
        times = self._times_asked[read.digests[-1]]
        self._times_asked[read.digests[-1]] += 1
        unique = read.digests[-1].hex()[:20] + (f"{times:x}" if times else "")
        answer, call = api.prefixes
        counter = open_counter("exact", model)
        if said.calls:
            calls = tuple(
                ToolCall(f"{call}{unique}{'b' * k}{said.turn}", tool.name, arguments)
                for k, (tool, arguments) in enumerate(said.calls)
            )
            usage = replace(usage, output=sum(count_text(counter, arguments) for _, arguments in said.calls))
            return Reply("", calls, usage, model, "tool_calls"), answer + unique
        text, size, finish = _cut_to_limit(said.text, api.limit(body), counter)
        return Reply(text, (), replace(usage, output=size), model, finish), answer + unique


def _cut_to_limit(text: str, limit: int | None, counter: TokenCounter) -> tuple[str, int, str]:
    """The text as far as the limit lets it go, its tokens, and why it ends there."""
    words = text.split(" ")
    for length in count(len(words), -1):
        said = " ".join(words[:length])
        size = count_text(counter, said)
        if limit is None or size <= limit or length <= 1:
            return said, size, "stop" if length == len(words) else "length"
    raise AssertionError


async def _no_socket(request: Request) -> Response:
    """Codex asks for a WebSocket first, and takes HTTP at once where it is told that there is none."""
    refused = RefusedByApi("Responses are served over HTTP alone.", status=426)
    return JSONResponse(ChatWire().error(refused), 426)


async def _models(request: Request) -> Response:
    """The models, or the one that is asked for; Anthropic's clients say which version they speak."""
    one = request.path_params.get("model")
    of_anthropic = "anthropic-version" in request.headers
    models = [_model(name, of_anthropic) for name in ([one] if one else MODELS)]
    if one:
        return JSONResponse(models[0])
    if not of_anthropic:
        return JSONResponse({"object": "list", "data": models})
    return JSONResponse({"data": models, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]})


def _model(name: str, of_anthropic: bool) -> Body:
    if of_anthropic:
        return {"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "scripted"}


async def _hello(request: Request) -> Response:
    return JSONResponse({"scripted": "a model server without a model"})
