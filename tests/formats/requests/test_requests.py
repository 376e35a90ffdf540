"""Requests of three APIs, lists and bodies: read into messages, cut by any plan, and written as that API takes them."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import Any

import pytest
from api_rules import body_fault
from conversation_strategies import ORDINARY, conversation_from, conversations, settings
from every_way import every_way
from hypothesis import given as any_of
from hypothesis import settings as examples
from hypothesis import strategies as st
from request_forms import FORMATS, WRITERS, body_of, items_in
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, load, plan_history
from historylab.conversation.message import Message
from historylab.errors import LoadError, UnknownMember
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.requests import Request, open_request
from historylab.planning.strategies.returned import read_summary

HISTORIES = [history for history, _ in requests_of(thirty_turns())]
WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}
every_form = pytest.mark.parametrize("form", WRITERS)


def format_of(form: str) -> str:
    return FORMATS[form.partition(" ")[0]]


def is_summary(text: str) -> bool:
    return read_summary(Message("system", text), Settings().summary_heading) is not None


def read(given: Any, format: str | None = None) -> tuple[Request, list[Message]]:
    request = open_request(given, format, is_summary=is_summary)
    groups = request.form.groups(request.items)
    return request, [*request.systems, *(message for _, messages in groups for message in messages)]


def written(request: Request, messages: Sequence[Message], places: Mapping[int, int] | None = None) -> Any:
    return request.form.write(request, messages, places).back


def trimmed(given: Any, settings: Settings, format: str | None = None) -> Any:
    request, messages = read(given, format)
    return written(request, plan_history(Conversation(messages), settings).render())


def own(back: Any, given: Any) -> list[bool]:
    """Per item whether it is one of the caller's own objects."""
    given_items = {id(item) for item in items_in(given)}
    return [id(item) in given_items for item in items_in(back)]


@every_form
def test_what_is_not_cut_comes_back_as_the_very_objects_in_a_new_list_or_body(form):
    given = WRITERS[form](thirty_turns())
    request, messages = read(given)
    back = written(request, messages)
    assert request.form.name == format_of(form)
    assert back == given
    assert back is not given
    assert all(own(back, given))
    assert isinstance(given, list) or all(
        back[name] is given[name] for name in given.keys() - {"input", "messages", "contents"}
    )


@every_form
def test_the_same_is_read_whatever_the_api(form):
    def said(messages: list[Message]) -> list[Any]:
        spoken = [m for m in messages if m.role in ("assistant", "tool")]
        return [(m.role, m.content, m.media, [call.id for call in m.tool_calls], m.tool_call_id) for m in spoken]

    assert said(read(WRITERS[form](thirty_turns()))[1]) == said(read(thirty_turns())[1])


def refused(form: str, back: Any, given: Any) -> str | None:
    """Why the API would refuse it: by its rules, and for an item that refers to reasoning left out."""
    reasoned = {
        item["id"]: thought["id"]
        for thought, item in pairwise(items_in(given))
        if thought.get("type") == "reasoning" and "id" in item
    }
    held = {item.get("id") for item in items_in(back)}
    orphans = [item for item in held & reasoned.keys() if reasoned[item] not in held]
    return body_fault(format_of(form), body_of(form, back)) or (str(orphans) if orphans else None)


def assert_all_is_well(form: str, settings: Settings, given: Any, way: str) -> None:
    before = copy.deepcopy(given)
    back = trimmed(given, settings, format_of(form))
    assert given == before, way
    assert refused(form, back, given) is None, way


@every_form
@pytest.mark.parametrize("way", list(WAYS)[::6])
def test_a_request_that_was_cut_is_never_refused(form, way):
    given = WRITERS[form](HISTORIES[40])
    assert refused(form, given, given) is None
    assert_all_is_well(form, WAYS[way], given, way)


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in WRITERS if form.endswith("body")])  # lists are planned alike
def test_nor_is_it_in_any_way_there_is(form):
    histories = [WRITERS[form](history) for history in HISTORIES[17::20]]
    assert [refused(form, given, given) for given in histories] == [None] * len(histories)
    for given, (way, chosen) in zip(cycle(histories), WAYS.items(), strict=False):
        assert_all_is_well(form, chosen, given, way)


@every_form
def test_a_growing_history_is_read_group_by_group_as_if_at_once(form):
    given = WRITERS[form](thirty_turns())
    items = items_in(given)
    request = open_request(given)
    known: list[tuple[int, tuple[Message, ...]]] = []
    for size in range(1, len(items) + 1):
        known = known[:-1]
        known += request.form.groups(items[:size], sum(count for count, _ in known))
    assert known == list(request.form.groups(items))


ordinary = st.lists(st.sampled_from(ORDINARY), max_size=16).map(lambda said: conversation_from(["user", *said, "user"]))


@examples(max_examples=40)
@any_of(conversations(max_size=9) | ordinary, settings(), st.sampled_from(list(WRITERS)))
def test_so_it_is_of_any_history_under_any_settings(conversation, chosen, form):
    given = WRITERS[form]([to_record(message) for message in conversation])
    before = copy.deepcopy(given)
    request, messages = read(given, format_of(form))
    assert all(own(written(request, messages), given))
    plan = plan_history(Conversation(messages), chosen)
    back = written(request, plan.render())
    assert given == before
    if refused(form, given, given) is None and any(m.role != "system" for m in plan.render()):
        assert refused(form, back, given) is None


@every_form
def test_equal_items_given_again_come_back_themselves(form):
    given = WRITERS[form](HISTORIES[40])
    first, messages = read(given)
    again = open_request(copy.deepcopy(given))
    places = {id(item): k for k, item in enumerate(first.items)}
    plan = plan_history(Conversation(messages), Settings(length=4))
    back = written(again, plan.render(), places)
    assert back == written(first, plan.render())
    assert sum(own(back, again.given)) == sum(own(written(first, plan.render()), given)) > 0
    assert not any(own(back, given))


SUMMED = Settings(policy="all", pruner="summarize", budget=900, counter="chars/4")


def test_a_summary_stands_in_the_system_field_of_a_body_beside_the_callers_blocks():
    given = WRITERS["anthropic body"](HISTORIES[40])
    back = trimmed(given, SUMMED)
    prompt, summary = back["system"]
    assert prompt is given["system"][0]
    assert "Summary" in summary["text"]
    assert back["messages"][0]["role"] == "user"


def test_a_system_prompt_in_blocks_is_one_message_as_in_a_file():
    prompt = [{"type": "text", "text": text} for text in ("Be brief.", "Be kind.")]
    given = {**WRITERS["anthropic body"](HISTORIES[9]), "system": prompt}
    assert list(load(json.dumps(given).encode())[0]) == read(given)[1]
    back = trimmed({**given, "messages": WRITERS["anthropic list"](HISTORIES[40])}, SUMMED)
    assert [block is one for block, one in zip(back["system"], prompt, strict=False)] == [True, True]
    assert len(back["system"]) == 3


def test_of_responses_it_stands_in_the_instructions_where_there_are_any_else_among_the_items():
    given = WRITERS["responses body"](HISTORIES[40])
    back = trimmed(given, SUMMED)
    assert back["instructions"].startswith(given["instructions"] + "\n\n")
    assert "Summary" in back["instructions"]
    del given["instructions"]
    back = trimmed(given, SUMMED)
    assert back["input"][0]["role"] == "system"
    assert "instructions" not in back


@every_form
def test_a_summary_that_comes_back_is_a_system_message_and_only_one_of_ours(form):
    given = WRITERS[form](HISTORIES[40])
    back = trimmed(given, SUMMED)
    _, messages = read(back, format_of(form))
    summaries = [m for m in messages if m.role == "system" and "Summary" in m.content]
    (summary,) = summaries
    assert summary.content in [m.content for m in plan_history(Conversation(read(given)[1]), SUMMED).render()]
    request, messages = read(back, format_of(form))
    assert written(request, messages) == back
    loaded = load(json.dumps(back).encode(), format=format_of(form))[0]
    assert sum(m.role == "system" for m in loaded) == sum(m.role == "system" for m in messages) or "body" in form
    again = trimmed(back, SUMMED, format_of(form))
    assert str(again).count("Summary of") == 1


def test_words_of_a_user_are_never_taken_for_a_summary():
    given = WRITERS["anthropic list"](HISTORIES[40])
    summary = trimmed(given, SUMMED)[0]
    text = summary["content"] if isinstance(summary["content"], str) else summary["content"][0]["text"]
    for said in (text + "!", f"I saw {text}", text.replace("ferries", "trains").replace("F-1", "F-2"), text[:-1]):
        assert [m.role for m in read([{"role": "user", "content": said}], "anthropic")[1]] == ["user"]
    assert [m.role for m in read([{"role": "assistant", "content": text}], "anthropic")[1]] == ["assistant"]


CALLS = [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ("c1", "c2")]
RESULTS = [{"type": "tool_result", "tool_use_id": i, "content": f"{i} is {'long ' * 90}"} for i in ("c1", "c2")]
ASKED = {"role": "user", "content": "Where?"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
CALLED = {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "Let me see."}, *CALLS]}
FOUND = {"role": "user", "content": [*RESULTS, {"type": "text", "text": "And quickly!"}]}


def test_an_item_of_which_some_is_shortened_is_built_anew_and_shares_nothing():
    given = [ASKED, CALLED, FOUND]
    before = copy.deepcopy(given)
    settings = Settings(policy="all", tool_output="truncate", **{"tool_output.truncate.limit": 5})
    asked, called, found = trimmed(given, settings)
    assert (asked is ASKED, called is CALLED, found is FOUND) == (True, True, False)
    assert [block["type"] for block in found["content"]] == ["tool_result", "tool_result", "text"]
    assert len(found["content"][0]["content"]) < len(RESULTS[0]["content"])
    found["content"][2]["text"] = "changed"
    assert given == before


def test_thinking_and_calls_keep_their_blocks_under_a_text_that_is_rewritten():
    request, messages = read([ASKED, CALLED, FOUND])
    plan = plan_history(Conversation(messages), Settings(policy="all", projection="with_thinking"))
    called = written(request, plan.render())[1]
    assert called["content"] == [THOUGHT, {"type": "text", "text": "Hm.\nLet me see."}, *CALLS]


def test_two_questions_that_a_cut_brings_together_are_joined_and_what_was_given_so_stays():
    answer, question = {"role": "assistant", "content": "There."}, {"role": "user", "content": "When?"}
    request, messages = read([ASKED, answer, question], "anthropic")
    assert written(request, [messages[0], messages[2]]) == [
        {"role": "user", "content": [{"type": "text", "text": "Where?"}, {"type": "text", "text": "When?"}]}
    ]
    request, messages = read([ASKED, question], "anthropic")
    assert all(own(written(request, messages), request.given))


def test_where_a_cut_leaves_an_answer_first_or_last_words_of_the_user_say_so():
    answer = {"role": "assistant", "content": "There."}
    request, messages = read([ASKED, answer, ASKED], "anthropic")
    opening, kept, _ = written(request, messages[1:])
    assert (opening["role"], kept is answer) == ("user", True)
    assert written(request, messages[:2])[-1]["role"] == "user"
    request, messages = read([answer, ASKED, answer], "anthropic")
    assert written(request, messages) == [answer, ASKED, answer]


def test_calls_without_ids_are_paired_over_the_list_and_grouped_as_long_as_one_waits():
    call = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    result = {"role": "function", "name": "look", "content": "there"}
    given = [ASKED, call, result, ASKED, call, ASKED, result, ASKED]
    request, messages = read(given)
    assert [count for count, _ in request.form.groups(request.items)] == [1, 2, 1, 3, 1]
    assert [m.tool_call_id for m in messages if m.role == "tool"] == ["unnamed-1-0", "unnamed-4-0"]
    assert all(own(written(request, messages), given))


RESPONSE_ITEMS = [
    {"role": "user", "content": "Where?"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "pier"}},
    {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": "There."}]},
    {"role": "user", "content": "When?"},
]


def test_a_turn_of_which_some_is_left_out_loses_the_ids_that_refer_to_its_reasoning():
    request, messages = read(RESPONSE_ITEMS)
    assert [m.role for m in messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert all(own(written(request, messages), RESPONSE_ITEMS))
    kept = written(request, messages[3:])
    assert kept[0] == {name: value for name, value in RESPONSE_ITEMS[3].items() if name != "id"}
    assert written(request, messages[:3])[1:] == RESPONSE_ITEMS[1:3]


def refers(*names: str) -> list[dict[str, Any]]:
    return [{"type": "item_reference", "id": name} for name in names]


def found(*calls: str) -> list[dict[str, Any]]:
    return [{"type": "function_call_output", "call_id": call, "output": f"{call} is there"} for call in calls]


CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"}
REFERRED = {
    "reasoning with the call after it": [*refers("rs_1"), CALL, *found("c1"), *refers("msg_1")],
    "calls with their results": [*refers("rs_1", "fc_1", "fc_2"), *found("c1", "c2"), *refers("rs_2", "msg_1")],
    "some of the calls": [*refers("rs_1"), CALL, *refers("fc_2"), *found("c2", "c1"), *refers("fc_3"), *found("c3")],
}


@pytest.mark.parametrize("turn", REFERRED)
def test_what_is_only_referred_to_is_kept_or_left_out_with_what_it_belongs_to(turn):
    given = [ASKED, *REFERRED[turn], ASKED]
    for length, sent in ((2, given), (1, given[-1:])):
        assert trimmed(given, Settings(length=length), "responses") == sent
    sizes = range(1, len(given) + 1)
    assert all(trimmed(given[:size], Settings(policy="all"), "responses") == given[:size] for size in sizes)


def test_a_turn_with_a_reference_is_never_parted_as_nobody_knows_what_its_items_need():
    search = {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "pier"}}
    given = [ASKED, *refers("rs_1"), search, *refers("msg_1"), ASKED]
    request, messages = read(given)
    found = request.form.write(request, messages[3:])
    assert (found.back, len(found.planned), len(found.sent)) == (given[1:], 1, 3)


def test_a_growing_list_with_references_is_read_group_by_group_as_if_at_once():
    trimmer, given = Trimmer(Settings(length=2), format="responses"), [ASKED]
    for k in range(6):
        given = [*given, *refers(f"rs_{k}", f"fc_{k}")]
        for result in found(f"c{k}", f"d{k}"):
            given = [*given, result]
            assert trimmer.trim(given) == Trimmer(Settings(length=2), format="responses").trim(given)
        given = [*given, *refers(f"msg_{k}"), ASKED]
    assert trimmer.plan(given).sketch() == "D" * 25 + "KKKKKK"


def test_an_approval_answers_its_request_and_a_servers_list_of_tools_goes_with_the_turn():
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "book", "arguments": "{}", "server_label": "pier"}
    listed = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "pier", "tools": [{"name": "book"}]}
    answered = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": False, "reason": "Dear."}
    given = [ASKED, listed, asked, answered, ASKED]
    request, messages = read(given)
    assert [(m.role, m.content) for m in messages[1:3]] == [("assistant", ""), ("tool", "refused: Dear.")]
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id
    assert all(own(written(request, messages), given))


def test_a_search_result_is_its_text():
    found = {"type": "search_result", "source": "s", "title": "Piers", "content": [{"type": "text", "text": "Pier 7."}]}
    _, messages = read([{"role": "user", "content": [found, {"type": "text", "text": "Where?"}]}], "anthropic")
    assert messages[0].content == "Pier 7.\nWhere?"


def test_a_body_whose_input_is_one_text_keeps_it():
    given = {"model": "gpt-5.5", "input": "Where?", "instructions": None}
    assert trimmed(given, Settings()) == given


def test_no_system_messages_means_none_in_the_system_field():
    for form in ("anthropic body", "responses body"):
        back = trimmed(WRITERS[form](HISTORIES[9]), Settings(preserve_system_messages=False, length=1))
        assert not {"system", "instructions"} & back.keys()


class Dumped:
    """Like an SDK's object: fields behind `model_dump()`, those not given None."""

    def __init__(self, **fields: Any):
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return {name: value for name, value in self.fields.items()} | {"citations": None, "status": None}


def test_sdk_objects_come_back_themselves_and_as_dicts_where_they_are_shortened():
    blocks = [Dumped(**block) for block in CALLED["content"]]
    given = [ASKED, {"role": "assistant", "content": blocks}, Dumped(**FOUND)]
    assert all(own(trimmed(given, Settings()), given))
    short = Settings(tool_output="truncate", **{"tool_output.truncate.limit": 5})
    assert [block["type"] for block in trimmed(given, short)[2]["content"]] == ["tool_result", "tool_result", "text"]


HOSTED = {
    "responses": [
        {"type": "code_interpreter_call", "id": "ci_1", "code": "x", "outputs": [{"type": "logs", "logs": "w " * 90}]},
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s1", "name": "code_execution", "input": {"code": "x"}},
                {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {"stdout": "w " * 90}},
                {"type": "text", "text": "There."},
            ],
        }
    ],
}


@pytest.mark.parametrize("form", HOSTED)
def test_a_servers_own_result_has_no_place_for_a_shorter_text_and_is_counted_whole(form):
    given = [ASKED, *HOSTED[form], ASKED]
    chosen = Settings(policy="all", tool_output="truncate", **{"tool_output.truncate.limit": 5})
    whole, plan = (Trimmer(chosen.replace(tool_output=cut), format=form).plan(given) for cut in ("off", "truncate"))
    assert Trimmer(chosen, format=form).trim(given) == given
    assert "T" in plan.sketch()
    assert plan.tokens == whole.tokens


def test_openais_own_objects_come_back_themselves():
    from openai import NOT_GIVEN
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseInputText,
        ResponseOutputText,
        ResponseReasoningItem,
    )

    thought = ResponseReasoningItem(id="rs_1", type="reasoning", summary=[])
    call = ResponseFunctionToolCall(type="function_call", call_id="c1", name="look", arguments="{}", id="fc_1")
    said = {"role": "assistant", "content": [ResponseOutputText(type="output_text", text="I look", annotations=[])]}
    given = [ASKED, thought, said, call, {"type": "function_call_output", "call_id": "c1", "output": "there " * 90}]
    back = trimmed(given, Settings(tool_output="truncate", **{"tool_output.truncate.limit": 5}))
    assert own(back, given) == [True, True, True, True, False]
    assert back[4].keys() == given[4].keys()
    given[4] = {**given[4], "output": [ResponseInputText(type="input_text", text="there " * 90)]}
    assert own(trimmed(given, Settings()), given) == [True] * 5
    unset = {"input": given, "previous_response_id": NOT_GIVEN, "instructions": NOT_GIVEN}
    assert trimmed(unset, Settings()) == unset


@pytest.mark.parametrize(
    ("given", "format"),
    [
        ([ASKED], "chat_completions"),
        ([{"role": "user", "content": [{"type": "text", "text": "?", "cache_control": {}}]}], "chat_completions"),
        ([ASKED, {"role": "system", "content": "Update."}], "chat_completions"),
        ([ASKED, {"role": "user", "content": [{"type": "input_text", "text": "?"}]}], "responses"),
        ([ASKED, {"type": "function_call_output", "call_id": "c1", "output": ""}], "responses"),
        ([ASKED, FOUND], "anthropic"),
        ([ASKED, {"role": "assistant", "content": [THOUGHT]}], "anthropic"),
        ([ASKED, {"role": "system", "content": "Update."}, CALLED, FOUND], "anthropic"),
        ({"messages": [ASKED]}, "chat_completions"),
        ({"messages": [ASKED], "system": "Be brief."}, "anthropic"),
        ({"messages": [ASKED], "model": "claude-opus-5", "max_tokens": 9}, "anthropic"),
        ({"messages": [ASKED], "model": "anthropic/claude-opus-5", "max_tokens": 9}, "chat_completions"),
        ({"messages": [ASKED], "tools": [{"name": "look", "input_schema": {}}]}, "anthropic"),
        ({"input": "Where?"}, "responses"),
        ({"input": [ASKED]}, "responses"),
    ],
)
def test_whose_it_is_told_by_the_first_mark_and_is_chat_completions_where_none_tells(given, format):
    assert open_request(given).form.name == format


def test_a_form_that_is_known_is_not_looked_for_again():
    class Unread(list):
        def __iter__(self):
            raise AssertionError("looked at")

    known = open_request([ASKED, FOUND])
    assert known.sure
    assert open_request(Unread([ASKED]), known=known.form).form is known.form
    assert open_request([FOUND, ASKED], start=1).form.name == "chat_completions"


@pytest.mark.parametrize(
    ("given", "format", "words"),
    [
        ({"input": [ASKED], "previous_response_id": "resp_1"}, None, "with the provider.*give the whole history"),
        ({"input": [ASKED], "conversation": {"id": "conv_1"}}, None, "with the provider"),
        ({"model": "gpt-5.5"}, None, "a list of messages is meant, or a body"),
        ({"messages": "Where?"}, None, "messages is text, not a list"),
        ({"messages": [], "system": 5}, "anthropic", "system is a number"),
        ({"input": [], "instructions": [1]}, None, "instructions is a list"),
        ([ASKED, {"type": "item_reference"}], None, "message 1 of those given: an item_reference without an id"),
        ([ASKED, {"type": "teleport_call"}, *RESPONSE_ITEMS], "responses", "message 1.*'teleport_call'"),
        ([{"role": "user", "content": [{"type": "hologram"}]}], "anthropic", "a part of type 'hologram' not read"),
        ([{"role": "system", "content": "Be brief."}], "anthropic", "a role 'system', which this API doesn't have"),
        (
            [ASKED, {"role": "developer", "content": "!"}],
            "anthropic",
            "a role 'developer', which this API doesn't have",
        ),
        ([{"role": "user", "content": [{"type": "tool_result", "content": ""}]}], "anthropic", "without an id"),
        ([ASKED, {"role": "tool", "tool_call_id": "c", "content": ""}, FOUND], None, "message 2.*'tool_result'"),
        ([{"role": "user"}], "anthropic", "content is null"),
        ([5], "responses", "message 0.*a number, not an object"),
    ],
)
def test_what_cannot_be_read_is_named_and_nothing_is_read_by_half(given, format, words):
    with pytest.raises(LoadError, match=words):
        read(given, format)


def test_only_formats_of_requests_can_be_asked_for():
    with pytest.raises(UnknownMember, match="choose one of chat_completions, responses, anthropic, gemini"):
        open_request([ASKED], "cohere")


def test_cache_markers_are_part_of_no_message():
    marked = {"type": "text", "text": "Where?", "cache_control": {"type": "ephemeral"}}
    found = {"role": "user", "content": [*RESULTS, {**FOUND["content"][2], "cache_control": {"type": "ephemeral"}}]}
    assert read([{"role": "user", "content": [marked]}, CALLED, found])[1] == read([ASKED, CALLED, FOUND])[1]


def test_the_tools_that_codex_sends_among_its_items_stay_where_they_are():
    tools = {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]}
    effort = {"type": "configuration_update", "reasoning": {"effort": "low"}}
    talk = [{"role": role, "content": f"{role} {k}"} for k in range(9) for role in ("user", "assistant")]
    trimmer = Trimmer(Settings(length=2, preserve_system_messages=False), format="responses")
    assert trimmer.trim([tools, *talk, ASKED, effort]) == [tools, *talk[-2:], ASKED, effort]


def test_what_stands_for_a_compacted_part_is_never_cut():
    compacted = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"}
    talk = [{"role": role, "content": f"{role} {k}"} for k in range(9) for role in ("user", "assistant")]
    trimmer = Trimmer(Settings(policy="lastN", length=2), format="responses")
    assert trimmer.trim([ASKED, compacted, *talk, ASKED]) == [compacted, *talk[-2:], ASKED]


def test_a_result_of_gemini_s_answers_the_call_of_its_name_though_its_sdk_leaves_out_the_id():
    calls = [{"functionCall": {"id": i, "name": n, "args": {}}} for i, n in (("c1", "look"), ("c2", "ask"))]
    results = [{"functionResponse": {"name": n, "response": {"result": n * 99}}} for n in ("ask", "look")]
    asked = {"role": "user", "parts": [{"text": "Where?"}]}
    given = [asked, {"role": "model", "parts": calls}, {"role": "user", "parts": results}, asked]
    request, messages = read(given)
    assert [count for count, _ in request.form.groups(request.items)] == [1, 2, 1]
    assert [m.tool_call_id for m in messages if m.role == "tool"] == ["c2", "c1"]
    assert list(load(json.dumps(given).encode())[0]) == messages


def test_results_of_gemini_s_stand_alone_and_a_shorter_one_keeps_its_field_and_name():
    call = {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "c2ln"}
    result = {"functionResponse": {"name": "look", "response": {"result": "far " * 90}}}
    given = [
        {"role": "user", "parts": [{"text": "Where?"}]},
        {"role": "model", "parts": [{"text": "Hm.", "thought": True}, call]},
        {"role": "user", "parts": [result, {"text": "And quickly!"}]},
    ]
    before = copy.deepcopy(given)
    back = trimmed(given, Settings(policy="all", tool_output="truncate", **{"tool_output.truncate.limit": 5}))
    assert own(back, given) == [True, True, False, False] and given == before
    assert back[3] == {"role": "user", "parts": [{"text": "And quickly!"}]}
    (shorter,) = back[2]["parts"]
    assert shorter["functionResponse"]["name"] == "look"
    assert 0 < len(shorter["functionResponse"]["response"]["result"]) < len("far " * 90)


def test_parts_of_gemini_s_that_nobody_reads_are_an_error_and_one_content_stands_for_a_list_of_it():
    with pytest.raises(LoadError, match=r"message 0.*a part without content"):
        read([{"role": "user", "parts": [{"hologram": {}}]}])
    with pytest.raises(LoadError, match="a role 'system', which this API doesn't have"):
        read([{"role": "system", "parts": [{"text": "x"}]}], "gemini")
    given = {"system_instruction": {"parts": {"text": "Be brief."}}, "contents": {"parts": {"text": "Where?"}}}
    request, messages = read(given)
    assert [(m.role, m.content) for m in messages] == [("system", "Be brief."), ("user", "Where?")]
    assert written(request, messages) == given


def test_a_summary_stands_in_geminis_instruction_under_the_name_that_the_body_has_for_it():
    given = WRITERS["gemini body"](HISTORIES[40])
    given["system_instruction"] = given.pop("systemInstruction")
    back = trimmed(given, SUMMED)
    prompt, summary = back["system_instruction"]["parts"]
    assert prompt is given["system_instruction"]["parts"][0] and "Summary" in summary["text"]
    assert back["contents"][0]["role"] == "user" and back.keys() == given.keys()
