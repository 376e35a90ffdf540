"""The contract of formats that are written: what was written loads into the same, and what is lost is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from api_rules import refusals
from conversation_strategies import ODD, ORDINARY, conversation_from
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.edits import edit_message
from historylab.formats.base import Losses
from historylab.formats.convert import LOSSLESS, writable_formats, write
from historylab.formats.load import load
from historylab.formats.messages.written import OPENING

WRITABLE = {name: member for name, member in writable_formats().items() if name != LOSSLESS}
APIS = [name for name, member in WRITABLE.items() if ".apis." in member.target.__module__]
every_writer = pytest.mark.parametrize("name", WRITABLE)
every_api = pytest.mark.parametrize("name", APIS)

ordinary = st.lists(st.sampled_from(ORDINARY), min_size=1, max_size=12).map(conversation_from)
any_kind = st.lists(st.sampled_from([*ORDINARY, *ODD]), min_size=1, max_size=12).map(conversation_from)

CALL = ToolCall("c1", "look", '{"at": 4}')
RICH = Conversation(
    [
        Message("system", "Be brief."),
        Message("user", "see?", name="Ines", media=("image",), timestamp="2026-01-01T00:00:00Z", pinned=True),
        Message("assistant", "I look.", tool_calls=(CALL,), metadata={"thinking": "hm", "usage": {"input": 3}}),
        Message("tool", "gone", tool_call_id="c1", metadata={"is_error": True}),
        Message("assistant", "It is gone."),
    ],
    metadata={"model": "m", "provider": "p", "parameters": {"temperature": 0}, "project": "tides"},
)


def written_as(name: str, conversation: Conversation) -> tuple[dict | list, Losses]:
    losses = Losses()
    return WRITABLE[name].attributes["write"](conversation, losses), losses


def read_back(name: str, conversation: Conversation) -> Conversation:
    return load(json.dumps(written_as(name, conversation)[0]).encode(), name)[0]


def said(conversation: Conversation) -> list[tuple]:
    """Roles, texts, calls and results by their place; systems first, one message for several of a role in a row."""
    found: list[tuple] = []
    systems = "\n".join(m.content for m in conversation if m.role == "system" and m.content)
    for role, text, calls in _turns(conversation):
        if found and found[-1][0] == role != "tool" and not found[-1][2]:
            found[-1] = (role, "\n".join(filter(None, (found[-1][1], text))), calls)
        else:
            found.append((role, text, calls))
    return [systems, *found]


def _turns(conversation: Conversation) -> Iterator[tuple]:
    """Each message but systems; a block's results in the order of its calls."""
    for block in conversation.blocks:
        first, *results = (conversation[i] for i in block.indices)
        if first.role == "system" or first.content == OPENING:
            continue
        yield first.role, first.content, [(c.name, json.loads(c.arguments)) for c in first.tool_calls]
        order = [call.id for call in first.tool_calls]
        yield from (("tool", m.content, []) for m in sorted(results, key=lambda m: order.index(m.tool_call_id)))


@every_writer
@tried(max_examples=25)
@given(conversation=ordinary)
def test_what_is_written_loads_into_the_same_roles_texts_calls_and_results(name, conversation):
    assert said(read_back(name, conversation)) == said(conversation)


@every_api
@tried(max_examples=25)
@given(conversation=any_kind)
def test_whatever_is_written_is_what_the_api_takes_and_holds_every_text(name, conversation):
    if not any(m.content or m.tool_calls for m in conversation if m.role != "system"):
        return
    value, losses = written_as(name, conversation)
    text = json.dumps(value)
    assert all(json.dumps(m.content.strip())[1:-1] in text for m in conversation)
    if not (value.get("messages") or value.get("input") or value.get("contents")):
        return
    loaded = load(text.encode(), name)
    assert not refusals(loaded[0])
    assert not loaded.report.skips
    assert losses.counts["ids of messages"] == len(conversation)


@every_api
def test_everything_a_format_has_no_place_for_is_named(name):
    _, losses = written_as(name, RICH)
    keeps = {
        "chat_completions": {"names of speakers", "the model"},
        "responses": {"the model"},
        "ollama": {"thinking"},
        "anthropic": {"marks of failed calls"},
        "gemini": {"marks of failed calls"},
    }[name]
    expected = {"images, sound and files", "names of speakers", "times", "pins", "thinking", "usage", "the model"}
    expected |= {"marks of failed calls", "request parameters", "fields beside the messages"}
    assert expected - keeps == losses.counts.keys()


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
@tried(max_examples=25)
@given(conversation=any_kind)
def test_no_role_comes_twice_in_a_row_and_the_users_comes_first(name, conversation):
    value, _ = written_as(name, conversation)
    roles = [turn["role"] for turn in value.get("messages", value.get("contents"))]
    assert all(role != after for role, after in pairwise(roles))
    assert roles[:1] in ([], ["user"])


def test_results_follow_their_call_in_anthropics_next_user_message():
    later = [*RICH[:3], Message("user", "well?"), RICH[3], RICH[4]]
    value, losses = written_as("anthropic", Conversation(later))
    assert [turn["role"] for turn in value["messages"]] == ["user", "assistant", "user", "assistant"]
    assert [block["type"] for block in value["messages"][2]["content"]] == ["tool_result", "text"]
    assert losses.counts["places of results that came late"] == 1
    assert value["system"] == "Be brief."


def test_calls_and_results_that_do_not_match_are_text_or_left_out_and_named():
    broken = [
        Message("user", "hi"),
        Message("assistant", "I look.", tool_calls=(CALL,)),
        Message("user", "and?"),
        Message("tool", "stray", tool_call_id="nobody"),
    ]
    value, losses = written_as("chat_completions", Conversation(broken))
    assert [m["role"] for m in value["messages"]] == ["user", "assistant", "user", "user"]
    assert losses.counts == {"results without their call, written as user": 1, "calls without a result": 1}


DECLARED = {"type": "object", "properties": {"at": {"type": "integer"}}}
SPELLINGS = {
    "chat_completions": {"type": "function", "function": {"name": "look", "description": "d", "parameters": DECLARED}},
    "responses": {"type": "function", "name": "look", "description": "d", "parameters": DECLARED},
    "anthropic": {"name": "look", "description": "d", "input_schema": DECLARED},
    "gemini": {"functionDeclarations": [{"name": "look", "description": "d", "parameters": DECLARED}]},
    "ollama": {"type": "function", "function": {"name": "look", "description": "d", "parameters": DECLARED}},
}


@every_api
@pytest.mark.parametrize("given_as", SPELLINGS)
def test_tools_are_written_as_each_api_spells_them(name, given_as):
    body = SPELLINGS["gemini"]["functionDeclarations"][0] if given_as == "gemini" else SPELLINGS[given_as]
    hosted = {"type": "web_search_20250305", "name": "web_search"}
    value, losses = written_as(name, Conversation([Message("user", "hi")], metadata={"tools": [body, hosted]}))
    assert value["tools"] == [SPELLINGS[name]]
    assert losses.counts == {"definitions of the provider's own tools": 1}


@pytest.mark.parametrize(("name", "model"), [("anthropic", "claude-x"), ("gemini", "gemini-x"), ("responses", "gpt-x")])
def test_a_model_is_written_for_the_api_it_belongs_to(name, model):
    conversation = Conversation([Message("user", "hi")], metadata={"model": model})
    assert {other for other in APIS if written_as(other, conversation)[0].get("model")} == {name, "chat_completions"}


def test_arguments_that_are_no_object_are_written_in_one_and_named():
    asked = Message("assistant", tool_calls=(ToolCall("a", "look", "{not JSON"),))
    value, losses = written_as("anthropic", Conversation([Message("user", "hi"), asked]))
    assert value["messages"][1]["content"][0]["input"] == {"arguments": "{not JSON"}
    assert losses.counts == {"arguments that are no JSON object, written in one": 1}


DATA = "iVBORw0KGgo" * 4
PICTURE = {"type": "input_image", "image_url": DATA}
SPOKEN = {"type": "text", "text": "see?"}
PICTURED = {
    "chat_completions": {
        "messages": [{"role": "user", "content": [SPOKEN, {"type": "image_url", "image_url": {"url": DATA}}]}]
    },
    "responses": {
        "input": [
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "see?"}, {"type": "input_image", "image_url": DATA}],
            },
            {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": [PICTURE]},
        ]
    },
    "anthropic": {
        "model": "claude-x",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": [SPOKEN, {"type": "image", "source": {"type": "base64", "data": DATA}}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "look", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c",
                        "content": [SPOKEN, {"type": "image", "source": {"type": "url", "url": DATA}}],
                    }
                ],
            },
        ],
    },
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "see?"}, {"inlineData": {"mimeType": "image/png", "data": DATA}}]},
            {"role": "model", "parts": [{"inlineData": {"mimeType": "image/png", "data": DATA}}]},
        ]
    },
    "ollama": {"model": "m", "messages": [{"role": "user", "content": "see?", "images": [DATA]}]},
}


@every_api
@pytest.mark.parametrize("by_way_of", ["nothing", LOSSLESS])
def test_images_read_from_an_api_are_written_for_it_again(name, by_way_of):
    (asked,) = load(json.dumps(PICTURED[name]).encode(), name)
    if by_way_of == LOSSLESS:
        (asked,) = load(write(asked).text.encode())
    value, losses = written_as(name, asked)
    assert "images, sound and files" not in losses.counts
    field = "contents" if name == "gemini" else "input" if name == "responses" else "messages"
    assert value[field] == PICTURED[name][field]


@every_api
def test_images_of_another_api_are_named_as_lost(name):
    other = "gemini" if name == "anthropic" else "anthropic"
    asked = load(json.dumps(PICTURED[other]).encode(), other)[0]
    value, losses = written_as(name, asked)
    assert losses.counts["images, sound and files"] == 2
    assert DATA not in json.dumps(value)


def test_a_reworded_message_is_written_with_its_new_words_and_its_image():
    asked = load(json.dumps(PICTURED["anthropic"]).encode())[0]
    edited = asked.edited([edit_message(asked[0], content="look!"), *asked[1:]])
    (text, image), *_ = (turn["content"] for turn in written_as("anthropic", edited)[0]["messages"])
    assert (text["text"], image["source"]["data"]) == ("look!", DATA)


names = st.text("abcdefgh", min_size=3, max_size=8).map(lambda name: f"x_{name}")
leaves = st.integers(1) | st.text(min_size=1)
held = leaves | st.lists(leaves, min_size=1) | st.dictionaries(names, leaves, min_size=1)


@every_api
@tried(max_examples=25)
@given(unknown=st.dictionaries(names, held, min_size=1, max_size=3))
def test_fields_that_nobody_reads_are_in_the_lossless_form(name, unknown):
    body = json.loads(json.dumps(PICTURED[name]))
    field = next(key for key in ("contents", "input", "messages") if key in body)
    body[field][0] |= unknown
    (asked,) = load(json.dumps(body).encode(), name)
    (again,) = load(write(asked).text.encode())
    assert again.messages == asked.messages
    assert unknown.items() <= again[0].source.items()
    assert DATA in json.dumps(again[0].source)
