"""Roles travel: through every hook, projection, layout, preset and stage, no text arrives in another role.

Run with stand-ins for the frameworks; with their own libraries and over HTTP it is in `test_frameworks.py`.
"""

from __future__ import annotations

import pytest
from every_way import every_way
from framework_apps import HOOKS, asked_and_shown, history_for, names_of, plain, rendered
from framework_stand_ins import stand_ins
from thirty_turns import thirty_turns

from historylab import Conversation, replay
from historylab.formats.messages.chat_messages import to_messages

pytestmark = pytest.mark.slow
WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}  # much the faster counter
ways = pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
rooms = pytest.mark.parametrize("room", [False, True], ids=["alone", "room"])
SOME = slice(3, 45, 19)  # requests: early and later, within and after tool calls


@rooms
@ways
def test_what_is_a_system_message_was_one_or_is_the_summary(settings, room):
    records = thirty_turns(room)
    said = {m["content"] for m in records if m["role"] == "system"}
    for plan in replay(Conversation(to_messages(records)), settings).plans:
        summary = {plan.summary.text} if plan.summary else set()
        assert {m["content"] for m in rendered(plan) if m["role"] == "system"} <= said | summary


@ways
def test_every_hook_sends_what_replay_shows(settings):
    with stand_ins():
        for target, sent_by in HOOKS.items():
            names = names_of(settings, target)
            for history, shown in asked_and_shown(history_for(target, thirty_turns(room=True)), settings, SOME):
                assert [plain(m) for m in sent_by(names, history)] == shown, target
