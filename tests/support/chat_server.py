"""A loopback server that speaks Chat Completions well or badly, as it is told, over real HTTP.

with ChatServer(says("hello"), status(429, retry_after="0")) as server: ...   # one behaviour a request, the last again
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}


class ChatServer(ThreadingHTTPServer):
    """On 127.0.0.1, at a free port. `requests` are the bodies it got, parsed, `bytes` as they came, `keys` the keys."""

    daemon_threads = True

    def __init__(self, *behaviours: Behaviour):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours, self.requests, self.bytes, self.keys = list(behaviours), [], [], []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests want."""


class Handler(BaseHTTPRequestHandler):
    """Answers a POST by the next behaviour."""

    server: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: else each answer takes 40 ms

    def do_POST(self) -> None:
        server = self.server
        server.bytes.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.body = json.loads(server.bytes[-1])
        server.requests.append(self.body)
        server.keys.append(self.headers["Authorization"])
        behaviour = server.behaviours.pop(0) if len(server.behaviours) > 1 else server.behaviours[0]
        behaviour(self)

    def log_message(self, *_: object) -> None:
        """Nothing on the console."""

    def send(self, status: int, text: str, kind: str = "application/json", **headers: str) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def start_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def event(self, data: Any) -> None:
        self.wfile.write(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())
        self.wfile.flush()


def says(text: str | None, *, calls: list[dict] | None = None, usage: Any = USAGE, finish: str = "stop") -> Behaviour:
    """A good answer, streamed where that was asked for."""
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}

    def behave(handler: Handler) -> None:
        model = handler.body["model"] + "-2026"
        if handler.body.get("stream"):
            handler.start_events()
            for chunk in chunks(message, finish, usage):
                handler.event({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": model, **chunk})
            handler.event("[DONE]")
            return
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
        handler.send(200, json.dumps({**body, "usage": usage}))

    return behave


def chunks(message: dict, finish: str, usage: Any) -> Iterator[dict]:
    """A message cut up as OpenAI does it: text in pieces, a call's name once and its arguments in pieces."""
    text = message["content"] or ""
    for piece in [text[i : i + 3] for i in range(0, len(text), 3)]:
        yield {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    for k, call in enumerate(message.get("tool_calls", ())):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        start = {"index": k, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        half = len(arguments) // 2
        rest = [{"index": k, "function": {"arguments": part}} for part in (arguments[:half], arguments[half:])]
        for delta in (start, *rest):
            yield {"choices": [{"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield {"choices": [], "usage": usage}


def calls(*named: tuple[str, str]) -> Behaviour:
    """An answer that calls tools: (name, arguments) each."""
    made = [
        {"id": f"call_{k}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for k, (name, arguments) in enumerate(named)
    ]
    return says(None, calls=made, finish="tool_calls")


def status(code: int, message: str = "no", *, param: str | None = None, retry_after: str = "") -> Behaviour:
    """An error in OpenAI's form. `{key}` in the message becomes the key that was sent, as careless servers do."""

    def behave(handler: Handler) -> None:
        key = (handler.headers["Authorization"] or "").removeprefix("Bearer ")
        error = {"message": message.replace("{key}", key), "type": "x", "param": param, "code": None}
        headers = {"Retry-After": retry_after} if retry_after else {}
        handler.send(code, json.dumps({"error": error}), **headers)

    return behave


def redirects(code: int, address: str) -> Behaviour:
    """Sends the request on to another address."""
    return lambda handler: handler.send(code, "", Location=address)


def body(text: str, kind: str = "application/json") -> Behaviour:
    """Any body at all, with status 200."""
    return lambda handler: handler.send(200, text, kind)


def slow(seconds: float, then: Behaviour) -> Behaviour:
    def behave(handler: Handler) -> None:
        time.sleep(seconds)
        then(handler)

    return behave


def hangs_up(handler: Handler) -> None:
    """The connection is dropped without an answer."""
    handler.close_connection = True
    handler.connection.close()


def events(*data: Any, done: bool = False) -> Behaviour:
    """A stream of just these events, and then the connection ends."""

    def behave(handler: Handler) -> None:
        handler.start_events()
        for one in data:
            handler.event(one)
        if done:
            handler.event("[DONE]")

    return behave
