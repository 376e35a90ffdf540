"""Roles travel: through every hook, projection, layout, preset and stage, no text arrives in another role.

And each hook goes on from what it sent last, as the Trimmer does. Run with stand-ins for the frameworks;
with their own libraries and over HTTP it is in `test_frameworks.py`.
"""

from __future__ import annotations

import json
from operator import attrgetter
from random import Random
from types import SimpleNamespace

import pytest
from every_way import every_way
from framework_apps import (
    HOOKS,
    as_sent,
    asked_and_shown,
    finished,
    history_for,
    names_of,
    plain,
    rendered,
)
from framework_stand_ins import stand_ins
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, replay
from historylab.formats.messages.chat_messages import to_messages
from historylab.frameworks.base import Converted
from historylab.planning.strategies import folding

slow = pytest.mark.slow
WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}  # much the faster counter
ways = pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
REWRITES = ("layout", "projection", "tool_output")
rooms = pytest.mark.parametrize("room", [False, True], ids=["alone", "room"])
SOME = slice(3, None, 19)  # requests: early and later, within and after tool calls
LAST, _ = [*requests_of(thirty_turns(room=True))][41]
ROOM = thirty_turns(room=True)[: len(LAST) + 1]  # up to the answer to the last of them


@slow
@rooms
@ways
def test_what_is_a_system_message_was_one_or_is_the_summary(settings, room):
    records = thirty_turns(room)
    said = {m["content"] for m in records if m["role"] == "system"}
    for plan in replay(Conversation(to_messages(records)), settings).plans:
        summary = {plan.summary.text} if plan.summary else set()
        assert {m["content"] for m in rendered(plan) if m["role"] == "system"} <= said | summary


def hooks_for(way: str) -> list[str]:
    """All where messages are rewritten; where they are only chosen, which no hook does itself, two: always the same."""
    rewritten = any(WAYS[way].value(name) != Settings().value(name) for name in REWRITES)
    return list(HOOKS) if rewritten else Random(way).sample(list(HOOKS), 2)


@slow
@pytest.mark.parametrize("way", WAYS)
def test_every_hook_sends_what_replay_shows(way):
    replayed: dict[str, list] = {}  # once for all frameworks that hold the same
    with stand_ins():
        for target in hooks_for(way):
            names, records = names_of(WAYS[way], target), history_for(target, ROOM)
            held = json.dumps(records)
            replayed[held] = replayed.get(held) or asked_and_shown(records, WAYS[way], SOME)
            for history, shown in replayed[held]:
                assert [plain(m) for m in HOOKS[target](names, history)] == as_sent(target, shown), target


CARRIES = Settings(policy="all", pruner="summarize", budget=900, window=1200, counter="chars/4")


@slow
@pytest.mark.parametrize("target", HOOKS)
def test_a_summary_is_written_once_though_the_app_restarts(target, tmp_path, monkeypatch):
    written, write = [], folding.write_summary
    monkeypatch.setattr(folding, "write_summary", lambda *given, **named: written.append(1) or write(*given, **named))
    monkeypatch.setenv("HISTORYLAB_STORE", f"sqlite:///{tmp_path}/chats.db")
    with stand_ins():
        turns = asked_and_shown(history_for(target, thirty_turns()), CARRIES)
        by_replay = len(written)
        for lived in (turns[:25], turns[25:]):
            names = names_of(CARRIES, target)
            for history, shown in lived:
                assert [plain(m) for m in HOOKS[target](names, history)] == as_sent(target, shown)
    assert len(written) == 2 * by_replay > 2


def test_a_message_of_a_framework_is_converted_once_while_its_content_is_the_same_object():
    read = []
    records_of = Converted(lambda message: read.append(message.content) or [], attrgetter("content"))
    first, second = SimpleNamespace(content="one"), SimpleNamespace(content="two")
    for message in (first, second, first, second):
        records_of(message)
    second.content = "three"
    records_of(second)
    assert read == ["one", "two", "three"]


def test_litellms_hook_trims_the_chats_of_three_apis_and_leaves_the_rest_as_it_came():
    said = [{"role": role, "content": role} for role in ("user", "assistant", "user")]
    with stand_ins():
        hook = names_of(Settings(length=1), "litellm")["trim_history"].async_pre_call_hook
    for call_type, held in {"acompletion": "messages", "anthropic_messages": "messages", "aresponses": "input"}.items():
        sent = finished(hook(None, None, {"model": "m", held: said, "stream": True}, call_type))
        assert sent == {"model": "m", held: said[2:], "stream": True}
    elsewhere = {"input": said, "previous_response_id": "resp_1"}
    for call_type, data in (("aresponses", elsewhere), ("aembedding", {"input": said}), ("acompletion", {})):
        assert finished(hook(None, None, data, call_type)) is data
