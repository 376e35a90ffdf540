"""A loopback server that speaks each API and refuses what it refuses, by the rules of the scripted upstream.

with ChatServer(speaks(records)) as server: ...   # the answers are chat messages, one a request, the last again
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from chat_server import APIS, Behaviour, Handler, answer

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall, Usage
from historylab.proxy.scripted_upstream.api import RefusedByApi
from historylab.proxy.scripted_upstream.responses import ENCRYPTED, ResponsesWire

Record = dict[str, Any]
DONE: Record = {"role": "assistant", "content": "done"}
OPENAI, ANTHROPIC = "/v1", ""
"""What an address ends in for the clients of either provider: `server.url` has OpenAI's."""
REASONING = {"reasoning": {"effort": "low"}, "include": [ENCRYPTED]}
USAGE = Usage(36, output=7, cache_reads=64)


def speaks(answers: Iterable[Record] = (), refused: list[str] | None = None) -> Behaviour:
    """An API by the path it is asked at; what it refuses is a 400 in its provider's form, and is added to `refused`.

    In Responses a model that calls tools has reasoned, so that its reasoning must come back with the calls.
    """
    to_say, numbers = iter(answers), count()
    apis = {**APIS, "responses": ResponsesWire()}  # which remembers what it said

    def behave(handler: Handler) -> None:
        api = apis[handler.api]
        try:
            body = api.complete(handler.body)
            api.check(body)
        except RefusedByApi as problem:
            (refused if refused is not None else []).append(str(problem))
            handler.send(problem.status, json.dumps(api.error(problem)))
            return
        said, number = next(to_say, DONE), next(numbers)
        calls = [ToolCall(c["id"], **c["function"]) for c in said.get("tool_calls") or ()]
        finish = "tool_calls" if calls else "stop"
        reply = Reply(said["content"] or "", tuple(calls), USAGE, body["model"], finish)
        asked = {**body, **REASONING} if calls and handler.api == "responses" else body
        whole = api.whole(asked, reply, api.prefixes[0] + (calls[0].id if calls else str(number)))
        api.keep(body, whole)
        answer(handler, whole)

    return behave
