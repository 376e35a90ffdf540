"""What a function returned, as a plan: which messages were kept, rewritten, moved or added, in every form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types import MessageParam
from autogen_core.models import LLMMessage
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage

from historylab import Conversation, Message, ToolCall, replay
from historylab.trimmers.annotations import how_it_takes
from historylab.trimmers.forms.anthropic import AnthropicItems

CALLS = (ToolCall("c1", "look_up", '{"row": 1}'), ToolCall("c2", "look_up", '{"row": 2}'))
CHAT = Conversation(
    [
        Message("system", "Be kind."),
        Message("user", "What do rows one and two say about walnuts?"),
        Message("assistant", "I look.", tool_calls=CALLS),
        Message("tool", "Row one: walnuts are dear.", tool_call_id="c1"),
        Message("tool", "Row two: walnuts are cheap.", tool_call_id="c2"),
        Message("assistant", "They differ."),
        Message("user", "ok"),
        Message("assistant", "Anything else?"),
        Message("user", "ok"),
    ]
)


def last(trimmer, **how):
    timeline = replay(CHAT, trimmer=trimmer, **how)
    assert not timeline.errors
    return timeline.plans[-1]


def sketch(trimmer, **how):
    return last(trimmer, **how).sketch()


def texts(trimmer, **how):
    return [message.content for message in last(trimmer, **how).render()]


# -- which message is which


def test_copies_are_known_by_what_they_say():
    assert sketch(lambda messages: json.loads(json.dumps(messages[-4:]))) == "DDDDDKKKK"


def test_of_equal_texts_the_newest_counts_that_keeps_the_order():
    copy = {"role": "user", "content": "ok"}
    assert sketch(lambda messages: [dict(copy)]) == "DDDDDDDDK"
    assert sketch(lambda messages: [dict(copy), {"role": "assistant", "content": "Anything else?"}]) == "DDDDDDKKD"


def test_the_same_object_is_the_same_message_whatever_else_says_so():
    assert sketch(lambda messages: [m for m in messages if m["content"] == "ok"][:1]) == "DDDDDDKDD"


def test_a_shorter_text_is_the_same_message_rewritten():
    def shorten(messages):
        return [{**m, "content": m["content"][:9]} if m["role"] == "tool" else m for m in messages]

    assert sketch(shorten) == "KKKTTKKKK"
    assert texts(shorten)[3:5] == ["Row one: ", "Row two: "]


def test_a_call_that_is_left_out_rewrites_its_message():
    def one_call(messages):
        messages[2:3] = [{**messages[2], "tool_calls": messages[2]["tool_calls"][:1]}] if len(messages) > 2 else []
        return [m for m in messages if m.get("tool_call_id") != "c2"]

    plan = last(one_call)
    assert plan.sketch() == "KKTKDKKKK"
    assert [call.id for call in plan.render()[2].tool_calls] == ["c1"]


def test_what_is_moved_is_sent_where_it_was_moved_to():
    plan = last(lambda messages: messages[1:] + messages[:1])
    assert (plan.sketch(), plan.render()[-1].content) == ("KKKKKKKKK", "Be kind.")


def test_what_is_sent_twice_is_in_the_request_twice_and_no_summary():
    plan = last(lambda messages: messages[-3:] + messages[-3:])
    assert plan.sketch() == "DDDDDDKKK"
    assert [message.content for message in plan.render()] == ["ok", "Anything else?", "ok"] * 2


def test_a_message_of_its_own_is_in_its_place():
    assert texts(lambda messages: [messages[0], {"role": "user", "content": "(left out)"}, *messages[-1:]]) == [
        "Be kind.",
        "(left out)",
        "ok",
    ]


def test_a_long_text_about_what_is_gone_stands_for_it():
    said = (
        "Asked about walnuts in rows one and two: row one says walnuts are dear, row two says walnuts are cheap. " * 3
    )
    plan = last(lambda messages: [messages[0], {"role": "system", "content": said}, *messages[-2:]])
    assert (plan.sketch(), plan.summary.text) == ("KSSSSSSKK", said)


def test_nothing_at_all_may_be_sent():
    assert last(lambda messages: []).render() == []


# -- in which form


@pytest.mark.parametrize("form", ["anthropic", "responses", "gemini"])
def test_what_a_form_keeps_outside_its_list_goes_as_it_is(form):
    assert sketch(lambda items: items[-2:], form=form) == "KDDDDDDKK"


def test_results_in_one_message_are_kept_together():
    assert sketch(lambda items: [item for item in items if item["role"] == "user"], form="anthropic") == "KKDKKDKDK"


def test_a_part_of_several_results_is_a_part_of_them():
    def second_alone(items):
        return [
            {**item, "content": item["content"][1:]} if isinstance(item["content"], list) else item for item in items
        ]

    assert sketch(second_alone, form="anthropic") == "KKTDKKKKK"


def test_items_of_one_message_may_part():
    def without_call(items):
        return [item for item in items if item.get("call_id") != "c2"]

    plan = last(without_call, form="responses")
    assert plan.sketch() == "KKTKDKKKK"
    assert [call.id for call in plan.render()[2].tool_calls] == ["c1"]


@pytest.mark.parametrize(
    ("form", "field", "system"),
    [
        ("anthropic", "messages", "Be kind."),
        ("responses", "input", "Be kind."),
        ("gemini", "contents", {"parts": [{"text": "Be kind."}]}),
    ],
)
def test_a_body_has_its_prompt_in_its_own_field(form, field, system):
    given = []

    def trim(body):
        given.append(body)
        return {**body, field: body[field][-2:]}

    assert sketch(trim, form=form) == "KDDDDDDKK"
    assert system in given[-1].values()


def test_a_body_may_come_back_with_another_prompt_or_none():
    assert texts(lambda body: {**body, "system": "Be brief."}, form="anthropic")[0] == "Be brief."
    assert texts(lambda body: body.pop("system") and None, form="anthropic")[0].startswith("What do rows")


def test_a_body_of_chat_completions_has_its_prompt_in_the_list():
    def trim(request: dict[str, Any]):
        request["messages"] = request["messages"][-2:]

    assert sketch(trim) == "DDDDDDDKK"


@pytest.mark.parametrize("carry", [False, True])
def test_what_a_form_has_no_place_for_is_an_error_of_its_requests(monkeypatch, carry):
    monkeypatch.setattr(AnthropicItems, "write", lambda form, messages, marks: {}["place"])
    errors = replay(CHAT, trimmer=lambda items: items, form="anthropic", carry=carry).errors
    assert {error.partition(":")[0] for error in errors.values()} == {"what was said can't be given to it"}


class Unreadable:
    def __getattr__(self, name):
        raise RuntimeError(name)


@pytest.mark.parametrize("form", ["chat_completions", "anthropic", "responses", "gemini", "langchain", "autogen"])
@pytest.mark.parametrize("make", [int, type(None), str, list, object, Unreadable])
def test_what_is_no_message_of_a_form_is_an_error(form, make):
    timeline = replay(CHAT, trimmer=lambda items: [make()], form=form)
    assert all(error.startswith("what it returned can't be read: ") for error in timeline.errors.values())
    assert len(timeline.errors) == len(timeline.plans)


# -- told by annotations


def of_langchain(messages: list[BaseMessage]) -> list[BaseMessage]:
    assert isinstance(messages[0], SystemMessage)
    return messages[-2:]


def of_any_langchain(messages: list[AnyMessage]):
    return [HumanMessage("ok"), *messages[-1:]]


def of_autogen(messages: list[LLMMessage]) -> list[LLMMessage]:
    assert messages[0].type == "SystemMessage"
    return messages[-2:]


def of_anthropic(messages: list[MessageParam]) -> list[MessageParam]:
    assert all(message["role"] != "system" for message in messages)
    return messages[-2:]


def of_a_name(messages: list[ModelMassage | BaseMessage]) -> list:  # noqa: F821 - only a type checker knows it
    assert isinstance(messages[0], SystemMessage)
    return messages[-2:]


@pytest.mark.parametrize(
    ("trimmer", "expected"),
    [
        (of_langchain, "DDDDDDDKK"),
        (of_any_langchain, "DDDDDDKDK"),
        (of_autogen, "DDDDDDDKK"),
        (of_anthropic, "KDDDDDDKK"),
        (of_a_name, "DDDDDDDKK"),
    ],
)
def test_annotations_tell_the_form(trimmer, expected):
    assert sketch(trimmer) == expected


@pytest.mark.parametrize(
    ("annotation", "form"),
    [
        ("list[ChatCompletionMessageParam]", "chat_completions"),
        ("list[anthropic.types.MessageParam]", "anthropic"),
        ("Sequence[ResponseInputItemParam] | None", "responses"),
        ("list[ModelMessage]", "pydantic_ai"),
        ("list[LLMMessage]", "autogen"),
        ("list[MyMessageParam]", ""),
    ],
)
def test_an_annotation_that_cannot_be_resolved_tells_it_by_its_name(annotation, form):
    def trim(messages):
        return messages

    trim.__annotations__ = {"messages": annotation}
    assert how_it_takes(trim).form == form


def test_a_form_that_is_named_comes_before_annotations():
    def trim(messages: list[BaseMessage]):
        return [message for message in messages if message["role"] == "user"]

    assert sketch(trim, form="chat_completions") == "DKDDDDKDK"


def test_a_context_goes_before_the_messages():
    def trim(context: RunContext, messages):  # noqa: F821 - of Pydantic AI
        assert context.messages is messages
        return messages[-2:]

    assert sketch(trim) == "DDDDDDDKK"
