"""The upstream: it reads a request as the API does, counts it, and answers it, streamed if that was asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall
from historylab.counters.base import Counter as TokenCounter
from historylab.counters.base import count_text, open_counter
from historylab.errors import LoadError
from historylab.proxy.scripted_upstream.answers import answer_to, parse_request
from historylab.proxy.scripted_upstream.api import Body, RefusedByApi, WireApi
from historylab.proxy.scripted_upstream.chat import ChatWire
from historylab.proxy.scripted_upstream.gemini import GeminiWire
from historylab.proxy.scripted_upstream.messages import MessagesWire
from historylab.proxy.scripted_upstream.prefixes import Prefixes
from historylab.proxy.scripted_upstream.reading import ReadRequest, billed_usage, read_request
from historylab.proxy.scripted_upstream.responses import ResponsesWire

WINDOW = 128_000
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, LoadError)


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
        self.apis: Mapping[str, WireApi] = {
            api.name: api for api in (ChatWire(), ResponsesWire(), MessagesWire(), GeminiWire())
        }
        self.prefixes = Prefixes()
        self._times_asked: Counter[bytes] = Counter()

    def respond(self, name: str, content: bytes, **told: Any) -> Response:
        """The answer to a request of that API, or its refusal. `told`: fields that its address has."""
        api = self.apis[name]
        return self._or_refuse(api, lambda: self._answer(api, content, told))

    def count_tokens(self, name: str, content: bytes, **told: Any) -> Response:
        """Count the tokens of a request."""
        api, field = self.apis[name], "totalTokens" if name == "gemini" else "input_tokens"
        return self._or_refuse(api, lambda: JSONResponse({field: self._read(api, content, told)[1].tokens}))

    def _or_refuse(self, api: WireApi, answer: Callable[[], Response]) -> Response:
        try:
            return answer()
        except RefusedByApi as problem:
            refused = problem
        except UNREADABLE as problem:
            refused = RefusedByApi(f"the request can't be read: {problem}")
        self.log(f"refused: {' '.join(str(refused).split())}")
        return JSONResponse(api.error(refused), refused.status)

    def _answer(self, api: WireApi, content: bytes, told: Body) -> Response:
        body, read = self._read(api, content, told)
        if read.tokens > self.window:
            raise api.too_long(read.tokens, self.window)
        reply, id = self._reply(api, body, read)
        whole = api.whole(body, reply, id)
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

        return StreamingResponse(stream(), media_type=api.media_type(body))

    def _read(self, api: WireApi, content: bytes, told: Body) -> tuple[Body, ReadRequest]:
        body = api.complete({**json.loads(content), **told})
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
