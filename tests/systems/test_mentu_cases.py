"""Mentu's recorded cases; a difference of our defaults ends with the options that do as it was published."""

from __future__ import annotations

from mentu_rows import stored
from recorded_cases import options_of, recorded, right, same_objects

from historylab.systems.mentu import (
    AgentQueryOptions,
    build_prompt_with_history,
    create_agent_query,
    format_messages_for_sdk,
    get_conversation_history,
    rows_from_agent_stream,
    truncate_history,
)


@recorded("mentu", "formatMessagesForSDK")
def test_recorded_rows(case):
    assert format_messages_for_sdk(case["input"]["messages"]) == right(case)


@recorded("mentu", "truncateHistory")
def test_recorded_histories(case):
    given = case["input"]["messages"]
    returned = truncate_history(given, **options_of(case))
    assert returned == right(case)
    assert same_objects(returned, given)
    assert truncate_history(given, **options_of(case), oversized="drop") == case["expected"]


@recorded("mentu", "buildPromptWithHistory")
def test_recorded_prompts(case):
    current, history = case["input"]["current_message"], case["input"]["history"]
    assert build_prompt_with_history(current, history) == right(case)
    assert build_prompt_with_history(current, history, escape_tags=False) == case["expected"]


@recorded("mentu", "getConversationHistory")
def test_recorded_fetches(case):
    assert fetched(case) == right(case)
    assert fetched(case, max_rows=100) == case["expected"]


def fetched(case, **options) -> dict:
    asked = []

    def fetch_rows(conversation_id, limit):
        asked.append(limit)
        if case["input"]["database_fails"]:
            raise OSError("the database is away")
        return stored(case["input"]["messages"])(conversation_id, limit)

    history = get_conversation_history(fetch_rows, case["input"]["conversation_id"], **options)
    return {"history": history, "error": None, "rows_requested": asked}


@recorded("mentu", "handleConnection(user_message)")
def test_recorded_runs(case):
    given = case["input"]
    found = [{"id": "<now>", "role": "user", "content": given["current_message"]}]
    found += rows_from_agent_stream(given["agent_stream"])
    assert [shown(row) for row in found] == [shown(row) for row in right(case)["saved_rows"]]
    every_row = [*given["stored_messages"], found[0]]
    for exclude, published in (("<now>", right(case)), (None, case["expected"])):
        history = get_conversation_history(lambda *_: every_row, "c1", exclude_id=exclude)
        prompt = create_agent_query(given["current_message"], AgentQueryOptions(history))
        assert prompt == published["prompt_sent"]


def shown(row: dict) -> dict:
    """A row as it was recorded: long contents by their length and ends, made-up ids left out."""
    content = row["content"]
    if isinstance(content, str) and len(content) > 1000:
        content = {"length": len(content), "head": content[:20], "tail": content[-40:]}
    made_up = row["role"] in ("user", "assistant")
    return {**row, "content": content, "id": "<uuid>" if made_up else row["id"]}
