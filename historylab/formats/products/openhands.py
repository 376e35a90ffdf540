"""OpenHands request logs: one file per request, with messages, tools, parameters, response, usage and cost.

Every log repeats the history it was sent with; logs of one session, as lines or as the files of one folder in a ZIP
archive, are put together into one conversation. For a model without calls of its own, `messages` is flattened text and
`raw_messages` has the calls: those are read. Source: OpenHands/software-agent-sdk, sdk/llm/utils/telemetry.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, object_in
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.record_groups import folder_items, located_items
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

MARKS = {"kwargs", "context_window", "latency_sec", "raw_messages", "raw_response"}
READ = MARKS | {"messages", "tools", "response", "cost", "timestamp", "usage_summary", "log_path"}
LEFT_OUT = {"provider_specific_fields", "cache_control", "annotations"}
FLATTENED = "raw_messages read, as messages has the calls and results as text"
PROXY = "litellm_proxy"
LOOKED_AT = 50


def looks_logged(content: Content) -> float:
    """0.9 for a request with its response, and fields of OpenHands' log."""
    return 0.9 if any(_is_log(value) for _, value in located_items(content.values[:LOOKED_AT])) else 0


@register("format", title="OpenHands request logs", recognise=looks_logged, marks="kwargs context_window latency_sec")
def openhands(content: Content, report: Report) -> Iterator[Conversation]:
    """Requests that OpenHands logged, each with its answer, put together into conversations."""
    requests = []
    for where, log in folder_items(content, looks_logged):
        if _is_log(log):
            requests.append(_request(log, where))
        else:
            report.skip(f"{kind_of(log)} that is no request", where)
    yield from conversations_in(requests, report)


def _is_log(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return isinstance(value.get("response"), dict) and len(MARKS & value.keys()) >= 2


def _request(log: dict[str, Any], where: str) -> Exchange:
    said, response = Report(), log["response"]
    key = "raw_messages" if list_in(log, "raw_messages") else "messages"
    if key == "raw_messages":
        said.warn(FLATTENED, where)
    said.leave(log, READ, where)
    records = located_items([(f"{where} {key}".strip(), log[key])])
    sent = [message for at, given in records if (message := _message(given, at, said))]
    given, cost = value_at(response, "choices.message"), log.get("cost")
    answer = None if given is None else _message(given, f"{where} response", said)
    if not answer:
        said.warn("a response without an answer", where)
    elif isinstance(cost, int | float):
        answer = replace(answer, metadata={**answer.metadata, "cost": cost})
    ended = log.get("timestamp")
    return Exchange(
        sent,
        [answer] if answer else [],
        usage=to_usage(response.get("usage")),
        about=_about(log),
        started=_before(ended, log.get("latency_sec")),
        ended=iso_time(ended),
        where=where,
        report=said,
    )


def _before(ended: Any, took: Any) -> str | None:
    try:
        return iso_time(ended - took)
    except (TypeError, OverflowError):  # no number, or a whole one that no float can be
        return None


def _message(given: Any, where: str, report: Report) -> Message | None:
    """One message of the API."""
    said = {k: v for k, v in given.items() if k not in LEFT_OUT} if isinstance(given, dict) else given
    message = read_reported(said, where, report)
    return replace(message, source=given) if message else None


def _about(log: dict[str, Any]) -> dict[str, Any]:
    """Model, provider, tools and parameters, as they were asked for."""
    kwargs = object_in(log, "kwargs")
    tools = log.get("tools") or kwargs.get("tools")
    given = {name: value for name, value in kwargs.items() if isinstance(value, str | int | float)}
    about: dict[str, Any] = {"tools": tools if isinstance(tools, list) else None, "parameters": given}
    model = log["response"].get("model") or kwargs.get("model")
    if isinstance(model, str):
        *path, name = model.split("/")
        provider = next((part for part in reversed(path) if part != PROXY), None)
        about |= {"model": name, "provider": provider}
    return {name: value for name, value in about.items() if value}
