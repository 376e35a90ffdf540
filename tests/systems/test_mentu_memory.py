"""Memory across conversations: quotes what bears on the question, from the conversations it may look into."""

from __future__ import annotations

import pytest

from historylab.systems.mentu.memory import HEADING, recall
from historylab.systems.toolpack import InMemoryConversationStore, Participant, StoredMessage

ANN = Participant("user", "u1", "Ann")


@pytest.fixture
def store() -> InMemoryConversationStore:
    store = InMemoryConversationStore()
    said = {
        "c1": ["My greenhouse is 14 m long.", "Please order twelve tomato seedlings.", "Thanks!"],
        "c2": ["The tomato seedlings froze in the greenhouse last spring.", "What a pity."],
        "somebody else's": ["My tomato greenhouse password is 7731."],
    }
    for conversation, texts in said.items():
        for number, text in enumerate(texts):
            at = f"2026-03-0{number + 1}T10:00:00Z"
            store.append(StoredMessage(f"{conversation}-{number}", conversation, ANN, text, at, "dm"))
    return store


@pytest.mark.feature("M15")
def test_what_bears_on_the_question_comes_back_as_one_labelled_system_message(store):
    found = recall(store, "How are my tomato seedlings?", ["c1", "c2"], limit=2)
    assert found == {
        "role": "system",
        "content": f"{HEADING}\n- 2026-03-02, c1, Ann: Please order twelve tomato seedlings.\n"
        "- 2026-03-01, c2, Ann: The tomato seedlings froze in the greenhouse last spring.",
    }


@pytest.mark.feature("M15")
def test_no_other_conversation_is_looked_into(store):
    assert "7731" not in str(recall(store, "tomato greenhouse password", ["c1", "c2", "c1", "unknown"]))
    assert recall(store, "tomato greenhouse password", []) is None


@pytest.mark.parametrize("question", ["xylophone", "", "  "])
def test_nothing_relevant_is_no_message(store, question):
    assert recall(store, question, ["c1", "c2"]) is None


def test_the_best_quotes_win_the_room_and_a_long_one_is_cut(store):
    store.append(StoredMessage("long", "c1", ANN, "tomato " * 300, "2026-03-09T10:00:00Z", "dm"))
    found = recall(store, "tomato", ["c1", "c2"], characters=700)["content"]
    assert len(found) <= 700
    assert "…" in found
