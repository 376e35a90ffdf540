"""Chats of Discord and Telegram: who is a bot, what is no message, and values of the wrong kinds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.errors import LoadError
from historylab.formats.load import load


def discord(*messages: dict[str, Any]):
    given = [{"id": str(i), "type": "Default", **message} for i, message in enumerate(messages)]
    return load(json.dumps({"guild": {}, "channel": {"name": "tides"}, "messages": given}).encode())


def by(name: str, *, bot: bool = False) -> dict[str, Any]:
    return {"name": name, "isBot": bot}


def test_a_bot_of_discords_is_the_assistant_and_everybody_else_a_user():
    talk = discord(
        {"author": by("ann"), "content": "hi"},
        {"author": by("bell", bot=True), "content": "", "embeds": [{"title": "Tide", "description": "at 14:20"}]},
        {"author": by("ben"), "content": "thanks"},
    )[0]
    assert [(m.role, m.name, m.content) for m in talk] == [
        ("user", "ann", "hi"),
        ("assistant", "bell", "Tide\nat 14:20"),
        ("user", "ben", "thanks"),
    ]


def test_notices_of_discords_are_passed_over():
    report = discord(
        {"author": by("ann"), "content": "hi"}, {"type": "ChannelPinnedMessage", "author": by("ann")}
    ).report
    assert (report.messages, report.passed) == (1, 1)


def test_the_pieces_of_a_telegram_text_are_one_text():
    said = {
        "id": 1,
        "type": "message",
        "from": "Ann",
        "from_id": "user1",
        "text": ["see ", {"type": "link", "text": "x"}, "!"],
    }
    assert load(json.dumps({"type": "saved_messages", "messages": [said]}).encode())[0][0].content == "see x!"


@pytest.mark.parametrize("field", ["id", "type", "from", "text", "date", "photo", "author", "attachments", "embeds"])
@pytest.mark.parametrize("value", [None, 5, [], {}, [None, 7], True, "x"])
def test_values_of_any_kind_are_counted_and_never_raised(field, value):
    fine = {"type": "message", "from": "Ann", "from_id": "user1", "text": "hi", "date": "2026-04-01T08:00:00"}
    noted = {"type": "Default", "author": by("ann"), "content": "hi"}
    for given in (
        {"type": "x", "messages": [fine, {**fine, field: value}]},
        {"guild": {}, "channel": {}, "messages": [noted, {**noted, field: value}]},
    ):
        try:
            assert load(json.dumps(given).encode())[0]
        except LoadError as refused:
            pytest.fail(str(refused))
