"""What a request sends, may have and no longer holds is said in plain words."""

from __future__ import annotations

from historylab import Conversation, Message, Settings, replay
from historylab.recall.must_remember import track_must_remember
from historylab.wording.must_remember import must_remember_status
from historylab.wording.verdict import budget_in_words, seen_sentence, sent_line


def chat(turns: int) -> Conversation:
    return Conversation(
        m for i in range(turns) for m in (Message("user", f"question {i + 1}"), Message("assistant", f"answer {i + 1}"))
    )


def test_everything_is_sent():
    timeline = replay(chat(2), Settings())
    assert seen_sentence(timeline, 1) == "At turn 2, the model sees all 3 messages."
    assert sent_line(timeline, 1) == "Turn 2: 3 of 3 messages sent"


def test_a_part_is_sent():
    timeline = replay(chat(5), Settings(length=2))
    assert seen_sentence(timeline, 4) == "At turn 5, the model sees 3 of 9 messages."
    assert sent_line(timeline, 4) == "Turn 5: 3 of 9 messages sent"


def test_what_must_be_remembered_and_is_lost_is_quoted_with_its_turn():
    timeline = replay(chat(5), Settings(length=2))
    said = must_remember_status(timeline, 4, track_must_remember(timeline, [0, 2, 8])).sentence
    assert said == "Message 1, which must be remembered, “question 1”, was lost at turn 3; so was message 3."


def test_what_must_be_remembered_and_is_held_is_told_too():
    timeline = replay(chat(5), Settings(length=2))
    for stars, words in (
        ([8], "Message 9, which must be remembered, is still held."),
        ([7, 8], "Both messages"),
        ([], ""),
    ):
        found = must_remember_status(timeline, 4, track_must_remember(timeline, stars))
        assert found.sentence.startswith(words)
        assert not found.lost
    assert must_remember_status(timeline, 0, track_must_remember(timeline, [8])).sentence == ""
    everyone = must_remember_status(timeline, 2, track_must_remember(timeline, range(9))).sentence
    assert everyone == "Message 1, which must be remembered, “question 1”, was lost at turn 3; so was message 2."


def test_many_lost_ones_are_counted_and_a_projections_gap_is_no_turn():
    timeline = replay(chat(12), Settings(length=1))
    told = must_remember_status(timeline, 11, track_must_remember(timeline, range(20))).sentence
    assert told.endswith("was lost at turn 2; so were messages 2, 3, 4, 5, 6 and 14 more.")
    settings = Settings(projection="collapsed_tools", **{"projection.collapsed_tools.system_messages": False})
    rules = Conversation([Message("system", "Be kind."), *chat(1)])
    left_out = replay(rules, settings)
    assert must_remember_status(left_out, 0, track_must_remember(left_out, [0])).sentence == (
        "Message 1, which must be remembered, “Be kind.”, is left out of what is shown to the model."
    )


def test_what_a_request_may_have_is_told_with_what_is_reserved():
    assert budget_in_words(replay(chat(1), Settings(budget=8, reserve=5)), 0) == "3 (8 less 5 reserved)"
    both = replay(chat(1), Settings(budget=80, reserve=5, overhead=40))
    assert budget_in_words(both, 0) == "75 (80 less 5 reserved)"
    assert budget_in_words(replay(chat(1), Settings(budget=80, overhead=40)), 0) == "80"
