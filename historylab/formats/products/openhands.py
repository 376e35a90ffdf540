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
from historylab.formats.files.archives import folder_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

MARKS = {"kwargs", "context_window", "latency_sec", "raw_messages", "raw_response"}
READ = MARKS | {"messages", "tools", "response", "cost", "timestamp", "usage_summary", "log_path"}
LEFT_OUT = {"reasoning_content", "thinking_blocks", "provider_specific_fields", "cache_control", "annotations"}
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
    for file in folder_of(content):
        if file is not content and not looks_logged(file):
            continue
        content.taken.add(file.name)
        place = "" if file is content else file.name
        for where, log in located_items(file.values):
            if _is_log(log):
                requests.append(_request(log, f"{place} {where}".strip()))
            else:
                report.skip(f"{kind_of(log)} that is no request", f"{place} {where}".strip())
    yield from conversations_in(requests, report)


def _is_log(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return isinstance(value.get("response"), dict) and len(MARKS & value.keys()) >= 2


def _request(log: dict[str, Any], where: str) -> Exchange:
    said, response = Report(), log["response"]
    raw = log.get("raw_messages")
    key = "raw_messages" if isinstance(raw, list) and raw else "messages"
    if key == "raw_messages":
        said.warn(FLATTENED, where)
    said.leave(log, READ, where)
    place = f"{where} {key}".strip()
    sent = [message for i, given in enumerate(log[key]) if (message := _message(given, f"{place}[{i}]", said))]
    answers = [message for given in _answers(response) if (message := _message(given, f"{where} response", said))]
    if not answers:
        said.warn("a response without an answer", where)
    cost = log.get("cost")
    if answers and isinstance(cost, int | float):
        answers[0] = replace(answers[0], metadata={**answers[0].metadata, "cost": cost})
    ended, took = log.get("timestamp"), log.get("latency_sec")
    started = _before(ended, took)
    return Exchange(
        sent,
        answers,
        usage=to_usage(response.get("usage")),
        about=_about(log),
        started=started,
        ended=iso_time(ended),
        where=where,
        report=said,
    )


def _before(ended: Any, took: Any) -> str | None:
    if not (isinstance(ended, int | float) and isinstance(took, int | float)):
        return None
    try:
        return iso_time(ended - took)
    except OverflowError:  # a whole number that no float can be
        return None


def _answers(response: dict[str, Any]) -> Iterator[Any]:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and "message" in first:
        yield first["message"]


def _message(given: Any, where: str, report: Report) -> Message | None:
    """One message of the API, with the thinking beside its content kept apart."""
    if not isinstance(given, dict):
        report.skip(f"{kind_of(given)}, not an object", where)
        return None
    message = read_reported({k: v for k, v in given.items() if k not in LEFT_OUT}, where, report)
    if message and (thoughts := thinking_of(given)):
        message = replace(message, metadata={**message.metadata, "thinking": thoughts})
    return replace(message, source=given) if message else None


def thinking_of(given: dict[str, Any]) -> str:
    """The thinking that stands beside a message's content: text, or the texts of blocks."""
    text, blocks = given.get("reasoning_content"), given.get("thinking_blocks")
    texts = [block.get("thinking") for block in (blocks if isinstance(blocks, list) else ()) if isinstance(block, dict)]
    found = [thought for thought in texts if isinstance(thought, str) and thought]
    return "\n".join(found) or (text if isinstance(text, str) else "")


def _about(log: dict[str, Any]) -> dict[str, Any]:
    """Model, provider, tools and parameters, as they were asked for."""
    kwargs = log["kwargs"] if isinstance(log.get("kwargs"), dict) else {}
    tools = log.get("tools") or kwargs.get("tools")
    plain = (str, int, float, bool)
    given = {name: value for name, value in kwargs.items() if isinstance(value, plain)}
    about: dict[str, Any] = {"tools": tools if isinstance(tools, list) else None, "parameters": given}
    model = log["response"].get("model") or kwargs.get("model")
    if isinstance(model, str):
        *path, name = model.split("/")
        provider = next((part for part in reversed(path) if part != PROXY), None)
        about |= {"model": name, "provider": provider}
    return {name: value for name, value in about.items() if value}
