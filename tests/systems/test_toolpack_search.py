"""The search tool: what a model may ask for, and that it is never given another conversation's words."""

from __future__ import annotations

import json

import pytest
from stored_messages import fill, posted

from historylab.systems.toolpack import InMemoryConversationStore
from historylab.systems.toolpack.conversation_search import conversation_search_tool


def store():
    room = [posted(f"09:{k:02} a: word {k}") for k in range(12)]
    return fill(InMemoryConversationStore(), *room, posted("09:30 b: word of another", conversation="other"))


def found(**arguments) -> list[str]:
    return [r["content"] for r in conversation_search_tool(store(), "room")(**arguments)["results"]]


@pytest.mark.feature("T26")
def test_five_results_newest_first_unless_another_number_is_asked_for():
    assert found(query="word") == ["word 11", "word 10", "word 9", "word 8", "word 7"]
    assert found(query="WORD 1", limit=2) == ["word 11", "word 10"]
    assert found(query="word", limit=2.9) == ["word 11", "word 10"]


@pytest.mark.feature("T26")
@pytest.mark.parametrize("limit", ["3", None, True, float("nan"), float("inf"), [2]])
def test_a_limit_that_is_no_number_is_five(limit):
    assert len(found(query="word", limit=limit)) == 5


@pytest.mark.feature("T26")
def test_a_missing_query_finds_every_message_and_a_number_is_read_as_text():
    assert len(found(limit=100)) == 12
    assert len(found(query=None, limit=100)) == 12
    assert found(query=11) == ["word 11"]


@pytest.mark.feature("T26")
def test_agents_are_the_assistant_and_everybody_else_a_user():
    room = fill(InMemoryConversationStore(), posted("09:00 <bot>: x"), posted("09:01 (k): y"), posted("09:02 a: z"))
    answer = conversation_search_tool(room, "room")()
    assert [r["role"] for r in answer["results"]] == ["user", "assistant", "user"]
    assert answer["results"][0] == {"role": "user", "content": "z", "timestamp": "2026-01-01T09:02:00Z"}
    assert answer["count"] == 3


@pytest.mark.feature("T27")
@pytest.mark.parametrize(
    "arguments",
    [
        {"conversation_id": "other"},
        {"conversationId": "other", "store": None, "self": "other", "token_cap": 10**9},
        {"_conversation_id": "other", "scope": "dm"},
    ],
)
def test_no_argument_reaches_another_conversation(arguments):
    assert found(query="of another", **arguments) == []
    assert len(found(query="word", limit=100, **arguments)) == 12


@pytest.mark.feature("T27")
def test_the_model_is_told_of_two_parameters_only():
    schema = conversation_search_tool(store(), "room").schema
    assert json.loads(json.dumps(schema))["function"]["name"] == "conversation_search"
    assert list(schema["function"]["parameters"]["properties"]) == ["query", "limit"]


def test_results_are_capped_in_tokens():
    assert len(conversation_search_tool(store(), "room", token_cap=4)(query="word")["results"]) == 2


def test_a_store_that_fails_finds_nothing_and_the_answer_says_so(caplog):
    class Broken(InMemoryConversationStore):
        def search(self, *_, **__):
            raise OSError("gone")

    answer = conversation_search_tool(Broken(), "room")(query="x")
    assert answer == {"results": [], "count": 0, "error": "The conversation could not be searched."}
    assert "Failed to search" in caplog.text
