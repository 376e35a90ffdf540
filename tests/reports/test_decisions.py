"""The decisions of a request as a spreadsheet reads them: every message, nothing that runs."""

from __future__ import annotations

import csv
import io

import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import Conversation, Message, Settings, replay
from historylab.reports.decisions import COLUMNS, decisions_csv, unchanged_since


def rows(timeline, number: int) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(decisions_csv(timeline, number), newline="")))


def test_every_message_has_a_row_with_decision_reason_and_since_when():
    timeline = replay(conv("s u a u a u a u"), Settings(length=2))
    found = rows(timeline, 3)
    assert [row["decision"] for row in found] == ["always sent", *["dropped"] * 4, *["kept"] * 3]
    assert found[1]["reason"] == "Older than the last 2 user messages."
    assert (found[1]["since_request"], found[1]["since"]) == ("3", "turn 3")
    assert (found[3]["since_request"], found[3]["since"]) == ("4", "turn 4")
    assert [int(row["sent_tokens"]) > 0 for row in found] == [row["decision"] != "dropped" for row in found]
    assert tuple(found[0]) == COLUMNS


@pytest.mark.slow
@examples(max_examples=20)
@given(conversations(max_size=12))
def test_since_is_what_an_explanation_says(conversation):
    timeline = replay(conversation, Settings(length=1, budget=60))
    for number, plan in enumerate(timeline.plans):
        said = unchanged_since(timeline, number).tolist()
        assert said == [timeline.explain(number, i).since for i in range(plan.size)]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =cmd|' /C calc'!A0", "＝1", "%0A=1", "|x"])
def test_no_text_is_a_formula(text):
    conversation = Conversation([Message("user", text, name=text), Message("assistant", "=2"), Message("user", "3")])
    for row in rows(replay(conversation, Settings()), 1):
        assert not row["text"].startswith(("=", "+", "-", "@", "\t", "＝", "%", "|"))
        assert row["tokens"].isdigit()


def test_hostile_text_stays_in_its_cell():
    hostile = 'a,"b"\r\nc;d\x00\u202e' + "x" * 1_000_000
    conversation = Conversation([Message("user", hostile), Message("assistant", "b"), Message("user", "c")])
    found = rows(replay(conversation, Settings()), 1)
    assert len(found) == 3
    assert len(found[0]["text"]) <= 300
    assert "\u202e" not in found[0]["text"]
