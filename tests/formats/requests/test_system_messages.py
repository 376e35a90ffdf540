"""System messages among Anthropic's others: they keep the places the API has for them, and none is lost by a cut."""

from __future__ import annotations

import copy
import json
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
from historylab.errors import LoadError
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


ADDS, REMOVES = (
    {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "look", "input_schema": {}}}},
    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "look"}},
)
LOW, HIGH = {"effort": "low"}, {"effort": "high"}


def says(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "system", "content": list(content), **fields}


def directed(sketch: str, **at: dict[str, Any]) -> dict[str, Any]:
    """A body of those turns, with other system messages in some places: `s1=…`."""
    given = turns(sketch)
    for name, message in at.items():
        given[int(name[1:])] = message
    return {"model": "claude-opus-5-5", "max_tokens": 9, "messages": given}


def test_what_changes_tools_is_counted_and_never_dropped():
    body = directed("u s a u s a u", s1=says(text("Look."), ADDS), s4={"role": "system", "output_config": LOW})
    plan = Trimmer(Settings(length=1, preserve_system_messages=False)).plan(body)
    assert plan.sketch() == "DPDDPDK"
    assert "input_schema" in plan.history.conversation[1].content
    assert [m.pinned for m in load(json.dumps(body).encode())[0]] == [k in (1, 4) for k in range(7)]


def test_a_change_of_tools_without_a_place_joins_the_next_as_the_system_field_takes_none():
    body = directed("u s a u s a u", s1=says(text("Look."), ADDS), s4=says(REMOVES, output_config=LOW))
    back = written(body, [1, 3, 4]).back
    assert back["messages"] == [turns("u s a u")[3], says(text("Look."), ADDS, REMOVES, output_config=LOW)]
    assert "system" not in back


def test_a_text_without_a_place_leaves_its_effort_among_the_messages():
    body = directed("u s a u s a u", s1=says(text("Look."), output_config=LOW))
    back = written(body, [1, 3, 4]).back
    assert back["messages"][1:] == [says(output_config=LOW), turns("u s a u s")[4]]
    assert back["system"] == [text("Look.")]


def test_an_effort_stands_anywhere_and_of_several_in_a_row_the_newest_counts():
    low, high = says(output_config=LOW), {"role": "system", "output_config": HIGH}
    body = directed("u a s u a s u", s2=low, s5=high)
    assert written(body, [2, 3, 4, 5, 6]).back["messages"] == [*body["messages"][3:4], low, *body["messages"][4:]]
    both = written(body, [2, 5, 6])
    assert both.back["messages"] == [body["messages"][6], high]
    assert (len(both.planned), both.sent) == (1, [])


def test_a_text_that_was_shown_for_a_turn_is_not_shown_again_behind_another():
    fleeting = says(text("Hurry."), clear_at="next_user_message")
    body = directed("u s a u a u", s1=fleeting)
    assert written(body, range(6)).back == body
    assert written(body, [1, 3, 4, 5]).back["messages"] == body["messages"][3:]
    body["messages"][1] = says(text("Hurry."), ADDS, clear_at="next_user_message")
    assert written(body, [1, 3, 4, 5]).back["messages"][1] == says(ADDS)
    assert written(directed("u s a u s", s4=fleeting), [3, 4]).back["messages"][1] == fleeting


def test_texts_that_are_shown_for_a_turn_and_for_good_are_joined_for_good():
    given = directed("u s a u s", s1=says(ADDS, clear_at="never"), s4=says(text("Hm."), clear_at="next_user_message"))
    assert written(given, [1, 3, 4]).back["messages"][1] == says(ADDS, text("Hm."))


@pytest.mark.parametrize("message", [{"role": "system"}, {"role": "user", "output_config": LOW}])
def test_no_other_message_goes_without_content(message):
    with pytest.raises(LoadError, match="content is"):
        Trimmer(ALL, format="anthropic").trim([*turns("u"), message])


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_nobody_else_changes_tools(role):
    with pytest.raises(LoadError, match="'tool_addition' not read"):
        Trimmer(ALL, format="anthropic").trim([*turns("u"), {"role": role, "content": [ADDS]}])


def with_systems(body: dict[str, Any], chosen: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The body with system messages at some of the places that the API has for them; those that the model has to be
    told whatever is cut."""
    found, said = [], []
    messages = body["messages"]
    for k, (message, kind) in enumerate(zip(messages, chosen, strict=False)):
        found.append(message)
        last = k + 1 == len(messages)
        if kind == "effort":
            found.append({"role": "system", "output_config": {"effort": "low"}})
        elif kind and message["role"] == "user" and (last or messages[k + 1]["role"] == "assistant"):
            blocks = [text(f"Instruction {k}.")] * ("text" in kind) + [named(k)] * ("tool" in kind)
            found.append(says(*blocks, **({"clear_at": "next_user_message"} if "fleeting" in kind else {})))
            said += [f"Instruction {k}."] * (kind in ("text", "text tool")) + [f"tool_{k}_"] * ("tool" in kind)
    return {**body, "messages": found}, said


def named(k: int) -> dict[str, Any]:
    return {"type": "tool_addition", "tool": {"type": "tool_reference", "name": f"tool_{k}_"}}


kinds = st.sampled_from(["", "", "text", "text tool", "tool", "fleeting text", "fleeting text tool", "effort"])
ordinary = st.lists(st.sampled_from(ORDINARY), max_size=16).map(lambda said: conversation_from(["user", *said, "user"]))


@examples(max_examples=60)
@any_of(ordinary, settings(), st.lists(kinds, min_size=20, max_size=20))
def test_no_cut_loses_one_or_puts_it_where_the_api_refuses_it(conversation, chosen, places):
    given, said = with_systems(anthropic_body([to_record(message) for message in conversation]), places)
    before, request = copy.deepcopy(given), open_request(given, "anthropic")
    messages = [*request.systems, *(m for _, found in request.form.groups(request.items) for m in found)]
    plan = plan_history(Conversation(messages), chosen)
    back, rendered = request.form.write(request, plan.render()).back, plan.render()
    assert given == before
    kept = [word for word in said if chosen.preserve_system_messages or word.startswith("tool")]
    assert [word for word in kept if word not in str(back)] == []
    if body_fault("anthropic", given) is None and any(m.role != "system" for m in rendered):
        assert body_fault("anthropic", back) is None and "tool_" not in str(back.get("system"))
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
