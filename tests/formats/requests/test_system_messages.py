"""System messages among Anthropic's others: they keep the places the API has for them, and none is lost by a cut."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from api_rules import body_fault
from conversation_strategies import ORDINARY, conversation_from, settings
from hypothesis import given as any_of
from hypothesis import settings as examples
from hypothesis import strategies as st
from request_forms import anthropic_body

from historylab import Conversation, Settings, Trimmer, load, plan_history
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.requests import WrittenRequest, open_request
from historylab.formats.requests.system_places import Wanted, system_places

ALL = Settings(policy="all")


def turns(sketch: str) -> list[dict[str, Any]]:
    """ "u s a" as a user's, a system and an assistant's message, each numbered."""
    roles = {"u": "user", "s": "system", "a": "assistant"}
    return [{"role": roles[letter], "content": f"{letter}{k}"} for k, letter in enumerate(sketch.split())]


def written(given: Any, kept: Sequence[int]) -> WrittenRequest:
    request = open_request(given, "anthropic")
    messages = [message for _, found in request.form.groups(request.items) for message in found]
    return request.form.write(request, [*request.systems, *(messages[k] for k in kept)])


def sent(sketch: str, *kept: int, system: Any = None) -> tuple[list[Any], Any]:
    """What a body's messages say once only those kept are sent, and its system field."""
    body = {"max_tokens": 9, "messages": turns(sketch)} | ({"system": system} if system else {})
    back = written(body, kept).back
    return [message["content"] for message in back["messages"]], back.get("system")


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def test_one_that_keeps_its_neighbours_keeps_its_place_and_the_system_field_is_not_touched():
    assert sent("u a u s a u", 2, 3, 4, 5, system="Be kind.") == (["u2", "s3", "a4", "u5"], "Be kind.")


def test_one_whose_users_turn_is_cut_follows_the_next_users_turn():
    assert sent("u s a u a u", 1, 3, 4, 5) == (["u3", "s1", "a4", "u5"], None)


def test_one_whose_answer_is_cut_follows_the_turns_that_are_joined():
    assert sent("u s a u", 0, 1, 3) == ([[text("u0"), text("u3")], "s1"], None)


def test_it_never_stands_first_nor_before_an_answer_that_nothing_asks_for():
    assert sent("u s a u", 1, 2, 3) == (["[…]", "s1", "a2", "u3"], None)


def test_it_stands_behind_all_turns_that_the_user_has_in_a_row():
    assert sent("u s a u u a u", 1, 3, 4, 5, 6) == (["u3", "u4", "s1", "a5", "u6"], None)


def test_several_take_the_next_places_in_their_order():
    assert sent("u s a u s a u a u", 1, 4, 6, 7, 8) == (["u6", "s1", "a7", "u8", "s4"], None)


def test_one_without_a_place_before_the_next_stands_at_the_end_of_the_system_field_and_is_counted():
    assert sent("u s a u s a u", 1, 3, 4, 5, 6, system="Be kind.") == (
        ["u3", "s4", "a5", "u6"],
        [text("Be kind."), text("s1")],
    )
    assert written({"max_tokens": 9, "messages": turns("u s a u s")}, [1, 3, 4]).moved == 1
    assert written({"max_tokens": 9, "messages": turns("u s a u s")}, [0, 1, 2, 3, 4]).moved == 0


def test_a_list_has_no_system_field_so_it_is_joined_to_the_next():
    back = written(turns("u s a u s"), [1, 3, 4]).back
    assert [message["content"] for message in back] == ["u3", [text("s1"), text("s4")]]


def test_one_may_follow_an_answer_that_ends_in_a_call_of_the_server():
    call = {"type": "server_tool_use", "id": "s1", "name": "look", "input": {}}
    given = [*turns("u a u"), {"role": "assistant", "content": [call]}, *turns("s a u")]
    assert written(given, range(2, 7)).back == given[2:]


@pytest.mark.parametrize("sketch", ["u s u a u", "u s s a u", "u a s u", "u a"])
def test_nothing_cut_is_sent_as_it_came_even_where_the_api_would_refuse_it(sketch):
    given = turns(sketch)
    assert all(back is item for back, item in zip(Trimmer(ALL, format="anthropic").trim(given), given, strict=True))


def test_one_that_is_moved_keeps_its_cache_marker():
    marked = {"role": "system", "content": [{**text("Hm."), "cache_control": {"type": "ephemeral"}}]}
    given = {"max_tokens": 9, "messages": [turns("u")[0], marked, *turns("a u s")]}
    assert written(given, [1, 3, 4]).back["system"] == marked["content"]


def test_a_file_has_the_same_messages():
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "system": "Be kind.", "messages": turns("u s a u s")}
    plan = Trimmer(ALL).plan(body)
    assert list(load(str(body).replace("'", '"').encode())[0]) == list(plan.history.conversation)


def test_it_is_pinned_unless_system_messages_are_not_to_be_preserved():
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "messages": turns("u s a u a u")}
    assert Trimmer(Settings(length=1)).plan(body).sketch() == "DPDDDK"
    assert Trimmer(Settings(length=1, preserve_system_messages=False)).trim(body)["messages"] == body["messages"][5:]


def with_systems(body: dict[str, Any], chosen: Sequence[bool]) -> tuple[dict[str, Any], list[str]]:
    """The body with system messages at some of the places that the API has for them."""
    found, said = [], []
    messages = body["messages"]
    for k, (message, here) in enumerate(zip(messages, chosen, strict=False)):
        found.append(message)
        last = k + 1 == len(messages)
        if here and message["role"] == "user" and (last or messages[k + 1]["role"] == "assistant"):
            said.append(f"Instruction {k}.")
            found.append({"role": "system", "content": said[-1]})
    return {**body, "messages": found}, said


ordinary = st.lists(st.sampled_from(ORDINARY), max_size=16).map(lambda said: conversation_from(["user", *said, "user"]))


@examples(max_examples=60)
@any_of(ordinary, settings(), st.lists(st.booleans(), min_size=20, max_size=20))
def test_no_cut_loses_one_or_puts_it_where_the_api_refuses_it(conversation, chosen, places):
    given, said = with_systems(anthropic_body([to_record(message) for message in conversation]), places)
    before, request = copy.deepcopy(given), open_request(given, "anthropic")
    messages = [*request.systems, *(m for _, found in request.form.groups(request.items) for m in found)]
    plan = plan_history(Conversation(messages), chosen)
    back, rendered = request.form.write(request, plan.render()).back, plan.render()
    assert given == before
    if chosen.preserve_system_messages:
        assert [text for text in said if text not in str(back)] == []
    if body_fault("anthropic", given) is None and any(m.role != "system" for m in rendered):
        assert body_fault("anthropic", back) is None
        roles = [message["role"] for message in back["messages"] if message["role"] != "system"]
        assert all(one != other for one, other in pairwise(roles))


@any_of(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=8), st.integers(0, 6))
def test_places_are_taken_once_in_order_and_none_is_left_free_that_somebody_could_have(asked, places):
    wanted = sorted(Wanted(first, own) for first, own in asked)
    found = system_places(wanted, places)
    taken = [place for place in found if place is not None]
    assert taken == sorted(set(taken))
    assert all(wish.first <= place < places for wish, place in zip(wanted, found, strict=True) if place is not None)
    assert all(p == w.first for w, p in zip(wanted, found, strict=True) if w.own and p is not None)
