"""Bodies of requests in one file, without answers: a log, a batch or a data set."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab import as_sent, load
from historylab.conversation.sent import SENT_HISTORIES


def chat(turns: int) -> list[dict[str, Any]]:
    said = []
    for turn in range(turns):
        said.append({"role": "user", "content": f"What about bed {turn} by the wall?"})
        said.append({"role": "assistant", "content": f"Bed {turn} needs water, and so do the roses."})
    return said


def chat_completions(said: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": "gpt-5", "messages": [{"role": "system", "content": "You help."}, *said]}


def anthropic(said: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 9, "system": "You help.", "messages": said}


def responses(said: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": "gpt-5", "instructions": "You help.", "input": said}


def gemini(said: list[dict[str, Any]]) -> dict[str, Any]:
    roles = {"user": "user", "assistant": "model"}
    contents = [{"role": roles[m["role"]], "parts": [{"text": m["content"]}]} for m in said]
    return {"systemInstruction": {"parts": [{"text": "You help."}]}, "contents": contents}


APIS = [chat_completions, anthropic, responses, gemini]


def lines(bodies: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, bodies)).encode()


@pytest.mark.parametrize("api", APIS)
def test_bodies_that_go_on_from_each_other_are_one_conversation_in_lines_and_in_a_list(api):
    bodies = [api(chat(8)[:size]) for size in range(1, 16, 2)]
    for data in (lines(bodies), json.dumps(bodies).encode()):
        (found,) = load(data, name="log.jsonl" if data.startswith(b"{") else "log.json")
        assert (len(found), found.metadata[SENT_HISTORIES]) == (16, [])


@pytest.mark.parametrize("api", APIS)
def test_bodies_of_an_app_that_sends_its_newest_messages_are_one_conversation(api):
    bodies = [api(chat(8)[max(0, size - 5) : size]) for size in range(1, 16, 2)]
    (found,) = load(lines(bodies), name="log.jsonl")
    assert [plan.sketch() for plan in as_sent(found).plans][-2:] == [f"K{'D' * 8}KKKKK", f"K{'D' * 10}KKKKK"]


def test_a_batch_stays_apart_with_the_same_examples_and_with_a_question_twice():
    examples = chat(2)
    asked = [*examples, {"role": "user", "content": "And the herbs?"}]
    bodies = [chat_completions([*examples, {"role": "user", "content": f"Question {i}"}]) for i in range(5)]
    found = load(lines([*bodies, chat_completions(asked), chat_completions(asked)]), name="batch.jsonl")
    assert len(found) == 7
    assert not any(SENT_HISTORIES in conversation.metadata for conversation in found)


def test_a_data_set_stays_apart_whose_conversations_begin_alike():
    found = load(lines([chat_completions(chat(turns)) for turns in (1, 2, 3)]), name="train.jsonl")
    assert [len(conversation) for conversation in found] == [3, 5, 7]


def test_a_log_and_a_body_that_belongs_to_nothing_are_two_conversations():
    log = [chat_completions(chat(4)[:size]) for size in (1, 3, 5)]
    alone = chat_completions([{"role": "user", "content": "A title for this chat, please."}])
    assert sorted(len(found) for found in load(lines([*log[:2], alone, log[2]]), name="log.jsonl")) == [2, 6]


def test_an_edited_question_in_a_log_is_a_branch():
    edited = [*chat(3)[:4], {"role": "user", "content": "No, the herbs."}]
    bodies = [*(chat_completions(chat(3)[:size]) for size in (1, 3, 5)), chat_completions(edited)]
    (found,) = load(lines(bodies), name="log.jsonl")
    assert found[-1].content == "No, the herbs."
    assert [branch[-1].content for branch in found.branches] == ["What about bed 2 by the wall?"]


def litellm(chats: list[list[dict[str, Any]]], *, newest: int | None = None) -> bytes:
    """A row per request of these chats in turns, each under a trace of its own, with the newest messages."""
    rows = []
    for size in range(1, max(map(len, chats)) + 1, 2):
        for said in chats:
            if size < len(said):
                sent = said[:size][-newest:] if newest else said[:size]
                answer = {"choices": [{"message": said[size]}]}
                prompt = {"role": "system", "content": "You help."}
                rows.append({"call_type": "acompletion", "messages": [prompt, *sent], "response": answer})
    return json.dumps([{**row, "request_id": f"r{i}", "trace_id": f"trace-{i}"} for i, row in enumerate(rows)]).encode()


@pytest.mark.parametrize("newest", [None, 3])
def test_calls_with_a_trace_each_are_one_conversation_where_each_holds_the_answer_before(newest):
    (conversation,) = load(litellm([chat(8)], newest=newest))
    assert [m.content for m in conversation[1:]] == [m["content"] for m in chat(8)]
    assert [len(plan.render()) - 1 for plan in as_sent(conversation).plans[2:]] == [
        newest or size for size in range(5, 16, 2)
    ]


def test_chats_in_turns_that_share_a_prompt_stay_apart_without_any_session():
    other = [{**m, "content": m["content"].replace("bed", "pot").replace("Bed", "Pot")} for m in chat(6)]
    found = load(litellm([chat(6), other], newest=3))
    assert sorted(c[1].content for c in found) == ["What about bed 0 by the wall?", "What about pot 0 by the wall?"]


def test_calls_that_ask_the_same_prompt_different_things_stay_apart():
    rows = [
        [{"role": "user", "content": f"Translate {word}."}, {"role": "assistant", "content": "Done."}]
        for word in "abcd"
    ]
    assert len(load(litellm(rows))) == 4
