"""Over any conversation: our own Trimmer, driven like anybody's, and trimmers that return whatever they like."""

from __future__ import annotations

from copy import deepcopy

from conversation_strategies import ODD, ORDINARY, conversation_from, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Trimmer, replay
from historylab.formats.messages.chat_messages import to_message

OUTSIDE = ("image", "pin", "narrator", "injected user")  # what our form of a dict doesn't say
EVENTS = [event for event in (*ORDINARY, *ODD) if event not in OUTSIDE]
CONVERSATIONS = st.lists(st.sampled_from(EVENTS), max_size=14).map(conversation_from)


@examples(max_examples=60, deadline=None)
@given(CONVERSATIONS, settings(layout="off"))
def test_a_trimmer_that_decides_as_our_stages_do_sends_the_same(conversation, chosen):
    ours, driven = replay(conversation, chosen), replay(conversation, trimmer=Trimmer(chosen).trim)
    for number, (mine, theirs) in enumerate(zip(ours.plans, driven.plans, strict=True)):
        if number in driven.errors:
            assert driven.errors[number].startswith("it raised NothingToSend")
            continue
        assert theirs.render() == mine.render()
        assert sent_letters(theirs) == sent_letters(mine)


def sent_letters(plan):
    """The letters, without the difference of what is always sent, and of what a summary stands for."""
    return plan.sketch().replace("P", "K").replace("S", "D")


class Editor:
    """Drops, moves, repeats, shortens and adds messages as chance has it; `returned` is what it said each time."""

    def __init__(self, chance, copies):
        self.chance, self.copies, self.returned = chance, copies, []

    def __call__(self, messages):
        kept = [self.edit(message) for message in messages if self.chance.random() < 0.7]
        if self.chance.random() < 0.3:
            kept = kept[1:] + kept[:2]
        if self.chance.random() < 0.2:
            kept.append({"role": "user", "content": "m1 m1 m1 m1 and what follows"})
        self.returned.append([to_message(message) for message in kept])
        return deepcopy(kept) if self.copies else kept

    def edit(self, message):
        text = message.get("content") or ""
        shorter = text[: len(text) // 2] if self.chance.random() < 0.2 else ""
        return {**message, "content": shorter} if shorter else message


@examples(max_examples=60, deadline=None)
@given(CONVERSATIONS, st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_what_a_plan_sends_is_what_the_trimmer_returned(conversation, chance, copies, carry):
    editor = Editor(chance, copies)
    timeline = replay(conversation, trimmer=editor, carry=carry)
    assert [list(map(words, plan.render())) for plan in timeline.plans] == [
        list(map(words, messages)) for messages in editor.returned
    ]


def words(message):
    return message.role, message.content, message.tool_calls, message.tool_call_id
