"""Agents' databases and folders of messages: what several rows and files say of one session."""

from __future__ import annotations

import json

from binary_samples import database

from historylab.formats.load import load
from historylab.formats.sub_agents import sub_agents_of


def test_the_messages_of_a_strands_agent_are_one_conversation_in_their_order(tmp_path):
    folder = tmp_path / "session_1" / "agents" / "agent_a" / "messages"
    folder.mkdir(parents=True)
    for i in range(12):
        said = {"role": "assistant" if i % 2 else "user", "content": [{"text": f"word {i}"}]}
        stored = {"message": said, "message_id": i, "created_at": "2026-03-01T08:00:00+00:00"}
        (folder / f"message_{i}.json").write_text(json.dumps(stored))
    (found,) = load(tmp_path)
    assert [message.content for message in found] == [f"word {i}" for i in range(12)]


def test_a_session_that_goose_began_is_a_sub_agent_of_the_one_it_names():
    said = json.dumps([{"type": "text", "text": "go"}])
    messages = [(1, "main", "user", said, 1777881600), (2, "part", "user", said, 1777881601)]
    sessions = [("main", "All", "user", None), ("part", "Look", "sub_agent", "main")]
    tables = {
        "sessions": ("id, name, session_type, parent_session_id", sessions),
        "messages": ("id, session_id, role, content_json, created_timestamp", messages),
    }
    whole, part = load(database(tables))
    assert (whole.title, part.title) == ("All", "Look")
    assert sub_agents_of(whole, [whole, part]) == [part]


def test_the_best_ranked_answer_of_a_tree_is_its_main_path_wherever_it_stands():
    rows = [
        {"message_tree_id": "t", "message_id": id, "parent_id": parent, "role": role, "text": id, "rank": rank}
        for id, parent, role, rank in (
            ("worse", "ask", "assistant", 1),
            ("ask", None, "prompter", None),
            ("unranked", "ask", "assistant", None),
            ("best", "ask", "assistant", 0),
            ("best again", "best", "prompter", None),
        )
    ]
    (found,) = load(json.dumps(rows).encode())
    assert [m.content for m in found] == ["ask", "best", "best again"]
    assert {branch[1].content for branch in found.branches} == {"worse", "unranked"}


def test_rollouts_of_one_task_are_conversations_each():
    answer = {"object": "response", "output": [{"type": "message", "role": "assistant", "content": "yes"}]}
    rollout = {"responses_create_params": {"input": "Is it?"}, "response": answer}
    assert [len(one) for one in load(json.dumps([rollout] * 2).encode().replace(b"}, {", b"}\n{")[1:-1])] == [2, 2]


def test_a_system_prompt_of_converse_comes_first():
    asked = {"role": "user", "content": [{"text": "go"}]}
    body = {"system": [{"text": "Be kind."}], "messages": [asked], "inferenceConfig": {"maxTokens": 9}}
    assert [m.role for m in load(json.dumps(body).encode())[0]] == ["system", "user"]


def test_a_tree_whose_messages_hold_their_answers_needs_no_name():
    worse, best = (
        {"message_id": i, "parent_id": "a", "role": "assistant", "text": i, "rank": r} for i, r in ("x1", "y0")
    )
    root = {"message_id": "a", "parent_id": None, "role": "prompter", "text": "ask", "replies": [worse, best]}
    (found,) = load(json.dumps(root).encode() + b"\n", name="trees.jsonl")
    assert [m.content for m in found] == ["ask", "y"]
    assert [branch[1].content for branch in found.branches] == ["x"]
