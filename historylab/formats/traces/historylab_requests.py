"""HistoryLab's recordings: the requests of an app with their answers, as JSON lines or in the SQLite file they are in.

Each line of a request has what is new in it, so that those of a conversation belong together. What an answer's
`metadata` says besides usage and model: the settings under which its request was sent, the decisions and the tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.lineage import time_keys
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import NOTED_STATE
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.observed import ObservedLog
from historylab.formats.messages.usage import to_usage
from historylab.formats.requests.purpose import PURPOSES
from historylab.formats.traces.calls import model_of, provider_of
from historylab.formats.traces.logged import about_in, usage_given
from historylab.formats.traces.recorded_lines import (
    KIND,
    KINDS,
    REQUEST,
    TABLE,
    TAGS,
    TITLE,
    VERSION,
    parse_line,
    read_exchange,
)
from historylab.formats.traces.request_chains import RequestChains, api_of
from historylab.registry import register

COLUMNS = frozenset({"number", "conversation", "at", "line"})
AMBIGUOUS_CHAT = (
    "a conversation that may be of several people: others began with the same words and answers, and no user or session"
    " was named"
)
FAILED, NO_LINE = "a request without an answer", "a record that is no line of a recording"


def looks_recorded(content: Content) -> float:
    """1 for lines that say what of a recording they are, and for a store that has any."""
    if content.tables:
        ours = content.tables.get(TABLE, frozenset()) >= COLUMNS
        return 1 if ours and any(content.rows(f"SELECT 1 FROM {TABLE} LIMIT 1")) else 0
    return 1 if any(_is_line(value) for _, value in content.values) else 0


@dataclass
class _Conversation:
    """What lines say of a conversation beside its requests."""

    title: str = ""
    tags: list[Any] = field(default_factory=list)
    state: dict[str, str] = field(default_factory=dict)


@register("format", title="HistoryLab recordings", recognise=looks_recorded, marks="historylab conversation request")
def historylab_requests(content: Content, report: Report) -> Iterator[Conversation]:
    """Requests and answers recorded by the proxy or the chat page, as lines or in a recording's SQLite file."""
    reader = RecordingReader()
    for where, conversation, line in _lines(content, report):
        reader.add(where, conversation, line)
    yield from reader.conversations(report)


def _lines(content: Content, report: Report) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every line, with its location and its conversation."""
    if content.tables:
        for row in content.rows(f"SELECT number, conversation, line FROM {TABLE} ORDER BY number"):
            where = f"record {row['number']}"
            line = parse_line(row["line"]) if isinstance(row["line"], str | bytes) else {}
            yield where, str(row["conversation"]), line
        return
    for where, value in content.values:
        if _is_line(value):
            yield where, str(value.get("conversation") or ""), value
        else:
            report.skip(f"{kind_of(value)}, no line of a recording", where)


class RecordingReader:
    """The lines of a recording, one after another; of one that grows only those that are new are given and read."""

    def __init__(self) -> None:
        self._report = Report()
        self._chains = RequestChains()
        self._exchanges: list[Exchange] = []
        self._log = ObservedLog()
        self._said: dict[str, _Conversation] = {}
        self._latest = ""

    def add(self, where: str, conversation: str, line: dict[str, Any], exchange: Exchange | None = None) -> None:
        """Read one more line, as `parse_line` gives it; a request's may have been made an exchange already."""
        if not line:
            self._report.pass_over(NO_LINE, where)
            return
        if line[KIND] not in KINDS:
            self._report.pass_over(f"a line about {line[KIND][:30]!r}, which is not known here", where)
            return
        self._latest = conversation if line[KIND] == REQUEST else self._latest
        said = self._said.setdefault(conversation or self._latest, _Conversation())
        if line[KIND] == REQUEST:
            self._add_request(exchange or read_exchange(line, conversation, where), line, said)
        elif line[KIND] == TAGS and isinstance(line.get("tags"), list):
            said.tags = line["tags"]
        elif line[KIND] == TITLE:
            said.title = str(line.get("title") or "")

    def _add_request(self, exchange: Exchange, line: dict[str, Any], said: _Conversation) -> None:
        where = exchange.where
        if line.get("version") != VERSION:
            self._report.warn(f"version {str(line.get('version'))[:20]} of a line, read as version {VERSION}", where)
        if exchange.redacted:
            self._report.warn("a request of which keys or other secrets are left out, [redacted] in their place", where)
        own = self._report.apart()
        if not self._chains.complete(exchange, line, own):
            for reason, tally in own.skipped.items():
                self._report.skip(reason, tally.first)
            return
        if exchange.ambiguous:
            self._report.warn(AMBIGUOUS_CHAT, where)
        said.state = {**exchange.state, **said.state}
        _read_answer(exchange, own)
        self._exchanges.append(exchange)
        self._log.add(exchange)

    def conversations(self, report: Report) -> Iterator[Conversation]:
        """The conversations so far, with what was said of each; last those that no user led, as for a title."""
        report.add(self._report, "")
        for exchange in self._exchanges:
            exchange.title = self._said[exchange.conversation].title
        led = {one.conversation for one in self._exchanges if one.untrimmed not in PURPOSES}
        for found in sorted(self._log.conversations(report), key=lambda one: _id_of(one) not in led):
            yield _with_said(found, self._said[_id_of(found)])


def _id_of(conversation: Conversation) -> str:
    return str(conversation.metadata.get("conversation_id", ""))


def _read_answer(exchange: Exchange, report: Report) -> None:
    """Give an exchange the messages of its answer, its usage, and what is said beside its messages."""
    response, api = dict(exchange.response), api_of(exchange.api)
    exchange.report = report
    exchange.usage = to_usage(usage_given(response))
    exchange.about = {
        **about_in(api.body(dict(exchange.body)) if api else exchange.body),
        **provider_of(api.provider if api else ""),
        **model_of(response.get("model"), response.get("modelVersion"), exchange.body.get("model")),
        **({"app": exchange.app} if exchange.app else {}),
    }
    if not (api and response and api.is_answer(response)):
        report.warn(f"{FAILED} ({(exchange.error or str(exchange.status or 'unknown'))[:60]})", exchange.where)
        return
    records, told = report.records, api.read_answer(response, f"{exchange.where} response", report)
    report.records = records
    exchange.answer = told[0] if told else []


def _with_said(found: Conversation, said: _Conversation) -> Conversation:
    metadata = {**found.metadata, **({"tags": said.tags} if said.tags else {})}
    if not said.state:
        return Conversation(found.messages, found.title, metadata, found.branches) if said.tags else found
    branches = [_with_said(branch, _Conversation(state=said.state)) for branch in found.branches]
    messages = _with_noted_times(found.messages, said.state)
    return Conversation(messages, found.title, {**metadata, NOTED_STATE: said.state}, branches)


def _with_noted_times(messages: Sequence[Message], state: Mapping[str, str]) -> list[Message]:
    """The messages, each with the time that a Trimmer noted of it, if any: by that it was decided about."""
    leading = prompt_length(messages)
    keys = [*[""] * leading, *time_keys(messages[leading:])]
    return [replace(m, timestamp=state[key]) if key in state else m for m, key in zip(messages, keys, strict=True)]


def _is_line(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get(KIND), str)
