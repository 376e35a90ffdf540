"""Any timeline, for property tests: of any settings, or of decisions from outside."""

from __future__ import annotations

from conversation_strategies import ODD, ORDINARY, conversation_from, settings
from every_way import every_way
from hypothesis import strategies as st

from historylab import RequestDecisions, Timeline, replay

LONG = st.lists(st.sampled_from([*ORDINARY, *ORDINARY, *ODD]), max_size=50).map(conversation_from)
WAYS = settings() | settings() | st.sampled_from(list(every_way().values()))


@st.composite
def timelines(draw) -> Timeline:
    conversation = draw(LONG)
    if draw(st.sampled_from("oooooooog")) == "o":
        return replay(conversation, draw(WAYS))
    some = st.sets(st.integers(0, 50), max_size=12)
    sent = [sorted(i for i in draw(some) if i < size) for size in conversation.columns.requests.tolist()]
    sent = [[i for i in each if i not in conversation.columns.shown] for each in sent]
    return Timeline.from_decisions(conversation, map(RequestDecisions, sent))
