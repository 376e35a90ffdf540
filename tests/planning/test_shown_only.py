"""Commands that a transcript only shows: no request sends them, and each says why."""

from __future__ import annotations

import pytest
from map_bytes import unpacked

from historylab import Settings, load, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import SHOWN_ONLY, Message, ToolCall
from historylab.figures.retention_map import pack_timeline
from historylab.planning.reasons import SHOWN
from historylab.recall.references import find_needs
from historylab.recordings.as_sent import as_sent
from historylab.wording.costs import is_untrimmed, leaves_out
from historylab.wording.verdict import seen_sentence

START = "# aider chat started at 2026-03-01 09:00:00\n\n"
ADD, DROP = "#### /add alpha_7.py  \n\n> Added  \n\n", "#### /drop alpha_7.py  \n\n> Dropped  \n\n"
FIRST, REST = "#### Rename alpha  \n\nIt is alpha_7.py now.\n\n", "#### Rename beta  \n\nDone.\n\n"
NEXT = "#### And gamma?  \n"


def read(*blocks: str) -> Conversation:
    return load("".join([START, *blocks]).encode())[0]


PLAIN, CHAT = read(FIRST, REST, NEXT), read(ADD, "> Aider  \n\n", FIRST, DROP, REST, ADD, NEXT)
WHOLE = Settings(budget=10_000)
EVERY = [{"budget": 10_000}, {"policy": "lastN", "length": 1}, {"policy": "lastMessages", "length": 2}, {"budget": 30}]


@pytest.mark.parametrize("chosen", EVERY, ids=str)
def test_a_chat_with_commands_sends_what_it_sends_without_them(chosen):
    ours, plain = (replay(c, Settings(**chosen)) for c in (CHAT, PLAIN))
    texts = [[[m.content for m in plan.render()] for plan in timeline.plans] for timeline in (ours, plain)]
    assert texts[0] == texts[1]
    assert ours.tokens.tolist() == plain.tokens.tolist()
    assert ours.untrimmed.tolist() == plain.untrimmed.tolist()


def test_the_result_of_a_call_in_an_answer_that_broke_off_counts_in_no_request():
    broken = Message("assistant", "I look.", tool_calls=(ToolCall("c", "look", "{}"),), metadata={SHOWN_ONLY: True})
    said = [Message("user", "When?"), broken, Message("tool", "At six.", tool_call_id="c"), Message("user", "Well?")]
    timeline = replay(Conversation(said), WHOLE)
    assert timeline.plans[-1].sketch() == "KDDK"
    assert timeline.untrimmed.tolist() == timeline.tokens.tolist()


def test_a_command_says_why_it_is_not_sent_and_no_pin_keeps_it():
    plan = replay(CHAT.pin([0]), WHOLE.replace(pin="alpha*")).plans[-1]
    assert plan.sketch() == "DPPDKKDK"
    assert {plan.reason(i).sentence for i in (0, 3, 6)} == {SHOWN.sentence}


def test_the_map_says_so_too_and_does_not_count_it():
    timeline = replay(CHAT, WHOLE)
    part = unpacked(pack_timeline(timeline, "k", "c"))
    (code,) = part.words["replaced"]
    assert part.sentence(0, code) == SHOWN.sentence
    assert seen_sentence(timeline, 2).endswith("all 5 messages.")


def test_a_command_is_no_loss_and_needed_by_nobody():
    timeline = replay(CHAT, WHOLE)
    assert is_untrimmed(timeline)
    assert not leaves_out(timeline)
    assert find_needs(CHAT) == find_needs(PLAIN) == ((), (), ())


def test_the_history_as_sent_gives_the_same_reason():
    plan = as_sent(CHAT).plans[-1]
    assert [plan.reason(i).sentence for i in (0, 3, 6)] == [SHOWN.sentence] * 3


def test_a_trimmer_is_not_given_commands():
    given = []

    def note(messages: list[dict[str, str]]) -> list[dict[str, str]]:
        given.append([message["content"] for message in messages])
        return messages

    timeline = replay(CHAT, trimmer=note)
    assert given == [[m.content for m in PLAIN[:size]] for size in (1, 3, 5)]
    assert timeline.plans[-1].reason(0).sentence == SHOWN.sentence
    assert timeline.tokens.tolist() == replay(PLAIN, WHOLE).tokens.tolist()
