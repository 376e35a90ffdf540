"""Plans that only count agree with the pipeline's, message for message."""

from __future__ import annotations

import numpy as np
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from token_sketches import COUNTER, counted, replayed

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS
from historylab.planning.cut_ground import CutGround
from historylab.planning.cut_stages import OFF, POLICIES, covers, plan_cuts
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.pipeline import open_instruments
from historylab.planning.reasons import Action
from historylab.planning.replay import replay
from historylab.settings.model import Settings

PRUNERS = ("off", "fifo", "sliding_window", "adaptive", "message_window", "summarize", "relevance", "pairs")
LASTING = (
    {"pruner": "fifo", "pruner.fifo.trim_to": 0.6},
    {"pruner": "fifo", "pruner.fifo.trim_to": 0.2, "pruner.fifo.unit": "block"},
    {"pruner": "fifo", "pruner.fifo.trim_to": 0.9, "pruner.fifo.unit": "whole_turn"},
    {"pruner": "sliding_window", "pruner.sliding_window.turns": 3, "pruner.sliding_window.trim_to": 0.4},
    {"pruner": "message_window", "pruner.message_window.keep": 3, "pruner.message_window.trigger": 7},
)
COVERED = st.sampled_from(
    [
        {**dict.fromkeys(OFF, "off"), "policy": policy, "tool_output": tool_output, **pruner}
        for policy in POLICIES
        for tool_output in ("off", "clear", "truncate", "collapse")
        for pruner in (*({"pruner": name} for name in PRUNERS), *LASTING)
    ]
).flatmap(lambda fixed: settings(**fixed))


def made(conversation: Conversation, chosen: Settings, budgets: list[int]) -> CutVectors | None:
    """The cuts, where they are told without plans."""
    if not (covers(chosen) and CutGround.suits(conversation, chosen)):
        return None
    ground = CutGround(conversation, open_instruments(chosen).counter, chosen)
    return plan_cuts(ground, chosen, budgets)


@tried(max_examples=60)
@given(conversations(max_size=24), COVERED, st.lists(st.integers(0, 400), min_size=1, max_size=2), st.integers(0, 20))
def test_every_request_sends_what_its_plan_does(conversation, chosen, budgets, request):
    sizes, more = replay(conversation, chosen).tokens, chosen.reserve + chosen.overhead
    budgets = [0, 1, *budgets, *sizes[request : request + 1].tolist()]  # and one that just fits
    wanted = [min(budget + more, MOST_TOKENS) for budget in budgets]
    found = made(conversation, chosen, [max(0, budget - more) for budget in wanted])
    for number, budget in enumerate(wanted) if found else ():
        timeline = replay(conversation, chosen.replace(budget=budget))
        assert found.tokens[number].tolist() == timeline.tokens.tolist()
        assert found.over_budget[number].tolist() == timeline.over_budget.tolist()
        for k, plan in enumerate(timeline.plans):
            sent = found.sends(number, k)
            assert sent.tolist() == plan.sent.tolist()
            assert (
                shortened(found, number, k, sent).tolist() == np.flatnonzero(plan.actions == Action.TRUNCATED).tolist()
            )


def test_a_cut_lasts_until_it_is_full_again():
    """Turns of 20 tokens under a budget of 100: at the sixth request three go, at the ninth three more, and so on."""
    halved = Settings(policy="all", budget=100, **{"pruner.fifo.trim_to": 0.5})
    chat = counted(" ".join(["u10 a10"] * 12) + " u10")
    found = cut_vectors_of(chat, halved)
    assert found.cuts[0].tolist() == [0, 0, 0, 0, 0, 6, 6, 6, 12, 12, 12, 18, 18]  # as test_trim_to.py has it


def test_a_task_older_than_the_last_messages_counts_for_the_trigger():
    """A task of 40, a call of 5 and a result of 20 are more than 50, so that the result is 6 words: it was cleared."""
    options = {"tool_output.clear.keep": 0, "tool_output.clear.batch": 1, "tool_output.clear.trigger": 50}
    newest = Settings(policy="lastMessages", length=2, pruner="off", tool_output="clear", **options)
    chat = counted("u40 c5 t20 c5 t20")
    assert replayed(chat, newest).tokens.tolist() == [40, 51, 51]
    assert cut_vectors_of(chat, newest).tokens[0].tolist() == [40, 51, 51]


def cut_vectors_of(chat: Conversation, chosen: Settings) -> CutVectors:
    found = plan_cuts(CutGround(chat, COUNTER, chosen), chosen, [chosen.budget])
    assert found is not None
    return found


def shortened(found: CutVectors, number: int, request: int, sent: np.ndarray) -> np.ndarray:
    texts, stop = found.ground.texts, found.stops[number, request]
    if texts is None:
        return np.empty(0, np.int64)
    homes = texts.homes[:stop]
    return texts.messages[:stop][sent[homes] & found.ground.open[homes]]
