"""Checkpoints: after a restart a chat goes on from its store, and is planned as replay plans it."""

from __future__ import annotations

import copy

import pytest
from conversation_strategies import conversations, settings
from every_way import every_way
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from postgres_cluster import on_postgres
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, plan_history
from historylab.errors import StoreError
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.planning import checkpoints
from historylab.planning.pipeline import Pipeline, open_pipeline
from historylab.planning.plan import HistoryPlan
from historylab.stores.base import open_store

WAYS = {name: each.replace(counter="chars/4") for name, each in every_way().items()}
CARRIED = {name: each for name, each in WAYS.items() if open_pipeline(each).carries}
SUMMARIZE = Settings(policy="all", pruner="summarize", budget=3000, counter="chars/4")
TRIM_TO = Settings(policy="all", budget=1500, counter="chars/4", **{"pruner.fifo.trim_to": 0.5})
ASKED = [history for history, _ in requests_of(thirty_turns())]


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """A checkpoint every third request."""
    monkeypatch.setattr(checkpoints, "EVERY", 3)


@pytest.fixture
def planned(monkeypatch) -> list[int]:
    """The sizes of the requests that are planned, one after another."""
    sizes: list[int] = []
    plan = Pipeline.plan

    def counted(self, history, *others):
        sizes.append(history.size)
        return plan(self, history, *others)

    monkeypatch.setattr(Pipeline, "plan", counted)
    return sizes


def told(plan: HistoryPlan) -> tuple:
    rendered = [(m.role, m.content, m.tool_call_id, len(m.tool_calls)) for m in plan.render()]
    reasons = [plan.reason(i) for i in range(plan.size)]
    return plan.sketch(), plan.tokens, plan.budget, reasons, rendered, plan.summary


def anew(history: list[dict], chosen: Settings) -> HistoryPlan:
    """The plan that replay makes of a request with this history."""
    return plan_history(Conversation(to_messages(history)), chosen)


def holds_at_any_request(conversation: Conversation, chosen: Settings, data: st.DataObject) -> None:
    """Grown request by request, by processes that end at any of them, it is planned as replay plans it."""
    records, store = [to_record(message) for message in conversation], open_store("memory://")
    trimmer = Trimmer(chosen, store=store)
    for size in range(1, len(records) + 1):
        if data.draw(st.booleans()):
            trimmer = Trimmer(chosen, store=store)
        assert told(trimmer.plan(copy.deepcopy(records[:size]))) == told(anew(records[:size], chosen))


@examples(max_examples=6)
@given(
    conversations(max_size=30),
    st.sampled_from([SUMMARIZE.replace(budget=200), CARRIED["compaction rolling"]]),
    st.data(),
)
def test_restarted_at_any_request_it_is_planned_as_replay_plans_it(conversation, chosen, data):
    holds_at_any_request(conversation, chosen, data)


@pytest.mark.slow
@examples(max_examples=150)
@given(conversations(max_size=40), st.sampled_from([*CARRIED.values()]) | settings(filter="off"), st.data())
def test_restarted_under_any_settings_it_is_planned_as_replay_plans_it(conversation, chosen, data):
    holds_at_any_request(conversation, chosen, data)


FEW = ("pruner summarize", "pruner message_window")


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in FEW)) for n in CARRIED])
def test_thirty_turns_go_on_from_a_checkpoint_every_way_that_carries(name, planned):
    store, asked = open_store("memory://"), ASKED[:20] if name in FEW else ASKED
    first = Trimmer(CARRIED[name], store=store)
    for history in asked:
        first.plan(history)
    for history in asked[-1], asked[-2], asked[len(asked) // 2]:
        planned.clear()
        plan = Trimmer(CARRIED[name], store=store).plan(history)
        assert len(planned) <= 2 * (1 + checkpoints.EVERY)  # a layout plans a request twice
        assert told(plan) == told(anew(history, CARRIED[name]))


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=on_postgres)])
def kept(request, tmp_path):
    """A store, or the URL of one that lasts, in which a chat of 30 requests has its checkpoints."""
    place = {"memory": lambda: open_store("memory://"), "sqlite": lambda: f"sqlite:///{tmp_path}/chats.db"}
    found = place.get(request.param, lambda: request.getfixturevalue("postgres").place())()
    trimmer = Trimmer(TRIM_TO, store=found)
    for history in ASKED[:30]:
        trimmer.plan(history)
    return found


LAST = len(ASKED[29])


@pytest.mark.parametrize(
    ("change", "chosen", "requests"),
    [
        (lambda said: said, TRIM_TO, 2),
        (lambda said: said[: LAST // 2], TRIM_TO, 3),
        (lambda said: said, TRIM_TO.replace(budget=1400), 30),
        (lambda said: said, TRIM_TO.replace(counter="characters"), 30),
        (lambda said: [*said[: LAST // 2], {**said[LAST // 2], "content": "no"}, *said[LAST // 2 + 1 :]], TRIM_TO, 17),
        (lambda said: [{**said[0], "content": "Another prompt."}, *said[1:]], TRIM_TO, 30),
    ],
    ids=["the same", "a shorter one", "another budget", "another counter", "an edit in the middle", "another prompt"],
)
def test_a_checkpoint_is_used_where_all_before_it_is_as_it_was(kept, planned, change, chosen, requests):
    history = change(copy.deepcopy(ASKED[29]))
    planned.clear()
    plan = Trimmer(chosen, store=kept).plan(history)
    assert len(planned) == requests
    assert told(plan) == told(anew(history, chosen))


class Kept:
    """A store over another: what it reads is changed on the way, or refused."""

    def __init__(self, change):
        self.store, self.change = open_store("memory://"), lambda key, value, others: value
        for history in ASKED[:20]:
            Trimmer(SUMMARIZE, store=self).plan(history)
        self.change = change

    def read_state(self, keys):
        found = self.store.read_state(keys)
        return {key: self.change(key, value, [*found.values()]) for key, value in found.items()}

    def write_state(self, key, value):
        return self.store.write_state(key, value)


def damaged(key: str, value: str, others: list[str]) -> str:
    return value if value.startswith("[") else value.replace("0", "1")  # a summary is a list


def of_another_request(key: str, value: str, others: list[str]) -> str:
    return value if value.startswith("[") else others[-1] if others[0] == value else others[0]


def something_else(key: str, value: str, others: list[str]) -> str:
    return value if value.startswith("[") else '["a summary", 3, 1, "me", "", ""]'


def cut_off(key: str, value: str, others: list[str]) -> str:
    return value if value.startswith("[") else value[:50]


@pytest.mark.parametrize("change", [damaged, of_another_request, something_else, cut_off])
def test_one_that_is_damaged_or_foreign_is_not_used(change, planned):
    store = Kept(change)
    planned.clear()
    plan = Trimmer(SUMMARIZE, store=store).plan(ASKED[19])
    assert len(planned) == 20
    assert told(plan) == told(anew(ASKED[19], SUMMARIZE))


def test_a_store_that_fails_leaves_a_chat_without_checkpoints():
    class Failing:
        def read_state(self, *_):
            raise StoreError("away")

        write_state = read_state

    assert told(Trimmer(TRIM_TO, store=Failing()).plan(ASKED[19])) == told(anew(ASKED[19], TRIM_TO))


def test_two_processes_that_take_turns_on_one_chat_plan_as_replay_does():
    store = open_store("memory://")
    workers = [Trimmer(SUMMARIZE, store=store), Trimmer(SUMMARIZE, store=store)]
    for number, history in enumerate(ASKED[:24]):
        assert told(workers[number % 5 > 2].plan(copy.deepcopy(history))) == told(anew(history, SUMMARIZE))


def test_a_plan_made_under_another_prompt_is_no_checkpoint(planned):
    store = open_store("memory://")
    trimmer = Trimmer(TRIM_TO, store=store)
    for number, history in enumerate(ASKED[:20]):
        trimmer.plan([{**history[0], "content": f"It is {number} o'clock."}, *history[1:]])
    asked = [{**ASKED[19][0], "content": "It is 19 o'clock."}, *ASKED[19][1:]]
    planned.clear()
    assert told(Trimmer(TRIM_TO, store=store).plan(asked)) == told(anew(asked, TRIM_TO))
    assert planned[:20] == sorted(planned[:20])
