"""Recorded HTTP traffic: VCR's cassettes and HTTP archives (HAR), with the calls of models that they hold.

    interactions:                                    log.entries[]:
    - request: {uri, body: text}                       request: {url, postData: {text}}
      response: {body: {string: text}, status}         response: {status, content: {text}}, startedDateTime

A body is text, gzip or JSON that a serializer unpacked; an answer may be a stream of events. Each call is read by the
API whose answer it got, and calls that go on from each other are one conversation. Other traffic is counted. Headers
and addresses, which hold keys, are not read; of an address its path says the model.
"""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import ERROR, Exchange
from historylab.conversation.usage import MODEL
from historylab.formats.apis.exchanges import ANSWER, Api, objects_in
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.wire_bodies import Bodies
from historylab.formats.files.yaml_values import read_yaml
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import as_list, object_in
from historylab.formats.messages.paths import holds, value_at
from historylab.formats.messages.record_groups import value_recogniser
from historylab.formats.traces.calls import conversations_of
from historylab.formats.traces.converse_calls import converse_exchange
from historylab.registry import members, register

LISTS = ("interactions", "http_interactions")
YAML = re.compile(
    r"(?:---\s*\n|#[^\n]*\n|version: [^\n]*\n|recorded_with: [^\n]*\n)*(?:http_)?interactions:\s*\n\s*-\s"
)
PATHS = {
    "chat_completions": re.compile(r"/chat/completions$"),
    "responses": re.compile(r"/responses$"),
    "anthropic": re.compile(r"/messages$|/invoke(?:-with-response-stream)?$|:(?:r|streamR)awPredict$"),
    "gemini": re.compile(r":(?:g|streamG)enerateContent$"),
    "ollama": re.compile(r"/api/chat$"),
    "": re.compile(r"/(?:completions|chat)$"),
}
"""API → the ends of paths by which its models are called; "": of APIs that aren't read."""
CONVERSE = re.compile(r"/model/([^/]+)/converse(?:-stream)?$")
END = re.compile(
    r'"(?:finish_reason|finishReason|stop_reason|done_reason)": "|"done": true'
    r'|"type": "(?:message_stop|response\.(?:completed|incomplete|failed))"'
)
LAST = 4
"""Pieces of a stream, among the last, of which one ends the answer; usage may follow it."""
MODEL_IN_PATH = re.compile(r"/models?/([^/:]+)")


@dataclass
class RecordedCall:
    """A request and what came back: the path of its address, its body, and the JSON values of the answer."""

    where: str
    path: str
    body: dict[str, Any]
    answered: list[Any]
    status: int
    started: str | None = None


def _list_items(values: list[tuple[str, Any]], path: str) -> list[tuple[str, Any]]:
    """The items of the list at that path, with their locations."""
    return [(f"{path}[{i}]", one) for _, value in values[:1] for i, one in enumerate(as_list(value_at(value, path)))]


def _interactions(values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    found = _list_items(values, LISTS[0]) or _list_items(values, LISTS[1])
    return found if any(isinstance(one, dict) and {"request", "response"} <= one.keys() for _, one in found) else []


def is_cassette(content: Content) -> float:
    """0.95 for a list of interactions, in YAML by how it begins."""
    if YAML.match(content.text):
        return 0.95
    return 0.95 if content.text.lstrip()[:1] == "{" and _interactions(content.values) else 0


@register(
    "format",
    title="VCR cassette",
    recognise=is_cassette,
    marks="interactions recorded_with",
    source="kevin1024/vcrpy, vcr/serialize.py, 7; vcr/vcr, 6; betamaxpy/betamax, 0.9",
    checked="pydantic/pydantic-ai, tests/models/cassettes; traceloop/openllmetry, instrumentation of Bedrock",
)
def vcr(content: Content, report: Report) -> Iterator[Conversation]:
    """Calls of models in the traffic that VCR recorded for tests, put together into conversations."""
    values = content.values if content.text.lstrip()[:1] == "{" else [("", read_yaml(content.text))]
    yield from _conversations(_calls(_interactions(values), _of_cassette, report), report)


@register(
    "format",
    title="HTTP archive (HAR)",
    recognise=value_recogniser(lambda value: holds(value, {"log.version": ()}) and value_at(value, "log.entries")),
    marks="log entries startedDateTime",
    source="HTTP Archive 1.2",
    checked="traceloop/openllmetry-js, recordings of instrumentation-anthropic and -openai (of Polly.JS 6)",
)
def har(content: Content, report: Report) -> Iterator[Conversation]:
    """Calls of models in the traffic that a browser or a proxy recorded, put together into conversations."""
    yield from _conversations(_calls(_list_items(content.values, "log.entries"), _of_archive, report), report)


def _calls(
    found: list[tuple[str, Any]],
    read: Callable[[Bodies, str, dict[str, Any], dict[str, Any], dict[str, Any]], RecordedCall],
    report: Report,
) -> Iterator[RecordedCall]:
    """The calls of these interactions, each read by its place, itself, its request and its response."""
    bodies = Bodies()
    for where, one in found:
        if isinstance(one, dict) and isinstance(asked := one.get("request"), dict):
            yield read(bodies, where, one, asked, object_in(one, "response"))
        else:
            report.skip("an interaction without a request", where)


def _of_cassette(
    bodies: Bodies, where: str, one: dict[str, Any], asked: dict[str, Any], answer: dict[str, Any]
) -> RecordedCall:
    status = object_in(answer, "status").get("code")
    posted, answered = _values(asked, bodies), _values(answer, bodies)
    return _call(where, asked.get("uri"), posted, answered, status, one.get("recorded_at"))


def _of_archive(
    bodies: Bodies, where: str, one: dict[str, Any], asked: dict[str, Any], answer: dict[str, Any]
) -> RecordedCall:
    content = object_in(answer, "content")
    held = {"base64_string" if content.get("encoding") == "base64" else "string": content.get("text")}
    posted = _values({"body": object_in(asked, "postData").get("text")}, bodies)
    answered = _values({"body": held}, bodies)
    started = one.get("startedDateTime")
    return _call(where, asked.get("url"), posted, answered, answer.get("status"), started)


def _call(where: str, address: Any, asked: list[Any], answered: list[Any], status: Any, started: Any) -> RecordedCall:
    body = next((value for value in asked if isinstance(value, dict)), {})
    code = status if type(status) is int else 0
    return RecordedCall(where, _path(address), body, answered, code, iso_time(started) if started else None)


def _path(address: Any) -> str:
    try:
        return unquote(urlsplit(address).path) if isinstance(address, str) else ""
    except ValueError:
        return ""


def _values(holder: dict[str, Any], bodies: Bodies) -> list[Any]:
    """The JSON values of a body, however it is held."""
    if "parsed_body" in holder:
        return [holder["parsed_body"]]
    body = holder.get("body")
    if isinstance(body, dict):
        if isinstance(coded := body.get("base64_string"), str):
            try:
                body = b"".join(map(base64.b64decode, _pieces(coded)))
            except (ValueError, TypeError, RecursionError):
                return []
        else:
            body = body.get("string", body)
    return bodies.values(body) if isinstance(body, str | bytes) else [body] if isinstance(body, dict) else []


def _pieces(coded: str) -> list[str]:
    """A coded body, or its pieces where a list of them stands for it, as Polly.js writes those that were packed."""
    return json.loads(coded) if coded.startswith("[") else [coded]


def _conversations(calls: Iterable[RecordedCall], report: Report) -> Iterator[Conversation]:
    """The conversations of the calls of each API."""
    found = {name: one.attributes["api"]() for name, one in members("format").items() if "api" in one.attributes}
    read = defaultdict[str, list[tuple[RecordedCall, Any]]](list)
    converse = list[Exchange]()
    for call in calls:
        where = call.where
        path = CONVERSE.search(call.path)
        name, answer = ("", None) if path else _read_by(call, found)
        if path:
            answered = call.answered if call.status < ERROR else []
            converse.append(converse_exchange(path[1], call.body, answered, call.started, where, report))
        elif name:
            read[name].append((call, answer))
            if answer is not None and _breaks_off(call.answered):
                report.warn("a streamed answer that breaks off", where)
        elif any(path.search(call.path) for path in PATHS.values()):
            report.skip(f"a call of {call.path.rpartition('/')[2][:30]!r} that can't be read", where)
        else:
            report.pass_over("traffic that calls no model", where)
    yield from conversations_of(converse, report)
    for name, calls_read in read.items():
        yield from found[name].conversations(list(_rows(calls_read, report)), report)


def _breaks_off(answered: list[Any]) -> bool:
    """Tell whether they are pieces of which none of the last says that the answer ends."""
    pieces = answered[0] if len(answered) == 1 and isinstance(answered[0], list) else answered
    return len(pieces) > 1 and not END.search(json.dumps(pieces[-LAST:]))


def _read_by(call: RecordedCall, apis: Mapping[str, Api]) -> tuple[str, Any]:
    """The API that reads a call, and the whole answer, None if there is none; "" if no API does."""
    able = {name: api for name, api in apis.items() if api.holder in call.body}
    given = call.answered[0] if len(call.answered) == 1 else call.answered
    for name, api in able.items():
        for value in objects_in(api.values([("", given)])) if call.status < ERROR else ():
            if isinstance(answer := value.get(ANSWER), dict) and api.is_answer(answer):
                return name, answer
    for name, api in able.items():
        if name in PATHS and PATHS[name].search(call.path) and api.sample(api.values([("", call.body)])):
            return name, None
    return "", None


def _rows(calls: Sequence[tuple[RecordedCall, Any]], report: Report) -> Iterator[tuple[str, Any]]:
    """The calls as rows of a log. What failed was asked again, so it is left out where anything was answered."""
    answered = any(answer is not None for _, answer in calls)
    for call, answer in calls:
        if answer is None:
            why = f"failed (status {call.status})" if call.status >= ERROR else "has no answer that can be read"
            if answered:
                report.pass_over(f"a model call that {why}", call.where)
                continue
            report.warn(f"a model call that {why}", call.where)
        model = MODEL_IN_PATH.search(call.path)
        row = {"request": {MODEL: model[1], **call.body} if model else call.body, ANSWER: answer}
        yield call.where, {name: value for name, value in (*row.items(), ("timestamp", call.started)) if value}
