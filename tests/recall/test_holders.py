"""Asked of all requests at once, a value has the holder that each request, message by message, gives it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from any_timelines import timelines
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import summaries_in
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST
from historylab.recall.holders import Sayings, find_holders
from historylab.recall.references import contains_value, searchable_text

VALUES = st.sampled_from(["", "m0", "m3", "row4", "look_up", "result", "tokens", "/srv/data/5.csv", "rule 2", "user"])
SAID = st.lists(st.tuples(VALUES, st.sets(st.integers(0, 49), max_size=7)), min_size=1, max_size=4)


def holder(plan: HistoryPlan, value: str, mentions: list[int]) -> int:
    """The reference: every message that is sent is read as it is sent."""
    conversation = plan.history.conversation
    shorter = {i: cut.texts for cut in plan.shortened for i in cut.messages.tolist()}

    def says(i: int) -> bool:
        if plan.actions[i] > 2 or i not in shorter or not value:
            return bool(plan.actions[i] <= 2)
        return contains_value(searchable_text(shorter[i].with_text(i, conversation[i]), shorter[i][i]), value)

    held = [i for i in mentions if i < plan.size and says(i)]
    if not summaries_in(conversation).issuperset(held):
        return BY_MESSAGE
    texts = [*([plan.summary.text] if plan.summary else []), *(other.content for other in plan.others)]
    return BY_SUMMARY if held or (value and any(contains_value(text, value) for text in texts)) else LOST


@examples(max_examples=30)
@given(timelines(), SAID)
def test_every_request_holds_what_it_sends_or_sums_up(timeline, said):
    count = len(timeline.conversation)
    said = [(value, np.array(sorted(i for i in of if i < count), np.int64)) for value, of in said]
    asked = [(r, k) for r in range(len(timeline.plans)) for k in range(len(said))]
    requests, which = np.array(asked, np.int64).reshape(-1, 2).T
    found = find_holders(timeline, Sayings(timeline.conversation, said), requests, which)
    assert found.tolist() == [holder(timeline.plans[r], said[k][0], said[k][1].tolist()) for r, k in asked]


def test_an_older_result_that_is_pinned_is_never_shortened():
    """Both say the id, and the newer one is cleared: a request holds it while the pinned one does."""
    chat = list(conv("u a(t:40) u a(t:40) u a(t:40) u"))
    for i in (2, 5):
        chat[i] = replace(chat[i], content=f"id CART-77 {chat[i].content}", pinned=i == 2)
    newest = {"tool_output.clear.keep": 1, "tool_output.clear.batch": 1}
    clears = Settings(policy="all", pruner="off", tool_output="clear", **newest)
    timeline, said = replay(Conversation(chat), clears), [("CART-77", np.array([2, 5])), ("CART-77", np.array([5]))]
    assert timeline.plans[-1].sketch() == "KPPKKTKKKK"
    sayings, last = Sayings(timeline.conversation, said), np.full(2, len(timeline.plans) - 1)
    assert find_holders(timeline, sayings, last, np.arange(2)).tolist() == [BY_MESSAGE, LOST]
