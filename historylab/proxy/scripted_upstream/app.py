"""The two endpoints: they read a request as the API does, count it, and answer it, streamed if that was asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from historylab.chat_models.base import Reply
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.costs.caches.base import open_cache
from historylab.counters.base import Counter as TokenCounter
from historylab.counters.base import count_text, open_counter
from historylab.errors import LoadError
from historylab.formats.requests.detect import FORMS
from historylab.proxy.refusals import error_body
from historylab.proxy.scripted_upstream import wire
from historylab.proxy.scripted_upstream.answers import answer_to, parse_request
from historylab.proxy.scripted_upstream.prefixes import Prefixes, digests_of, is_marked

WINDOW = 128_000
IDS = {wire.CHAT_COMPLETIONS: ("chatcmpl-", "call_"), wire.ANTHROPIC: ("msg_", "toolu_")}
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, LoadError)
LIMITS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True)
class Read:
    """A request, item by item: its tools, its system prompt, its messages. `ends` are the tokens up to each."""

    items: Sequence[Any]
    digests: Sequence[bytes]
    ends: Sequence[int]
    messages: int

    @property
    def tokens(self) -> int:
        return self.ends[-1]

    def __str__(self) -> str:
        return f"{self.messages} message{'s' * (self.messages != 1)}, {self.tokens} tokens"


class ScriptedUpstream:
    """Answers requests, and remembers which prefixes it has been sent. `log` gets a line for each."""

    def __init__(self, window: int = WINDOW, log: Callable[[str], object] = lambda line: None):
        self.window, self.log = window, log
        self.prefixes = Prefixes()
        self._times_asked: Counter[bytes] = Counter()

    def app(self) -> Starlette:
        def endpoint(api: str) -> Callable[[Request], Any]:
            async def answer(request: Request) -> Response:
                return self.respond(api, await request.body())

            return answer

        paths = {"/v1/chat/completions": wire.CHAT_COMPLETIONS, "/v1/messages": wire.ANTHROPIC}
        return Starlette(routes=[Route(path, endpoint(api), methods=["POST"]) for path, api in paths.items()])

    def respond(self, api: str, content: bytes) -> Response:
        try:
            body = json.loads(content)
            read = self.read(api, body)
            if read.tokens > self.window:
                self.log(f"{read}: refused, as the window has {self.window}")
                return JSONResponse(wire.too_long(api, read.tokens, self.window), 400)
            reply, id = self.reply(api, body, read)
        except UNREADABLE as problem:
            return JSONResponse(error_body(api, 400, f"the request can't be read: {problem}"), 400)
        reads = reply.usage.cache_reads if reply.usage else 0
        cached = f" ({reads} from the cache)" if reads else ""
        called = [f"called {call.name}" for call in reply.tool_calls]
        self.log(f"{read}{cached}: {''.join(called) or 'answered'}")
        return _response(api, body, reply, id)

    def read(self, api: str, body: dict[str, Any]) -> Read:
        """Raises LoadError, or another error of reading, for what the API would not take."""
        request = FORMS[api].open(body, True, lambda _: False)
        if not request.items:
            raise LoadError("messages is empty")
        model = str(body["model"])
        head = [item for item in (body.get("tools"), body.get(request.form.system_field or " ")) if item]
        items = [*head, *request.items]
        ends, total = [], open_counter("exact", model).per_request
        for k, item in enumerate(items):
            total += _count_tokens(api if k >= len(head) else "", model, json.dumps(item))
            ends.append(total)
        return Read(items, digests_of(model, items), ends, len(request.items))

    def usage(self, api: str, body: dict[str, Any], read: Read) -> Usage:
        """What is read from the cache and written to it, by the numbers that bills go by; the rest is input.

        OpenAI caches by itself, Anthropic up to the last breakpoint of the request.
        """
        by_itself = api == wire.CHAT_COMPLETIONS
        cache = open_cache("automatic" if by_itself else "explicit")
        marked = by_itself or "cache_control" in body
        marks = [len(read.items) - 1] if marked else [k for k, item in enumerate(read.items) if is_marked(item)]
        if not marks:
            return Usage(read.tokens)
        shared = self.prefixes.known(read.digests[: marks[-1] + 1])
        known, end = read.ends[shared - 1] if shared else 0, read.ends[marks[-1]]
        reads = known // cache.step * cache.step if known >= cache.minimum else 0
        writes = end - reads if cache.writes and end >= cache.minimum else 0
        return Usage(read.tokens - reads - writes, cache_reads=reads, cache_writes=writes)

    def reply(self, api: str, body: dict[str, Any], read: Read) -> tuple[Reply, str]:
        """The answer and its id, which no other answer has."""
        said = answer_to(parse_request(body, _from_the_end(api, body), read.messages))
        usage, model = self.usage(api, body, read), str(body["model"])
        times = self._times_asked[read.digests[-1]]
        self._times_asked[read.digests[-1]] += 1
        unique = read.digests[-1].hex()[:20] + (f"{times:x}" if times else "")
        answer, call = IDS[api]
        counter = open_counter("exact", model)
        if isinstance(said, tuple):
            tool, arguments = said
            calls = (ToolCall(call + unique, tool.name, arguments),)
            usage = replace(usage, output=count_text(counter, arguments))
            return Reply("", calls, usage, model, "tool_calls"), answer + unique
        text, size, finish = _cut_to_limit(said, next((body[name] for name in LIMITS if body.get(name)), None), counter)
        return Reply(text, (), replace(usage, output=size), model, finish), answer + unique


@lru_cache(50_000)
def _count_tokens(api: str, model: str, text: str) -> int:
    """Tokens of one item: of its messages, or of a text, as what stands beside the messages."""
    counter = open_counter("exact", model)
    if not api:
        return count_text(counter, text)
    return int(counter.count(FORMS[api].at([json.loads(text)], 0)).sum())


def _from_the_end(api: str, body: dict[str, Any]) -> Iterator[Message]:
    items = body["messages"]
    for k in range(len(items) - 1, -1, -1):
        yield from reversed(FORMS[api].at(items, k))


def _cut_to_limit(text: str, limit: int | None, counter: TokenCounter) -> tuple[str, int, str]:
    """The text as far as the limit lets it go, its tokens, and why it ends there."""
    words = text.split(" ")
    for length in count(len(words), -1):
        said = " ".join(words[:length])
        size = count_text(counter, said)
        if limit is None or size <= limit or length <= 1:
            return said, size, "stop" if length == len(words) else "length"
    raise AssertionError


def _response(api: str, body: dict[str, Any], reply: Reply, id: str) -> Response:
    if api == wire.ANTHROPIC:
        whole = wire.message(reply, id)
        events = wire.message_events(whole)
    else:
        whole = wire.completion(reply, id)
        events = wire.completion_chunks(whole, bool((body.get("stream_options") or {}).get("include_usage")))
    if not body.get("stream"):
        return JSONResponse(whole)

    async def stream() -> Any:
        for event in wire.server_sent(api, events):
            yield event

    return StreamingResponse(stream(), media_type="text/event-stream")
