"""SWE-agent trajectories (`.traj`): the history that was sent, and the model of the replay configuration.

A result names its call in a list, `tool_call_ids`. Older files have no tools: an observation is a user message.
`thought` and `action` repeat the message and its call, `trajectory` repeats the history, and in newer files has what
each request was sent of it (`query`). Source: SWE-agent/SWE-agent, sweagent/types.py and agent/models.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.sent import SentHistory, sent_metadata
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in, unpack_json
from historylab.formats.messages.kept_records import keep_others
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.sent_view import FoundMessages, SentView, find_messages
from historylab.registry import register

MARKS = {"agent", "message_type", "thought", "action", "tool_call_ids", "is_demo"}
"""Fields that only this history's entries have."""

READ_HERE = MARKS | {"tags", "cache_control"}
READ_BESIDE = {"replay_config", "environment", "model", "provider", "parameters"}
PARAMETERS = ("temperature", "top_p", "max_output_tokens")
REPEATED = "a trajectory left out, as it repeats the history"
LOOKED_AT = 200  # entries of a history


def _is_run(value: Any) -> bool:
    history = list_in(_object(value), "history")
    entries = [entry for entry in history[:LOOKED_AT] if isinstance(entry, dict) and "role" in entry]
    return bool(entries) and (isinstance(value.get("trajectory"), list) or any(MARKS & e.keys() for e in entries))


@register("format", title="SWE-agent trajectory", recognise=value_recogniser(_is_run), marks="history trajectory")
def swe_agent(content: Content, report: Report) -> Iterator[Conversation]:
    """The history of a run of SWE-agent, with its demonstration, calls and observations."""
    for where, run in located_items(content.values):
        if not _is_run(run):
            report.skip(f"{kind_of(run)} without a history", where)
            continue
        entries = located_items([(f"{where} history".strip(), run["history"])])
        messages = _with_observations_marked([m for at, entry in entries if (m := _message(entry, at, report))])
        beside = {name: value for name, value in run.items() if name not in ("history", "trajectory")}
        if run.get("trajectory"):
            report.warn(REPEATED, where)
        keep_others(beside, READ_BESIDE, where, report)
        config = beside.pop("replay_config", None)
        beside |= _model(object_in(_object(unpack_json(config)), "agent"))
        title = text_in(object_in(_object(config), "problem_statement"), "id") or ""
        sent = _histories(list_in(run, "trajectory"), messages)
        yield Conversation(pair_by_order(messages), title, {**beside, **(sent_metadata(sent) if sent else {})})


def _histories(steps: list[Any], messages: list[Message]) -> list[SentHistory]:
    """The histories sent by requests of a run that weren't sent all of it as it stands."""
    view = SentView()
    answers = [i for i, m in enumerate(messages) if i and m.role == "assistant" and not m.metadata.get("is_demo")]
    for step, size in zip(steps, answers, strict=False):
        given = [m for entry in list_in(_object(step), "query") if (m := _message(entry, "", Report()))]
        if not given:
            continue
        found = _find_in_place(given, messages[:size]) or find_messages(given, messages[:size])
        if found.order != view.at(size) or found.shortened != view.shortened:
            view.put(size, found.order, None, shortened=found.shortened)
    return view.histories


def _find_in_place(given: list[Message], messages: list[Message]) -> FoundMessages | None:
    """The messages, if those given stand in the same places: observations may have other texts there."""
    if [m.role for m in given] != [m.role for m in messages]:
        return None
    others = {i: m.content for i, m in enumerate(given) if m.content != messages[i].content}
    return FoundMessages([*range(len(given))], others)


def _with_observations_marked(messages: list[Message]) -> list[Message]:
    """The messages, of which those in the user's name after an answer are what a command printed."""
    answered = next((i for i, m in enumerate(messages) if m.role == "assistant"), len(messages))
    for i, m in enumerate(messages):
        if m.role == "user" and (i > answered or m.metadata.get("is_demo")):
            messages[i] = replace(m, metadata={**m.metadata, "injected": True})
    return messages


def _message(entry: Any, where: str, report: Report) -> Message | None:
    if not isinstance(entry, dict):
        return read_reported(entry, where, report)  # which says what it is
    given = {name: value for name, value in entry.items() if name not in READ_HERE}
    if answered := list_in(entry, "tool_call_ids"):
        given["tool_call_id"] = answered[0]
        if len(answered) > 1:
            report.warn("a result of several calls, given to the first", where)
    message = read_reported(given, where, report)
    said = {name: entry[name] for name in ("agent", "is_demo") if entry.get(name)}
    return replace(message, metadata={**message.metadata, **said}, source=entry) if message else None


def _model(agent: dict[str, Any]) -> dict[str, Any]:
    """The model and its parameters, of the agent in a replay configuration."""
    found = object_in(agent, "model")
    given = {key: found[key] for key in PARAMETERS if found.get(key) is not None}
    said: dict[str, Any] = {"model": found["name"]} if text_in(found, "name") is not None else {}
    return said | ({"parameters": given} if given else {})


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
