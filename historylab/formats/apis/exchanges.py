"""Requests and answers as logs and batches wrap them, unwrapped into one object: the body, with the answer beside it.

    {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": […]}}    a batch's input
    {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": […]}}}                    and its output
    {"custom_id": "a", "params": {"messages": […]}}   {"custom_id": "a", "result": {"message": {…}}}  Anthropic's
    {"request": {"messages": […]}, "response": {"choices": […]}}                                      a log's row
    {"choices": […]}                                                                                  an answer alone

All of them become `{"messages": […], …, "response": {…}}`; what an answer alone was asked is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from historylab.conversation.recorded import MODEL, PARAMETERS, PROVIDER, TOOLS
from historylab.formats.base import Report
from historylab.formats.chat_messages import iso_time
from historylab.formats.flat_messages import CONVERSATION_IDS
from historylab.formats.observed import ObservedRequest

REQUESTS, RESPONSES = ("request", "body", "params"), ("response", "result")
ANSWER = "response"
WRAPPING = {"method", "url", "status_code", "request_id"}  # of a batch's lines, besides `custom_id`
TIMES = ("timestamp", "created_at", "created", "time")
TITLES = ("title", "name", "custom_id")

OF_A_REQUEST = frozenset(
    (
        *("temperature", "top_p", "top_k", "seed", "n", "stop", "stop_sequences", "presence_penalty"),
        *("frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "prediction", "modalities"),
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_tool_calls", "truncation"),
        *("reasoning", "reasoning_effort", "verbosity", "thinking", "think", "output_config", "response_format"),
        *("tool_choice", "parallel_tool_calls", "function_call", "toolConfig", "tool_config", "mcp_servers"),
        *("stream", "stream_options", "background", "include", "service_tier", "betas", "web_search_options"),
        *("prompt_cache_key", "prompt_cache_retention", "cachedContent", "cached_content", "context_management"),
        *("safetySettings", "safety_settings", "keep_alive", "format"),
    )
)
"""Fields of a body that say how the model was asked."""


def unwrapped(
    values: list[tuple[str, Any]], holder: str, is_answer: Callable[[dict[str, Any]], bool]
) -> list[tuple[str, Any]]:
    """The values with wrapped bodies and answers unwrapped, at the top and in lists. `holder`: a body's own key."""

    def one(value: Any) -> Any:
        return _unwrapped(value, holder, is_answer) if isinstance(value, dict) else value

    return [(where, list(map(one, value)) if isinstance(value, list) else one(value)) for where, value in values]


def objects_in(values: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The objects at the top of a file, or in a list there."""
    items = (item for _, value in values for item in (value if isinstance(value, list) else [value]))
    return [item for item in items if isinstance(item, dict)]


def about_of(
    body: Mapping[str, Any], provider: str, report: Report, where: str, read: frozenset[str]
) -> dict[str, Any]:
    """What a body says beside its messages, under the keys of `Conversation.metadata`; each is named as kept.

    `read`: the fields that are read elsewhere. How the model was asked becomes `parameters`.
    """
    about: dict[str, Any] = {}
    asked: dict[str, Any] = {}
    for name, value in body.items():
        if name in read:
            continue
        report.keep(name, where)
        (asked if name in OF_A_REQUEST else about)[name] = value
    if isinstance(config := about.pop("generationConfig", about.pop("generation_config", None)), Mapping):
        asked |= config
    if asked:
        given = about.get(PARAMETERS)
        about[PARAMETERS] = {**(given if isinstance(given, Mapping) else {}), **asked}
    if TOOLS not in about and isinstance(body.get("functions"), list):
        about[TOOLS] = about.pop("functions")
    if provider and not isinstance(about.get(PROVIDER), str):
        about[PROVIDER] = provider
    return about


def observed(
    messages: list[Any], answer: list[Any], usage: Any, about: dict[str, Any], holder: Mapping[str, Any], report: Report
) -> ObservedRequest:
    """A logged request for `conversations_in`; `holder` is the unwrapped object it stood in."""
    response = holder.get(ANSWER)
    given = response if isinstance(response, Mapping) else {}
    model = given.get(MODEL, about.get(MODEL))
    return ObservedRequest(
        messages,
        answer,
        key=next((str(holder[name]) for name in CONVERSATION_IDS if isinstance(holder.get(name), str | int)), ""),
        usage=usage,
        about=about | ({MODEL: model} if isinstance(model, str) else {}),
        started=_time(holder),
        ended=_time(given),
        title=title_of(holder),
        report=report,
    )


def title_of(holder: Mapping[str, Any]) -> str:
    """The title of what an object holds; empty if it has none."""
    return next((title for key in TITLES if isinstance(title := holder.get(key), str) and title), "")


def _time(given: Mapping[str, Any]) -> str | None:
    return next((time for name in TIMES if name in given and (time := iso_time(given[name]))), None)


def _unwrapped(row: dict[str, Any], holder: str, is_answer: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    if is_answer(row):
        return {holder: row.get(holder) or [], ANSWER: row}
    if "role" in row:  # a message, as most objects are
        return row
    body = row if holder in row else _body_in(row, holder)
    answers = ((key, _answer_in(row.get(key), is_answer)) for key in RESPONSES)
    key, answer = next(((key, found) for key, found in answers if found), ("", None))
    if answer is None and (body is None or body is row):
        return row
    wrapping = {key} if body is row else {key, *REQUESTS, *WRAPPING, "id" if "custom_id" in row else key}
    beside = {name: value for name, value in row.items() if name not in wrapping and (name, value) != ("error", None)}
    return {**beside, holder: [], **(body or {})} | ({ANSWER: answer} if answer else {})


def _body_in(row: dict[str, Any], holder: str) -> dict[str, Any] | None:
    for key in REQUESTS:
        found = _parsed(row.get(key))
        inner = _parsed(found.get("body")) if isinstance(found, dict) and holder not in found else found
        if isinstance(inner, dict) and holder in inner:
            return inner
    return None


def _answer_in(given: Any, is_answer: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    found = _parsed(given)
    if not isinstance(found, dict):
        return None
    inner = (found, _parsed(found.get("body")), found.get("message"))
    return next((one for one in inner if isinstance(one, dict) and is_answer(one)), None)


def _parsed(given: Any) -> Any:
    """The value, parsed where a log has it as JSON text."""
    if not isinstance(given, str) or given[:1] not in ("{", "["):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given
