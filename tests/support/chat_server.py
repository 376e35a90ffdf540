"""A loopback server that speaks the APIs of models well or badly, as it is told, over real HTTP.

with ChatServer(says("hello"), status(429, retry_after="0")) as server: ...   # one behaviour a request, the last again
with ChatServer(gzipped(cut(100, says("hello")))) as server: ...              # what goes wrong is wrapped around it
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from historylab.proxy.refusals import error_body
from historylab.proxy.scripted_upstream.api import server_sent
from historylab.proxy.scripted_upstream.app import ScriptedUpstream
from historylab.proxy.scripted_upstream.endpoints import ENDINGS

Behaviour = Callable[["Handler"], None]
APIS = ScriptedUpstream().apis
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}


class Head(NamedTuple):
    """A request but for its body. Names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]


class ChatServer(ThreadingHTTPServer):
    """On 127.0.0.1, at a free port.

    `requests` are the bodies it got, parsed, `bytes` as they came, `heads` what came before them, `keys` the keys;
    `left` counts the answers that their client did not wait for, and tells those that wait for that.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *behaviours: Behaviour):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours, self.requests, self.bytes, self.keys = list(behaviours), [], [], []
        self.heads: list[Head] = []
        self.left = threading.Semaphore(0)

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests want."""


def parsed(content: bytes) -> Any:
    """The body of a request; empty for what is no JSON, which any behaviour may still answer."""
    try:
        return json.loads(content or b"{}")
    except ValueError:
        return {}


class Cut(Exception):
    """The connection ends here, in the middle of an answer."""


class Handler(BaseHTTPRequestHandler):
    """Answers a request by the next behaviour. `pause` is called before each event of a stream."""

    server: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: else each answer takes 40 ms
    pause: Callable[[], object] = staticmethod(lambda: None)
    packer: Any = None
    bytes_left: int | None = None

    def do_POST(self) -> None:
        server = self.server
        self.pause, self.packer, self.bytes_left = Handler.pause, None, None
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.body = parsed(content)
        server.bytes.append(content)
        server.heads.append(Head(self.command, self.path, {name.lower(): text for name, text in self.headers.items()}))
        server.keys.append(self.headers["Authorization"])
        server.requests.append(self.body)
        behaviour = server.behaviours.pop(0) if len(server.behaviours) > 1 else server.behaviours[0]
        try:
            behaviour(self)
        except Cut:
            self.hang_up()
        except ConnectionError:
            server.left.release()
            raise

    do_GET = do_HEAD = do_DELETE = do_POST

    def log_message(self, *_: object) -> None:
        """Nothing on the console."""

    @property
    def api(self) -> str:
        path = self.path.partition("?")[0]
        return next((api for ending, api in ENDINGS.items() if path.endswith(ending)), "chat_completions")

    def send(self, status: int, text: str, kind: str = "application/json", **headers: str) -> None:
        content = self.packed(text.encode(), zlib.Z_FINISH)
        self.send_response(status)
        length = {"Content-Length": str(len(content)), **self.encoding()}
        for name, value in {"Content-Type": kind, **length, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.write(content)

    def start_events(self) -> None:
        self.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", **self.encoding()}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def event(self, data: Any) -> None:
        """One event of a stream, as bytes or what it carries."""
        name = data.get("type", "") if isinstance(data, dict) else ""
        self.pause()
        event = data if isinstance(data, bytes) else server_sent(data, name)
        self.chunk(self.packed(event, zlib.Z_SYNC_FLUSH))

    def end_events(self) -> None:
        if self.packer:
            self.chunk(self.packed(b"", zlib.Z_FINISH))
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, content: bytes) -> None:
        self.write(content, lambda part: b"%x\r\n%s\r\n" % (len(part), part))

    def write(self, content: bytes, framed: Callable[[bytes], bytes] = bytes) -> None:
        """Bytes of an answer's body, until it is cut."""
        part = content[: self.bytes_left]
        if part:
            self.wfile.write(framed(part))
        if self.bytes_left is not None:
            self.bytes_left -= len(part)
            if not self.bytes_left:
                raise Cut

    def encoding(self) -> dict[str, str]:
        return {"Content-Encoding": "gzip"} if self.packer else {}

    def packed(self, content: bytes, mode: int) -> bytes:
        return self.packer.compress(content) + self.packer.flush(mode) if self.packer else content

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()


# -- answers


def says(text: str | None, *, calls: list[dict] | None = None, usage: Any = USAGE, finish: str = "stop") -> Behaviour:
    """A good answer of Chat Completions, streamed where that was asked for."""
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}

    def behave(handler: Handler) -> None:
        choice = {"index": 0, "message": message, "finish_reason": finish}
        head = {"id": "x", "object": "chat.completion", "created": 1, "model": handler.body["model"] + "-2026"}
        answer(handler, {**head, "choices": [choice], "usage": usage})

    return behave


def answer(handler: Handler, body: Mapping[str, Any]) -> None:
    """The answer with that body, of the API that was asked; streamed where that was asked for."""
    if not handler.body.get("stream"):
        handler.send(200, json.dumps(body))
        return
    api = APIS[handler.api]
    events(*api.write_events(handler.body, api.events(handler.body, body)))(handler)


def events(*data: Any, done: bool = False) -> Behaviour:
    """A stream of just these events."""

    def behave(handler: Handler) -> None:
        handler.start_events()
        for one in (*data, "[DONE]") if done else data:
            handler.event(one)
        handler.end_events()

    return behave


def calls(*named: tuple[str, str]) -> Behaviour:
    """An answer that calls tools: (name, arguments) each."""
    made = [
        {"id": f"call_{k}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for k, (name, arguments) in enumerate(named)
    ]
    return says(None, calls=made, finish="tool_calls")


def body(text: str, kind: str = "application/json") -> Behaviour:
    """Any body at all, with status 200."""
    return lambda handler: handler.send(200, text, kind)


# -- errors


def status(code: int, message: str = "no", *, param: str | None = None, retry_after: str = "") -> Behaviour:
    """An error in the API's form. `{key}` in the message becomes the key that was sent, as careless servers do."""

    def behave(handler: Handler) -> None:
        key = (handler.headers["Authorization"] or "").removeprefix("Bearer ")
        error = error_body(handler.api, code, message.replace("{key}", key), param=param)
        headers = {"Retry-After": retry_after} if retry_after else {}
        handler.send(code, json.dumps(error), **headers)

    return behave


def context_exceeded(tokens: int, window: int) -> Behaviour:
    """The 400 for a request that is longer than the model's window."""

    def behave(handler: Handler) -> None:
        api = APIS[handler.api]
        handler.send(400, json.dumps(api.error(api.too_long(tokens, window))))

    return behave


def redirects(code: int, address: str) -> Behaviour:
    """Sends the request on to another address."""
    return lambda handler: handler.send(code, "", Location=address)


def hangs_up(handler: Handler) -> None:
    """The connection is dropped without an answer."""
    handler.hang_up()


def goes_on(handler: Handler) -> None:
    """A stream that ends when its client leaves: see `left`."""
    handler.start_events()
    piece = {"choices": [{"index": 0, "delta": {"content": "on "}, "finish_reason": None}]}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "on "}}
    while True:
        handler.event(delta if handler.api == "anthropic" else {"id": "x", "created": 1, "model": "x", **piece})
        time.sleep(0.01)


# -- what may be wrapped around any of them


def slow(seconds: float, then: Behaviour) -> Behaviour:
    def behave(handler: Handler) -> None:
        time.sleep(seconds)
        then(handler)

    return behave


def paced(pause: Callable[[], object], then: Behaviour) -> Behaviour:
    """`pause` is called before each event of the stream: a sleep, or a test's own `Event.wait`."""

    def behave(handler: Handler) -> None:
        handler.pause = pause
        then(handler)

    return behave


def cut(size: int, then: Behaviour) -> Behaviour:
    """The connection is cut after so many bytes of the body, be it in the middle of an event."""

    def behave(handler: Handler) -> None:
        handler.bytes_left = size
        then(handler)

    return behave


def gzipped(then: Behaviour) -> Behaviour:
    """Compressed; a stream event by event."""

    def behave(handler: Handler) -> None:
        handler.packer = zlib.compressobj(wbits=31)
        then(handler)

    return behave
