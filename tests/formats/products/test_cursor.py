"""Cursor: composers and their bubbles in its database."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from binary_samples import cursor__state_db

from historylab.conversation.sent import sent_histories
from historylab.errors import LoadError
from historylab.formats.load import Conversations, load


@pytest.fixture
def chat(tmp_path):
    """Open a database in which one composer has these bubbles, and these fields."""

    def opened(*bubbles: Any, **more: Any) -> Conversations:
        order = [{"bubbleId": str(i)} for i in range(len(bubbles))]
        return stored(tmp_path, bubbles, {"fullConversationHeadersOnly": order, **more})

    return opened


def stored(folder: Path, bubbles: Any, composer: dict[str, Any]) -> Conversations:
    connection = sqlite3.connect(folder / "state.vscdb")
    connection.execute("CREATE TABLE cursorDiskKV (key, value)")
    rows = [
        ("composerData:c", json.dumps(composer)),
        *((f"bubbleId:c:{i}", json.dumps(b)) for i, b in enumerate(bubbles)),
    ]
    connection.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return load(folder / "state.vscdb")


ASK = {"type": 1, "text": "hi"}


def sketch(loaded: Conversations) -> list[tuple[str, str, int]]:
    return [(m.role, m.content, len(m.tool_calls)) for m in loaded[0]]


def test_an_answer_is_its_bubbles_up_to_one_that_calls(chat):
    call = {"type": 2, "toolFormerData": {"name": "grep", "rawArgs": "{}", "result": "a.py"}}
    loaded = chat(ASK, {"type": 2, "text": "I look"}, call, call, {"type": 2, "text": "done"})
    assert [role for role, _, _ in sketch(loaded)] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert sketch(loaded)[1:3] == [("assistant", "I look", 1), ("tool", "a.py", 0)]


def test_thinking_belongs_to_what_it_led_to(chat):
    answer = chat(ASK, {"type": 2, "thinking": {"text": "hm"}}, {"type": 2, "text": "yo"})[0][1]
    assert (answer.content, answer.metadata["thinking"]) == ("yo", "hm")


def test_tokens_are_those_that_a_bubble_of_the_answer_counts(chat):
    counted = {"tokenCount": {"inputTokens": 9, "outputTokens": 2}}
    answer = chat(ASK, {"type": 2, "text": "a", **counted}, {"type": 2, "text": "b", "tokenCount": {"inputTokens": 0}})[
        0
    ][1]
    assert (answer.metadata["usage"]["input"], answer.metadata["usage"]["output"]) == (9, 2)


@pytest.mark.parametrize(("chosen", "model"), [("gpt-5", "gpt-5"), ("default", None)])
def test_the_model_is_the_composers_unless_cursor_chose(chat, chosen, model):
    assert chat(ASK, {"type": 2, "text": "a"}, modelConfig={"modelName": chosen})[0].recorded.model == model


def test_bubbles_that_no_order_names_come_as_they_are_stored(chat):
    assert sketch(chat(ASK, {"type": 2, "text": "yo"}, fullConversationHeadersOnly=[]))[1] == ("assistant", "yo", 0)


@pytest.mark.parametrize("bubble", [None, 7, {"type": 2}, {"type": 3, "text": "x"}, {"type": [1]}])
def test_a_bubble_that_says_nothing_is_passed_over(chat, bubble):
    report = chat(ASK, bubble).report
    assert (report.messages, report.passed) == (1, 1)


def test_a_composer_that_another_began_is_its_sub_agent():
    assert [c.metadata.get("sidechain") for c in load(cursor__state_db())] == [None, None, True]


def test_a_database_without_chats_is_refused(tmp_path):
    with pytest.raises(LoadError, match="no message"):
        stored(tmp_path, [], {})


SUMMARY = {"summary": "so far", "clientShouldStartSendingFromInclusiveBubbleId": "2"}


@pytest.mark.parametrize(
    ("carried", "latest"),
    [(json.dumps(SUMMARY), None), (None, {"summary": SUMMARY, "lastBubbleId": "3"}), (SUMMARY, {"summary": SUMMARY})],
)
def test_a_summary_is_sent_with_the_bubbles_that_it_names(chat, carried, latest):
    answer = {"type": 2, "text": "yes", "conversationSummary": carried}
    (found,) = chat(ASK, {"type": 2, "text": "yo"}, ASK, answer, ASK, latestConversationSummary=latest)
    (history,) = sent_histories(found) or ()
    assert (history.size, history.sent[0].content, history.sent[1:]) == (4, "so far", ((2, 4),))
