"""Preference pairs: the chosen answer ends the conversation, and the rejected one is its branch."""

from __future__ import annotations

import json

import pytest

from historylab.formats.load import load

HI = {"role": "user", "content": "Hi."}
YES, NO = {"role": "assistant", "content": "Hello!"}, {"role": "assistant", "content": "Go away."}


def read(*rows: object):
    return load("\n".join(map(json.dumps, rows)).encode(), name="pairs.jsonl")


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": [HI], "chosen": [YES], "rejected": [NO]},
        {"prompt": "Hi.", "chosen": "Hello!", "rejected": "Go away."},
        {"prompt": "Hi.", "chosen": [HI, YES], "rejected": [HI, NO]},
        {"chosen": [HI, YES], "rejected": [HI, NO]},
        {"chosen": "\n\nHuman: Hi.\n\nAssistant: Hello!", "rejected": "\n\nHuman: Hi.\n\nAssistant: Go away."},
        {"prompt": "\n\nHuman: Hi.\n\nAssistant:", "chosen": " Hello!", "rejected": " Go away."},
    ],
)
def test_the_rejected_answer_is_a_branch_of_the_chosen_one(row):
    ((conversation,), branch) = (found := read(row)), found[0].branches[0]
    assert found.report.member == "preferences"
    assert [(m.role, m.content) for m in conversation] == [("user", "Hi."), ("assistant", "Hello!")]
    assert [m.content for m in branch] == ["Hi.", "Go away."]
    assert branch[0] is conversation[0]
    assert branch.title == "from message 2: Go away."


def test_a_system_prompt_comes_first_and_scores_are_kept_beside():
    (conversation,) = found = read(
        {"system": "Be kind.", "prompt": "Hi.", "chosen": "Yo", "rejected": "No", "score": 4}
    )
    assert [m.role for m in conversation] == ["system", "user", "assistant"]
    assert (conversation.metadata, list(found.report.kept)) == ({"score": 4}, ["score", "other branches"])


def test_two_equal_answers_are_no_branch_and_a_row_without_both_is_counted():
    found = read({"chosen": [HI, YES], "rejected": [HI, YES]}, {"chosen": [HI, YES], "rejected": [HI, NO]}, {"a": 1})
    assert [len(conversation.branches) for conversation in found] == [0, 1]
    assert list(found.report.skipped) == ["an object without a chosen and a rejected answer"]
