"""The verdict is true, plain, and names what was forgotten."""

from __future__ import annotations

from historylab import Conversation, Message, Settings, replay
from historylab.recall.must_remember import track_must_remember
from historylab.wording.verdict import verdict


def chat(turns: int) -> Conversation:
    return Conversation(
        m for i in range(turns) for m in (Message("user", f"question {i + 1}"), Message("assistant", f"answer {i + 1}"))
    )


def test_everything_is_sent():
    said = verdict(replay(chat(2), Settings()), 1)
    assert said.seen == "At turn 2, the model sees all 3 messages."
    assert "of 8,000 tokens (o200k_base, exact for gpt-5.5)" in said.cost
    assert said.decisions == "Nothing left out."
    assert said.forgotten == ""


def test_what_was_forgotten_first_is_quoted_with_its_turn():
    said = verdict(replay(chat(5), Settings(length=2)), 4)
    assert said.seen == "At turn 5, the model sees 3 of 9 messages."
    assert said.decisions == "6 dropped."
    assert said.forgotten == "It stopped seeing message 1, “question 1”, at turn 3."


def test_what_must_be_remembered_comes_before_what_else_was_forgotten():
    timeline = replay(chat(5), Settings(length=2))
    said = verdict(timeline, 4, track_must_remember(timeline, [0, 2, 8]))
    lost = "Message 1, which must be remembered, “question 1”, was lost at turn 3; so was message 3."
    assert said.remembered.sentence == lost
    assert said.forgotten == "It stopped seeing message 5, “question 3”, at turn 5."
    assert f"{lost} {said.forgotten}" in str(said)


def test_what_must_be_remembered_and_is_held_is_told_too():
    timeline = replay(chat(5), Settings(length=2))
    for stars, words in (
        ([8], "Message 9, which must be remembered, is still held."),
        ([7, 8], "Both messages"),
        ([], ""),
    ):
        found = verdict(timeline, 4, track_must_remember(timeline, stars)).remembered
        assert found.sentence.startswith(words)
        assert not found.lost
    assert verdict(timeline, 0, track_must_remember(timeline, [8])).remembered.sentence == ""
    everyone = verdict(timeline, 2, track_must_remember(timeline, range(9))).remembered.sentence
    assert everyone == "Message 1, which must be remembered, “question 1”, was lost at turn 3; so was message 2."


def test_many_lost_ones_are_counted_and_a_projections_gap_is_no_turn():
    timeline = replay(chat(12), Settings(length=1))
    told = verdict(timeline, 11, track_must_remember(timeline, range(20))).remembered.sentence
    assert told.endswith("was lost at turn 2; so were messages 2, 3, 4, 5, 6 and 14 more.")
    settings = Settings(projection="collapsed_tools", **{"projection.collapsed_tools.system_messages": False})
    rules = Conversation([Message("system", "Be kind."), *chat(1)])
    left_out = replay(rules, settings)
    assert verdict(left_out, 0, track_must_remember(left_out, [0])).remembered.sentence == (
        "Message 1, which must be remembered, “Be kind.”, is left out of what is shown to the model."
    )


def test_being_over_the_budget_says_by_how_much_and_of_what():
    said = verdict(replay(chat(1), Settings(budget=8, reserve=5)), 0)
    assert said.over
    assert "over the budget of 3 (8 less 5 reserved)" in said.cost
    both = verdict(replay(chat(1), Settings(budget=80, reserve=5, overhead=40)), 0)
    assert "of 75 (80 less 5 reserved) tokens" in both.cost
    assert " of 80 tokens (" in verdict(replay(chat(1), Settings(budget=80, overhead=40)), 0).cost


def test_what_was_forgotten_first_is_what_somebody_said_not_what_an_agent_wraps():
    wrapped = Message("user", "<command-name>/clear</command-name>\n<command-args></command-args>")
    conversation = Conversation([wrapped, Message("assistant", "Cleared."), *chat(4)])
    said = verdict(replay(conversation, Settings(length=2)), 4)
    assert said.forgotten == "It stopped seeing message 3, “question 1”, at turn 4."
