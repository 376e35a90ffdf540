"""Every registered stage keeps the four rules, whatever the conversation, its options and the stages before it.

Total: one decision per message. Reasoned: each says why. Whole: a call and its results share one fate. Monotone: what
is pinned, dropped or summarised stays so. Deterministic besides, and true about its tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from api_rules import counted, refusals
from conversation_strategies import ODD, ORDINARY, conversation_from, conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from plan_rules import assert_monotone, assert_total_and_reasoned, assert_whole
from setting_values import values

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Summary
from historylab.counters.base import count_text
from historylab.planning.history import History
from historylab.planning.pipeline import open_instruments, open_pipeline, plan_requests
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, _reasons, reason
from historylab.planning.slot_zero import start
from historylab.planning.strategies.base import Context
from historylab.settings.effect import READ_BY_EVERY_PLAN
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names

STAGES = [(family, name) for family in registry.STAGE_FAMILIES for name in sorted(registry.members(family))]
EARLIER = reason("earlier", "Decided by an earlier stage.")


def under_way(conversation: Conversation, chosen: Settings, decisions: list[int]) -> tuple[HistoryPlan, Context]:
    """A plan some stage has already decided on, at random, and what the next stage may look at."""
    instruments = open_instruments(chosen)
    previous = list(plan_requests(conversation, chosen, instruments=instruments))
    earlier = [plan for plan in previous if plan.size < len(conversation)]
    history = History(conversation, instruments.counter, len(conversation))
    plan = start(history, open_pipeline(chosen).budget, chosen.preserve_system_messages)
    wanted = np.resize(np.array([*decisions, 0], np.uint8), history.blocks)
    plan = plan.pin(wanted == Action.PINNED, EARLIER).drop(wanted == Action.DROPPED, EARLIER)
    if (plan.open & (wanted == Action.SUMMARIZED)).any() and not any(p.summary for p in earlier):
        text = "[Summary]\nearlier"
        summary = Summary(text, count_text(instruments.counter, text), 1, 0, "a test")
        plan = plan.summarize(wanted == Action.SUMMARIZED, summary, EARLIER)
    cut = [i for i in range(len(conversation)) if wanted[history.columns.block[i]] == Action.TRUNCATED]
    plan = plan.truncate({i: conversation[i].content[:3] for i in cut}, EARLIER)
    return plan, Context(history, chosen, instruments, earlier[-1] if earlier else None)


@pytest.mark.parametrize(("family", "name"), STAGES)
def test_a_stage_keeps_the_four_rules(family, name):
    @examples(max_examples=25)
    @given(
        conversations(),
        settings(**{family: name}),
        st.lists(st.sampled_from(list(Action)), max_size=6),
    )
    def keeps_them(conversation, chosen, decisions):
        plan, context = under_way(conversation, chosen, decisions)
        before = (plan.sketch(), plan.tokens, plan.summary)
        stage = registry.member(family, name).target
        after = stage(plan, context, **chosen.options_of(family))
        again = stage(plan, context, **chosen.options_of(family))

        assert (plan.sketch(), plan.tokens, plan.summary) == before, "the plan it was given has changed"
        assert_total_and_reasoned(after)
        assert_whole(after)
        assert_monotone(plan, after)
        assert (again.sketch(), again.tokens, again.summary) == (after.sketch(), after.tokens, after.summary)
        assert after.tokens == counted(after)
        assert refusals(after.render()) == []

    keeps_them()


@pytest.mark.parametrize(("family", "name"), [stage for stage in STAGES if stage[0] == "tool_output"])
def test_a_tool_output_stage_never_lengthens(family, name):
    @examples(max_examples=30)
    @given(conversations(), settings(**{family: name}), st.lists(st.sampled_from([Action.TRUNCATED, 0]), max_size=6))
    def never_longer(conversation, chosen, decisions):
        plan, context = under_way(conversation, chosen, decisions)
        after = registry.member(family, name).target(plan, context, **chosen.options_of(family))
        assert (after.sent_tokens <= plan.sent_tokens).all()

    never_longer()


def test_a_reason_names_settings_there_are():
    named = {name for reason in _reasons for name in (reason.setting, *reason.remedy) if name}
    assert named - {*setting_names()} == set()


class Recorded:
    """Stands for settings, their options or instruments, and notes the settings that are read from them."""

    def __init__(self, of: Any, note: Callable[[str], None]):
        self._of, self._note = of, note

    def __getattr__(self, name: str) -> Any:
        self._note(name)
        return Recorded(self._of.options, self._note) if name == "options" else getattr(self._of, name)

    def __getitem__(self, name: str) -> Any:
        self._note(name)
        return self._of[name]

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return self._of.get(name, default)


CHAT = conversation_from(["system", *ORDINARY, *ODD, *ORDINARY, "user"])


def read_by(family: str, name: str, chosen: Settings) -> set[str]:
    """The settings that a stage reads while it decides on every request of a chat."""
    found: set[str] = set()
    stage, instruments, plan = registry.member(family, name).target, open_instruments(chosen), None
    seen = Recorded(chosen, found.add), Recorded(instruments, found.add)
    for size in CHAT.columns.requests.tolist():
        history = History(CHAT, instruments.counter, size)
        begun = start(history, open_pipeline(chosen).budget, chosen.preserve_system_messages)
        plan = stage(begun, Context(history, *seen, plan), **chosen.options_of(family))
    return found & set(setting_names())


@pytest.mark.parametrize(("family", "name"), STAGES)
def test_a_stage_declares_the_settings_it_reads(family, name):
    """Under each value of each option, and of each setting it reads, as that may lead it to read others."""
    stage = registry.member(family, name)
    base = Settings(**{"policy": "all", "budget": 100, "window": 100, family: name})
    found, tried = read_by(family, name, base), set()
    while ahead := {*(f"{family}.{name}.{option.name}" for option in stage.options), *found} - tried:
        tried |= ahead
        for setting in ahead - {*FIELDS_THAT_CHOOSE}:
            found |= {n for value in values(setting) for n in read_by(family, name, base.replace(**{setting: value}))}
    others = found - READ_BY_EVERY_PLAN
    assert others <= set(stage.reads), f"@register({family!r}, reads={tuple(sorted(others))!r})"
    assert others == set(stage.reads), "it declares a setting it doesn't read"
