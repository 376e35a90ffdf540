"""A proxy between two places where requests are taken down: as a client sent them, and as they arrived at a strict API.

Both are in this process. Each request is told apart by a header of ours, which the proxy passes on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from proxy_server import serving
from scripted_server import scripted_server

from historylab import Settings, Trimmer, export, load
from historylab.conversation.exchange import ERROR
from historylab.formats.base import Report
from historylab.formats.requests import FORMS
from historylab.formats.requests.purpose import PURPOSES
from historylab.formats.traces.recorded_lines import KIND, REQUEST, parse_line, read_exchange
from historylab.formats.traces.request_chains import RequestChains
from historylab.proxy.open import open_proxy
from historylab.recordings.place import open_recording
from historylab.recordings.sent_plans import decided_otherwise

App: TypeAlias = "Callable[[Any, Any, Any], Any]"
NUMBER = b"x-taken-down"
WINDOW = 10_000_000


@dataclass
class TakenDown:
    """A request as it was sent and as it arrived (None: it didn't), and its answer: status, headers, a refusal."""

    sent: bytes = b""
    arrived: bytes | None = None
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""


@dataclass
class Judged:
    """Counts of requests, see `agents.py`, and why those were `refused`."""

    requests: int = 0
    trimmed: int = 0
    own: Counter[str] = field(default_factory=Counter)
    untrimmed: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    without_rules: int = 0
    compactions_cut: int = 0
    not_as_recorded: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing went wrong."""
        wrong = (self.untrimmed, self.refused, self.without_rules, self.compactions_cut, self.not_as_recorded)
        return bool(self.requests) and not any(wrong)


class Seen:
    """The requests of APIs that are trimmed, by their number."""

    def __init__(self) -> None:
        self.requests: dict[bytes, TakenDown] = {}
        self._numbers = count()

    def before(self, proxy: App) -> App:
        """The proxy, in front of which each request gets a number and is taken down, with what its client is told."""

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http" or scope["method"] != "POST":
                await proxy(scope, receive, send)
                return
            number, taken = b"%d" % next(self._numbers), TakenDown()
            self.requests[number] = taken

            async def receive_it() -> Any:
                message = await receive()
                taken.sent += message.get("body", b"")
                return message

            async def send_it(message: Any) -> None:
                if message["type"] == "http.response.start":
                    taken.status = message["status"]
                    taken.headers = {name.decode(): value.decode("latin-1") for name, value in message["headers"]}
                elif taken.status >= ERROR:
                    taken.refusal += message.get("body", b"").decode("utf-8", "replace")
                await send(message)

            await proxy({**scope, "headers": [*scope["headers"], (NUMBER, number)]}, receive_it, send_it)
            if "historylab-request" not in taken.headers and taken.status < ERROR:
                del self.requests[number]  # of another API, as one that counts tokens

        return app

    def behind(self, api: App) -> App:
        """The API, in front of which each request is taken down as it arrives."""

        async def app(scope: Any, receive: Any, send: Any) -> None:
            number = next((value for name, value in scope.get("headers", ()) if name == NUMBER), b"")
            taken = self.requests.get(number, TakenDown())

            async def receive_it() -> Any:
                message = await receive()
                taken.arrived = (taken.arrived or b"") + message.get("body", b"")
                return message

            await api(scope, receive_it, send)

        return app


@contextmanager
def watched(settings: Settings, recording: Path) -> Iterator[tuple[str, Seen]]:
    """The address of a proxy under those settings, and what passes it."""
    seen, file = Seen(), recording.with_suffix(".env")
    file.write_text(export(settings, "dotenv", only_changed=True))
    with ExitStack() as stack:
        upstream = stack.enter_context(scripted_server(seen.behind, window=WINDOW))
        proxy = open_proxy(upstream, settings=str(file), record=str(recording))
        yield stack.enter_context(serving(seen.before(proxy))).url, seen


def judge(seen: Seen, settings: Settings, recording: Path, rule: str) -> Judged:
    """Counts of what became of the requests; `rule`: words of the project's rules."""
    judged, taken_down = Judged(), list(seen.requests.values())
    if not taken_down:
        return judged
    recorded, trimmer = _bodies_on_record(recording), cache(lambda api: Trimmer(settings, format=api))
    for taken in taken_down:
        judged.requests += 1
        judged.refused += [taken.refusal] if taken.status >= ERROR else []
        if taken.arrived is None or "historylab-request" not in taken.headers:
            judged.untrimmed["not passed on"] += 1
            continue
        cause, changed = taken.headers.get("historylab-untrimmed", ""), taken.arrived != taken.sent
        if cause:
            (judged.own if cause in PURPOSES else judged.untrimmed)[cause] += 1
        judged.trimmed += changed
        judged.compactions_cut += changed and cause in PURPOSES
        judged.without_rules += rule.encode() in taken.sent and rule.encode() not in taken.arrived
        api, body = recorded.get(taken.headers["historylab-request"], ("", {}))
        sent = body if cause or not body else trimmer(api).trim(body)
        as_recorded = _alike(body, taken.sent) and _alike(sent, taken.arrived)
        judged.not_as_recorded += not as_recorded
    judged.not_as_recorded += sum(len(decided_otherwise(conversation)) for conversation in load(recording))
    return judged


def _alike(body: Mapping[str, Any], content: bytes) -> bool:
    """Whether a body is what these bytes say; Gemini's model is in the address."""
    said = json.loads(content)
    return {name: value for name, value in body.items() if name != "model" or name in said} == said


def _bodies_on_record(place: Path) -> dict[str, tuple[str, Any]]:
    """API and body of each request, as the lines of a recording make it, by its id."""
    chains, found = RequestChains(), {}
    with closing(open_recording(place)) as store:
        for record in store.read_records():
            line = parse_line(record.text)
            exchange = read_exchange(line, record.conversation) if line.get(KIND) == REQUEST else None
            if exchange and chains.complete(exchange, line, Report()):
                held = FORMS[exchange.api].field
                found[exchange.id] = exchange.api, {**exchange.body, held: list(exchange.body[held])}
    return found
