"""Folding into a summary: within its share, carried unchanged, absorbing the one before, gone when there is no room."""

from __future__ import annotations

from itertools import pairwise

import pytest
from api_rules import counted
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import InstrumentError
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.reasons import Action
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings
from historylab.summarizers.base import SummaryTask

FOLDING = {"policy": "all", "pruner": "summarize"}


def chat(turns: int, words: int = 12) -> Conversation:
    said = [("system", "Be brief.")]
    for k in range(turns):
        said += [("user", f"Where is order ORD-{k}77? " + "Please hurry. " * words)]
        said += [("assistant", f"It is at /srv/orders/{k}.json and costs ${k}.50. " + "Sorry for that. " * words)]
    return Conversation(Message(role, text) for role, text in said)


@pytest.mark.parametrize("share", [0.05, 0.25, 0.6, 1.0])
def test_a_summary_never_exceeds_its_share(share):
    conversation = chat(25)
    summaries = 0
    for budget in (*range(50, 400, 70), 700, 1500, 3000):
        for step in replay(
            conversation, Settings(**FOLDING, budget=budget, **{"pruner.summarize.max_share": share})
        ).steps:
            assert step.plan.summary_tokens <= share * budget
            assert step.plan.tokens == counted(step.plan)
            summaries += step.plan.summary is not None
    assert summaries


@examples(max_examples=60)
@given(conversations(), settings(**FOLDING, compaction="off"))
def test_a_summary_takes_no_more_than_its_share_nor_than_what_it_stands_for(conversation, chosen):
    share = chosen.value("pruner.summarize.max_share")
    for step in replay(conversation, chosen).steps:
        assert step.plan.summary_tokens <= share * step.plan.budget
        folded = step.plan.actions == Action.SUMMARIZED
        assert folded.any() == (step.plan.summary is not None)
        if step.plan.summary and step.plan.summary.made_at == step.size and chosen.policy == "all":
            assert step.plan.summary_tokens <= step.plan.history.tokens[folded].sum()


def test_the_oldest_turns_are_folded_and_the_task_stays():
    chosen = Settings(**FOLDING, budget=700, **{"pruner.summarize.trim_to": 1})
    plan = plan_history(conv("s u a u a u", words=60), chosen)
    assert plan.sketch() == "PSSKKK"
    assert not plan.over_budget
    assert [m.role for m in plan.render()] == ["system", "system", "user", "assistant", "user"]


def test_a_summary_is_carried_word_for_word_until_the_budget_is_reached_again():
    steps = replay(chat(40), Settings(**FOLDING, budget=1000)).steps
    texts = [step.plan.summary.text for step in steps if step.plan.summary]
    made = len(set(texts))
    assert 2 <= made <= len(texts) / 3
    assert all(not step.plan.over_budget for step in steps)


def test_a_second_summary_absorbs_the_first():
    steps = replay(chat(40), Settings(**FOLDING, budget=1000)).steps
    for before, after in pairwise(steps):
        if before.plan.summary:
            was, now = before.plan.actions == Action.SUMMARIZED, after.plan.actions == Action.SUMMARIZED
            assert (now[: len(was)] | ~was).all()
            assert after.plan.summary.covers == now.sum()


def test_what_a_former_summary_kept_is_offered_to_the_next():
    seen = []

    class Remembers:
        name = "a test"

        def summarize(self, task: SummaryTask) -> str:
            seen.append(task.previous)
            return f"summary {len(seen)}"

    chosen = Settings(**FOLDING, budget=1000)
    replay(chat(40), chosen, instruments=with_summarizer(chosen, Remembers()))
    assert seen == ["", *(f"summary {n}" for n in range(1, len(seen)))]
    assert len(seen) > 2


def with_summarizer(chosen: Settings, summarizer) -> Instruments:
    opened = open_instruments(chosen)
    return Instruments(opened.counter, summarizer, opened.relevance)


class Says:
    """A summarizer that always says the same."""

    name = "a test"

    def __init__(self, text: str):
        self.text = text

    def summarize(self, task: SummaryTask) -> str:
        return self.text


@pytest.mark.parametrize(
    ("text", "why"), [("", "a test gave an empty text"), ("far too long " * 1000, "a test wrote 3,005 tokens where")]
)
def test_a_summarizer_that_writes_nothing_that_fits_is_replaced_and_it_says_so(text, why):
    chosen = Settings(**FOLDING, budget=300)
    plan = plan_history(chat(10), chosen, instruments=with_summarizer(chosen, Says(text)))
    assert plan.summary.by == "extractive"
    assert plan.summary.note.startswith(f"extractive stepped in: {why}")
    assert not plan.over_budget


def test_a_summarizer_that_fails_is_replaced_and_it_says_so():
    class Fails:
        name = "a test"

        def summarize(self, task):
            raise InstrumentError("no answer")

    chosen = Settings(**FOLDING, budget=300)
    plan = plan_history(chat(10), chosen, instruments=with_summarizer(chosen, Fails()))
    assert (plan.summary.by, plan.summary.note) == ("extractive", "extractive stepped in: no answer")


def test_a_fault_in_a_summarizer_is_not_swallowed():
    class Broken:
        name = "a test"

        def summarize(self, task):
            raise ZeroDivisionError

    chosen = Settings(**FOLDING, budget=300)
    with pytest.raises(ZeroDivisionError):
        plan_history(chat(10), chosen, instruments=with_summarizer(chosen, Broken()))


def test_without_room_for_any_summary_the_oldest_are_dropped_and_it_says_so():
    plan = plan_history(chat(10), Settings(**FOLDING, budget=300, **{"pruner.summarize.max_share": 0.01}))
    assert set(plan.sketch()) == {"P", "D", "K"}
    assert plan.reason(1).rule == "no_room"
    assert plan.summary is None
    assert not plan.over_budget


def test_a_summary_makes_way_for_what_may_not_be_dropped():
    conversation = Conversation(
        [*conv("s u:60 a:60 u a u a(t)")[:-1], Message("tool", "x " * 150, tool_call_id="call_6_0")]
    )
    for budget in range(150, 420, 7):
        plan = replay(conversation, Settings(**FOLDING, budget=budget)).steps[-1].plan
        assert not plan.over_budget or plan.summary is None
        assert plan.sketch().endswith("KKK")


def test_protected_content_over_the_budget_leaves_no_summary():
    plan = plan_history(conv("s:400 u a u"), Settings(**FOLDING, budget=300))
    assert (plan.sketch(), plan.summary, plan.over_budget) == ("PDDK", None, True)


def test_a_summary_goes_when_last_n_drops_all_it_stands_for():
    conversation = Conversation([*conv("s u:150 a(t t) a(t t) a:150 a"), *conv("u a u")])
    chosen = Settings(policy="lastN", length=1, pruner="summarize", budget=400)
    steps = replay(conversation, chosen).steps
    assert any(step.plan.summary for step in steps)
    assert steps[-1].plan.summary is None
    assert "S" not in steps[-1].plan.sketch()


def test_a_summary_stays_while_last_n_leaves_part_of_what_it_stands_for():
    conversation = chat(12)
    steps = replay(conversation, Settings(policy="lastN", length=6, pruner="summarize", budget=300)).steps
    for step in steps:
        assert ("S" in step.plan.sketch()) == (step.plan.summary is not None)
    assert any("D" in step.plan.sketch() and "S" in step.plan.sketch() for step in steps)


def test_a_summary_is_always_shorter_than_what_it_replaces():
    conversation = conv("s u:20 a:20 u:20 a:20 u a u")
    tokens = plan_history(conversation, Settings(policy="all", pruner="off")).sent_tokens
    options = {"compaction.rolling.messages": 4, "compaction.rolling.max_share": 1}
    chosen = Settings(policy="all", pruner="off", compaction="rolling", **options)
    writers = set()
    for words in range(int(tokens.sum())):
        plan = plan_history(conversation, chosen, instruments=with_summarizer(chosen, Says("word " * words)))
        assert "S" in plan.sketch()
        assert plan.summary_tokens < tokens[plan.actions == Action.SUMMARIZED].sum()
        writers.add(plan.summary.by)
    assert writers == {"a test", "extractive"}, "some of these texts fit, the longer ones don't"


def test_two_stages_that_summarise_share_one_summary():
    chosen = Settings(**FOLDING, budget=500, compaction="at_threshold", window=700, threshold=0.6)
    for step in replay(chat(30), chosen).steps:
        roles = [m.role for m in step.plan.render()]
        assert roles.count("system") == 1 + (step.plan.summary is not None)
        if step.plan.summary:
            assert step.plan.summary.covers == (step.plan.actions == Action.SUMMARIZED).sum()


@pytest.mark.parametrize("budget", [0, 1, 3, 10])
def test_hardly_any_budget_is_no_trouble(budget):
    plan = plan_history(chat(3), Settings(**FOLDING, budget=budget))
    assert (plan.sketch(), plan.over_budget) == ("PDDDDKK", True)


def rolled(messages: int, **options) -> list[str]:
    named = {f"compaction.rolling.{k}": v for k, v in {"messages": messages, "max_share": 1, **options}.items()}
    chosen = Settings(policy="all", pruner="off", compaction="rolling", **named)
    return [plan.sketch() for plan in replay(chat(8), chosen).plans]


def test_rolling_may_keep_fewer_than_half_and_counts_the_former_summary():
    left = [sketch.count("K") for sketch in rolled(8, keep=3)]
    assert left == [1, 3, 5, 7, 3, 5, 7, 3]


def test_rolling_with_as_many_to_keep_as_it_takes_folds_only_what_is_beyond():
    assert rolled(5, keep=5)[-1].count("K") == 5
