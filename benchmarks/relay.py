"""What a proxy of these parts costs that does nothing: an empty relay, and an upstream that answers at once.

    python benchmarks/relay.py upstream --port 9000
    python benchmarks/relay.py relay --port 9001 --upstream http://127.0.0.1:9000

Starlette, httpx2 and uvicorn, as `historylab proxy` has them. Each answer is of the model that its request named.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from historylab.chat_models.base import Reply
from historylab.conversation.message import Usage
from historylab.proxy.scripted_upstream.chat import ChatWire, completion, completion_chunks

SAID = "The ferry to Ven leaves pier 4 at noon, and the crossing takes forty minutes. " * 4
PATH = "/v1/chat/completions"
NOT_PASSED = ("host", "content-length", "connection", "transfer-encoding")


def answered(model: str) -> dict[str, object]:
    return completion(Reply(SAID, (), Usage(100, 80), model), "x")


async def answer(request: Request) -> Response:
    content = await request.body()
    body = answered(re.search(rb'"model": ?"([^"]*)', content[:200])[1].decode())
    if b'"stream"' not in content[:200]:
        return Response(json.dumps(body), media_type="application/json")

    async def events() -> AsyncIterator[bytes]:
        for event in ChatWire().write_events({}, completion_chunks(body)):
            yield event
            await asyncio.sleep(0)

    return StreamingResponse(events(), media_type="text/event-stream")


class Relay:
    def __init__(self, upstream: str):
        self.upstream, self.client = upstream, httpx2.AsyncClient(timeout=60)

    async def __call__(self, request: Request) -> Response:
        headers = [(name, value) for name, value in request.headers.items() if name not in NOT_PASSED]
        content = await request.body()
        asked = self.client.build_request("POST", self.upstream + request.url.path, headers=headers, content=content)
        got = await self.client.send(asked, stream=True)
        passed = {name: value for name, value in got.headers.items() if name not in ("connection", "transfer-encoding")}
        return StreamingResponse(got.aiter_raw(), got.status_code, passed, background=BackgroundTask(got.aclose))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["upstream", "relay"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", default="")
    arguments = parser.parse_args()
    endpoint = answer if arguments.what == "upstream" else Relay(arguments.upstream).__call__
    app = Starlette(routes=[Route(PATH, endpoint, methods=["POST"])])
    uvicorn.run(app, port=arguments.port, log_level="warning")


if __name__ == "__main__":
    main()
