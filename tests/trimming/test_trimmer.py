"""A Trimmer, request by request: whatever becomes of a history, it sends what replay shows of it."""

from __future__ import annotations

import asyncio
import copy
import operator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import pytest
from conversation_strategies import conversations, settings
from every_way import every_way
from framework_apps import finished
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from postgres_cluster import on_postgres
from request_forms import WRITERS
from sketches import conv
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, plan_history, replay, trim
from historylab.errors import LoadError, NothingToSend, SettingsError, StoreError, UnknownMember
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.formats.requests.items import items_in
from historylab.planning.plan import HistoryPlan
from historylab.stores.base import open_store
from historylab.trimming import chats

WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}
CARRIES = Settings(policy="all", pruner="summarize", budget=3000, counter="chars/4")


def anew(history: list[dict], settings: Settings) -> HistoryPlan:
    """The plan that replay makes of a request with this history."""
    return plan_history(Conversation(to_messages(history)), settings)


def in_short(plan: HistoryPlan) -> tuple:
    rendered = [(m.role, m.content, m.tool_call_id, len(m.tool_calls)) for m in plan.render()]
    return plan.sketch(), plan.tokens, plan.budget, plan.reasons.tolist(), rendered


def records_of(conversation: Conversation) -> list[dict]:
    return [to_record(message) for message in conversation]


@examples(max_examples=60)
@given(conversations(), settings(filter="off"), st.lists(st.integers(1, 4), min_size=1, max_size=20))
def test_a_growing_history_is_planned_as_replay_plans_it_however_often_it_is_asked(conversation, chosen, steps):
    records, trimmer, size = records_of(conversation), Trimmer(chosen), 0
    for step in steps:
        size = min(len(records), size + step)
        for _ in range(1 + step % 2):  # a retry, now and then
            assert in_short(trimmer.plan(records[:size])) == in_short(anew(records[:size], chosen))


@examples(max_examples=40)
@given(conversations(), conversations(max_size=6), settings(filter="off"), st.data())
def test_an_edit_a_fork_and_a_restart_are_planned_from_what_is_still_the_same(one, other, chosen, data):
    records, others, trimmer = records_of(one), records_of(other), Trimmer(chosen)
    histories = [records]
    for _ in range(4):
        base = data.draw(st.sampled_from(histories))
        kept = base[: data.draw(st.integers(0, len(base)))]
        histories.append([*kept, *others, *base[len(kept) + data.draw(st.integers(0, 2)) :]])
    for history in [*histories, *map(copy.deepcopy, reversed(histories))]:
        for size in {len(history) // 2, len(history)}:
            assert in_short(trimmer.plan(history[:size])) == in_short(anew(history[:size], chosen))
            with suppress(NothingToSend):
                assert trimmer.decide(history[:size]).items == history[:size]


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (k % 3 > 0)) for k, n in enumerate(WAYS)])
def test_thirty_turns_are_what_replay_shows_every_way_there_is(name):
    trimmer, plans = Trimmer(WAYS[name]), replay(Conversation(to_messages(thirty_turns())), WAYS[name]).plans
    asked = [history for history, _ in requests_of(thirty_turns())]
    assert len(asked) == len(plans)
    for history, plan in zip(asked, plans, strict=True):
        assert in_short(trimmer.plan(history)) == in_short(plan)


def test_a_system_prompt_that_changes_at_every_call_keeps_what_was_cut_and_summarised():
    trimmer = Trimmer(CARRIES)
    covers = []
    for number, (history, _) in enumerate(requests_of(thirty_turns())):
        prompt = {"role": "system", "content": f"You look after the ferries. It is {number:03} o'clock."}
        plan = trimmer.plan([prompt, *history[1:]])
        assert plan.render()[0].content == prompt["content"]
        assert not plan.over_budget
        covers.append(plan.summary.covers if plan.summary else 0)
    assert covers == sorted(covers)
    assert len(set(covers)) < len(covers) / 3  # most requests go on with the same summary


def test_of_another_number_of_leading_system_messages_the_newest_are_sent():
    trimmer, history = Trimmer(CARRIES), [*requests_of(thirty_turns())][-1][0]
    trimmer.trim(history)
    more = [*history[:1], {"role": "system", "content": "Remember: quay 4."}, *history[1:]]
    for given_now in (more, history, history[1:], more):
        assert in_short(trimmer.plan(given_now)) == in_short(anew(given_now, CARRIES))


def test_what_is_kept_is_the_callers_own_object_as_it_was_given_last():
    trimmer, history = Trimmer(Settings()), thirty_turns()[:20]
    assert all(any(m is own for own in history) for m in trimmer.trim(history))
    again = copy.deepcopy(history)
    assert all(any(m is own for own in again) for m in trimmer.trim(again))
    items = [*history[:1], {"type": "message", **history[1]}]
    assert all(a is b for a, b in zip(Trimmer(Settings()).trim(items), items, strict=True))


def test_an_answer_that_went_on_is_sent_as_it_was_given_last():
    asked = {"role": "user", "content": "When?"}
    answer = [{"role": "assistant", "content": [{"type": "output_text", "text": text}]} for text in ("At 6.", "At 7.")]
    trimmer = Trimmer(Settings(), format="responses")
    for given_now in ([asked, answer[0]], [asked, *answer], [asked, *answer]):
        again = copy.deepcopy(given_now)
        assert all(a is b for a, b in zip(trimmer.trim(again), again, strict=True))


def test_leading_systems_stay_the_callers_own_once_an_item_says_whose_api_it_is():
    trimmer, items = (
        Trimmer(Settings()),
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When?"}],
    )
    for given_now in (items, [*items, {"type": "function_call", "call_id": "c", "name": "look_up", "arguments": "{}"}]):
        assert all(a is b for a, b in zip(trimmer.trim(given_now), given_now, strict=True))


def test_an_object_that_comes_twice_stays_the_callers_own_when_the_later_one_is_taken_back():
    trimmer, again = Trimmer(Settings()), {"role": "user", "content": "Go on."}
    history = [
        thirty_turns()[1],
        {"role": "assistant", "content": "Yes."},
        again,
        {"role": "assistant", "content": "So."},
    ]
    trimmer.trim([*history, again])
    assert all(a is b for a, b in zip(trimmer.trim(history), history, strict=True))


def test_a_request_of_which_a_filter_leaves_nothing_raises_and_one_that_was_empty_comes_back():
    trimmer = Trimmer(Settings(filter="participants", length=0, **{"filter.participants.ids": "Noor"}))
    with pytest.raises(NothingToSend, match=r"a filter that keeps the newest one\. Said by somebody"):
        trimmer.trim([{"role": "user", "content": "Hello"}])
    assert trimmer.trim([]) == []
    with pytest.raises(NothingToSend, match=r"no message of this request to be sent\. Left out"):
        Trimmer(Settings()).trim([{"role": "tool", "tool_call_id": "none", "content": "of no call"}])


def test_a_request_that_cant_be_read_leaves_no_trace():
    trimmer, history = Trimmer(Settings()), thirty_turns()[:4]
    trimmer.trim(history)
    of_another_api = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "At 6."}]}
    with pytest.raises(LoadError, match="message 0 of those given"):  # that API has no system messages
        trimmer.trim([*history, of_another_api])
    assert trimmer.trim(history) == history


def test_a_cache_marker_that_moves_is_no_edit_and_is_sent_where_it_is_now():
    trimmer, plans = Trimmer(CARRIES), replay(Conversation(to_messages(thirty_turns())), CARRIES).plans
    for (history, _), plan in zip(requests_of(thirty_turns()), plans, strict=True):
        marked = [*history[:-1], {**history[-1], "cache_control": {"type": "ephemeral"}}]
        assert [m for m in trimmer.trim(marked) if "cache_control" in m] == [marked[-1]]
        assert in_short(trimmer.plan(marked)) == in_short(plan)


def test_a_cache_marker_that_moves_in_a_retry_is_sent_where_it_is_now():
    trimmer, history = Trimmer(Settings()), thirty_turns()[:9]
    for place in (2, 5, 8, 5):
        marked = [{**m, "cache_control": {"type": "ephemeral"}} if k == place else m for k, m in enumerate(history)]
        assert all(a is b for a, b in zip(trimmer.trim(marked), marked, strict=True))


def test_an_edit_may_join_what_was_two_answers():
    call = {"type": "function_call", "call_id": "c", "name": "look_up", "arguments": "{}"}
    items = [
        {"role": "user", "content": "When?"},
        {"role": "assistant", "content": "I'll look."},
        {"role": "user", "content": "Do."},
        call,
        {"type": "function_call_output", "call_id": "c", "output": "At 6."},
    ]
    trimmer, without = Trimmer(Settings(), format="responses"), items[:2] + items[3:]
    trimmer.plan(items)
    assert in_short(trimmer.plan(without)) == in_short(Trimmer(Settings(), format="responses").plan(without))


@pytest.mark.parametrize("output", [b"6", object(), {"at": b"6"}])
def test_a_result_that_is_no_json_is_refused_as_such(output):
    call = {"type": "function_call", "call_id": "c", "name": "look_up", "arguments": "{}"}
    items = [{"role": "user", "content": "When?"}, call, {**call, "type": "function_call_output", "output": output}]
    with pytest.raises(LoadError, match=r"message 2 of those given: output is .*, not text or a list of parts"):
        Trimmer(Settings(), format="responses").trim(items)


def test_words_in_place_of_reasoning_that_said_nothing_are_read():
    reasoning = {"type": "reasoning", "id": "r", "summary": []}
    items = [{"role": role, "content": role} for role in ("user", "assistant", "user")]
    trimmer = Trimmer(Settings(), format="responses")
    trimmer.trim([*items[:2], reasoning, items[2]])
    other = [*items[:2], {"role": "user", "content": "Or else?"}, items[2]]
    assert trimmer.trim(other) == other


def test_reasoning_that_says_nothing_is_sent_with_what_it_followed():
    reasoning = {"type": "reasoning", "id": "r", "summary": []}
    items = [{"role": "user", "content": "When?"}, reasoning, {**reasoning, "id": "r2"}]
    trimmer = Trimmer(Settings(), format="responses")
    assert [trimmer.trim(items[:size]) for size in (2, 3)] == [items[:2], items]


def test_a_request_that_was_taken_back_and_goes_on_otherwise_leaves_no_trace():
    history = thirty_turns()
    asked = [k for k, m in enumerate(history) if m["role"] == "assistant" and k > 40][:12:2]
    for at in asked:
        trimmer, other = Trimmer(CARRIES), [*history[:at], {"role": "user", "content": "Or " * 900}, *history[at:]]
        for now in (history[: at + 1], history[:at], other):
            assert in_short(trimmer.plan(now)) == in_short(anew(now, CARRIES))


def test_a_decision_is_what_is_sent_its_plan_and_the_chat():
    trimmer, messages = Trimmer(Settings(policy="lastN", length=1)), records_of(conv("s u a u"))
    first = trimmer.decide(messages)
    later = trimmer.decide([*messages, *records_of(conv("a u"))])
    other = trimmer.decide(records_of(conv("u:7 a u")))
    assert first.sent == Trimmer(trimmer.settings).trim(messages) and first.plan.sketch() == "PDDK"
    assert later.chat is first.chat is not other.chat


def test_what_was_given_before_comes_back_with_the_decision_as_the_object_of_that_time():
    trimmer, messages = Trimmer(Settings()), records_of(conv("s u a u"))
    trimmer.decide(messages)
    grown = [*copy.deepcopy(messages), *records_of(conv("a u"))]
    decided = trimmer.decide(grown)
    assert decided.items == grown and all(map(operator.is_, decided.items[1:], messages[1:]))


def test_a_leading_item_that_only_its_form_changes_comes_back_with_the_decision_as_it_is_now():
    trimmer, (system, *others) = Trimmer(Settings()), records_of(conv("s u a u"))
    trimmer.decide([system, *others])
    marked = {"type": "text", "text": system["content"], "cache_control": {"type": "ephemeral"}}
    now = [{"role": "system", "content": [marked]}, *others]
    assert trimmer.decide(now).items == now


def test_a_conversation_that_is_had_again_is_one_chat_of_its_own():
    trimmer, whole = Trimmer(Settings()), records_of(conv("s u a u a u a u a u"))
    former = trimmer.decide(whole).chat
    again = {trimmer.decide(whole[:size]).chat for size in range(2, 10, 2)}
    assert len(again) == 1 and former not in again
    assert trimmer.decide(whole).chat is former  # a request that is repeated, from its first message to its last


def test_what_is_done_to_a_shortened_message_is_not_in_the_next_request():
    call = {"id": "c", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    asked = [{"role": "user", "content": "Look it up."}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    chosen = Settings(tool_output="truncate", **{"tool_output.truncate.limit": 5}, min_turns=0)
    trimmer, history = Trimmer(chosen), [*asked, {"role": "tool", "tool_call_id": "c", "content": "words " * 200}]
    history += [{"role": "assistant", "content": "Found."}, {"role": "user", "content": "Thanks."}]
    sent = trimmer.trim(history)
    shortened = sent[2]["content"]
    assert len(shortened) < len(history[2]["content"])
    sent[2]["content"] = "changed by the app"
    assert trimmer.trim(history)[2]["content"] == shortened


def test_what_is_done_to_the_parts_of_a_rewritten_message_is_not_in_the_next_request():
    trimmer = Trimmer(Settings(projection="point_of_view", **{"projection.point_of_view.agent": "moss"}))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    history = [{"role": "user", "name": "fern", "content": [{"type": "text", "text": "Look."}, image]}]
    sent = trimmer.trim(history)
    unchanged = copy.deepcopy(sent)
    assert sent[0] is not history[0]
    sent[0]["content"][1]["image_url"]["url"] = "changed by the app"
    assert trimmer.trim(history) == unchanged


def test_an_old_message_changed_in_place_is_seen_after_forget():
    trimmer, history = Trimmer(Settings()), [{"role": "user", "content": text} for text in ("one", "two", "three")]
    before = trimmer.plan(history).tokens
    history[1]["content"] = "two " * 100
    assert trimmer.plan(history).tokens == before
    trimmer.forget()
    assert trimmer.plan(history).tokens > before


def test_several_conversations_at_once_from_many_threads_are_each_their_own():
    trimmer = Trimmer(CARRIES)
    chats_of = [
        [{**m, "content": f"{who}: {m['content']}"} if m["role"] == "user" and isinstance(m["content"], str) else m
         for m in thirty_turns()]
        for who in range(3)
    ]  # fmt: skip
    asked = [history for whole in chats_of for history, _ in list(requests_of(whole))[::6]]
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda history: in_short(trimmer.plan(history)), asked))
    assert got == [in_short(anew(history, CARRIES)) for history in asked]


def test_a_format_that_no_request_has_is_named_at_once():
    with pytest.raises(UnknownMember, match="slack"):
        Trimmer(format="slack")


@pytest.mark.parametrize("given", [{"policy": "all"}, {}, "all"])
def test_what_are_no_settings_is_refused_at_once(given):
    with pytest.raises(SettingsError, match=r"settings are a historylab\.Settings, not a Python (dict|str)"):
        Trimmer(given)


@pytest.mark.parametrize("given", [Path("chats.db"), 5])
def test_what_is_no_store_is_refused_at_once(given):
    with pytest.raises(StoreError, match=r"an opened store or its URL \(sqlite:///chats\.db\), not a Python "):
        Trimmer(store=given)


@pytest.mark.parametrize("plan", [replay, plan_history])
def test_a_list_given_in_place_of_a_conversation_is_pointed_to_the_trimmer(plan):
    with pytest.raises(LoadError, match=r"a list of 1, .* `plan\(messages\)` takes messages"):
        plan([{"role": "user", "content": "?"}], Settings())


def test_what_is_shortened_has_the_cache_markers_of_now():
    call = {"id": "c", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    asked = [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    result = {"role": "tool", "tool_call_id": "c", "content": "row " * 500}
    trimmer = Trimmer(Settings(tool_output="truncate", **{"tool_output.truncate.limit": 20}))
    marked = trimmer.trim([*asked, {**result, "cache_control": {"type": "ephemeral"}}])
    assert "cache_control" in marked[-1]
    sent = trimmer.trim([*asked, result, {"role": "user", "content": "and?"}])
    assert len(sent[2]["content"]) < 500
    assert not any("cache_control" in message for message in sent)


def test_only_the_newest_chats_are_remembered(monkeypatch):
    monkeypatch.setattr(chats, "MOST_ITEMS", 50)
    trimmer, histories = Trimmer(CARRIES), [[{"role": "user", "content": f"{k}"}] * 20 for k in range(30)]
    for history in histories:
        trimmer.trim(history)
    assert len(trimmer._chats._chats) == len(trimmer._chats._alike) == 2
    assert in_short(trimmer.plan(histories[0])) == in_short(anew(histories[0], CARRIES))


def test_an_event_loop_is_not_blocked():
    async def both() -> list:
        trimmer = Trimmer(CARRIES)
        return await asyncio.gather(*(trimmer.atrim(history) for history, _ in list(requests_of(thirty_turns()))[-3:]))

    assert finished(both()) == [trim(history, CARRIES) for history, _ in list(requests_of(thirty_turns()))[-3:]]


class Writer:
    """A summarizer that never writes the same twice, as a model at some temperature."""

    name, offline = "a model", False
    written = 0

    def summarize(self, task) -> str:
        Writer.written += 1
        return f"Summary no. {Writer.written} of {len(task.messages)}."


@pytest.fixture
def writer(monkeypatch):
    monkeypatch.setattr("historylab.summarizers.base.open_summarizer", lambda *_, **__: Writer())
    return Writer


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=on_postgres)])
def kept(request, tmp_path):
    """A store, or the URL of one that lasts."""
    match request.param:
        case "memory":
            return open_store("memory://")
        case "sqlite":
            return f"sqlite:///{tmp_path}/chats.db"
    return request.getfixturevalue("postgres").place()


def test_after_a_restart_the_same_is_sent_and_nothing_is_written_again(kept, writer):
    asked = [history for history, _ in requests_of(thirty_turns())]
    first = Trimmer(CARRIES, store=kept)
    sent = [first.trim(history) for history in asked]
    written = writer.written
    assert written > 3
    for size in (len(asked) - 1, len(asked) // 2):
        assert Trimmer(CARRIES, store=kept).trim(copy.deepcopy(asked[size])) == sent[size]
    shown = replay(Conversation(to_messages(asked[-1])), CARRIES, store=first.store).plans
    assert [in_short(plan)[0] for plan in shown] == [first.plan(history).sketch() for history in asked]
    assert [m["content"] for m in sent[-1]] == [
        m.source["content"] if m.source else m.content for m in shown[-1].render()
    ]
    assert writer.written == written


def test_two_processes_that_take_turns_send_what_one_would(kept, writer):
    asked = [history for history, _ in requests_of(thirty_turns())]
    workers = [Trimmer(CARRIES, store=kept), Trimmer(CARRIES, store=kept)]
    sent = [workers[number % 2].trim(history) for number, history in enumerate(asked)]
    written = writer.written
    alone = Trimmer(CARRIES, store=kept)
    assert [alone.trim(history) for history in asked] == sent
    assert writer.written == written


def test_messages_without_times_have_those_of_the_calls_that_brought_them(monkeypatch):
    cold = Settings(
        policy="all", budget=4000, counter="chars/4", **{"pruner.fifo.trim_to": 0.5, "pruner.fifo.when": "cold"}
    )
    minutes = accumulate(10 if k % 4 == 3 else 1 for k in range(99))
    clock = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=passed) for passed in minutes)
    monkeypatch.setattr("historylab.planning.stored_state.now", lambda: next(clock))
    trimmer, asked = Trimmer(cold), [history for history, _ in requests_of(thirty_turns())]
    plans = [trimmer.plan(history) for history in asked]
    assert any("pause" in plan.reason(i).sentence for plan in plans for i in range(plan.size))
    shown = replay(plans[-1].history.conversation, cold).plans
    assert [in_short(plan) for plan in plans] == [in_short(plan) for plan in shown]
    other = Trimmer(cold, store=trimmer.store)
    assert in_short(other.plan(copy.deepcopy(asked[-1]))) == in_short(plans[-1])


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITERS)
@examples(max_examples=8)
@given(chosen=settings(filter="off", counter="chars/4"))
def test_in_every_apis_form_a_growing_history_is_sent_as_a_new_trimmer_sends_it(form, chosen):
    trimmer, asked = Trimmer(chosen), [WRITERS[form](history) for history, _ in requests_of(thirty_turns())]
    for given_now in asked[2:40:6]:
        sent, _, _, items, _ = trimmer.decide(given_now)
        assert type(sent) is type(given_now) and items == items_in(given_now, None)
    assert sent == Trimmer(chosen).trim(copy.deepcopy(given_now))


def test_of_a_body_only_the_field_of_its_format_is_read():
    """A stray field of another API's name neither leads nor tells chats apart."""
    trimmer = Trimmer(Settings(policy="all"), format="responses")
    for stray in ([{"role": "system"}], [{"role": "system"}, {"role": "user"}], "text", 5):
        body = {"input": [{"role": "user", "content": "hello"}], "messages": stray}
        assert trimmer.trim(body) == body
