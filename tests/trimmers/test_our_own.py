"""Our own Trimmer, driven like anybody's: what is matched to the conversation is what our stages decided."""

from __future__ import annotations

from conversation_strategies import ODD, ORDINARY, conversation_from, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Trimmer, replay

OUTSIDE = ("image", "pin", "narrator")  # what our form of a dict doesn't say
EVENTS = [event for event in (*ORDINARY, *ODD) if event not in OUTSIDE]


@examples(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EVENTS), max_size=14).map(conversation_from), settings(layout="off"))
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
