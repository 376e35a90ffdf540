"""What providers leave out themselves: compactions in answers and inputs, results that are cleared by number."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent, load
from historylab.conversation.sent import SENT_HISTORIES, sent_histories


def user(text: str) -> dict:
    return {"role": "user", "content": text}


def said(*blocks: dict | str) -> dict:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": "assistant", "content": content}


def called(key: str, name: str = "look") -> dict:
    return said({"type": "tool_use", "id": key, "name": name, "input": {}})


def found(key: str) -> dict:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": f"result {key}"}]}


def compaction(text: str | None) -> dict:
    return {"type": "compaction", "content": text}


def answer(message: dict, *edits: dict, **usage: object) -> dict:
    told = {"context_management": {"applied_edits": list(edits)}} if edits else {}
    return {
        "type": "message",
        "model": "claude-x",
        "usage": {"input_tokens": 900, "output_tokens": 5} | usage,
        **message,
        **told,
    }


def cleared(count: object, tokens: object = 50) -> dict:
    return {"type": "clear_tool_uses_20250919", "cleared_tool_uses": count, "cleared_input_tokens": tokens}


def anthropic(messages: list[dict], given: dict | None = None, **fields: object):
    body = {"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": messages, **fields}
    (conversation,) = load(json.dumps({"request": body, "response": given} if given else body).encode())
    return conversation


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def test_what_stands_before_a_compaction_is_not_read_by_the_requests_after_it():
    talk = [user("One."), said("To One."), user("Two."), said(compaction("In short."), "To Two."), user("Three.")]
    conversation = anthropic(talk, answer(said("To Three.")))
    assert [sent(conversation, k) for k in (1, 2)] == [
        ["Be brief.", "One.", "To One.", "Two."],
        ["Be brief.", "In short.\nTo Two.", "Three."],
    ]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.dropped, cut.summary, cut.by) == (2, (1, 2, 3), 4, "Anthropic’s API")


def test_a_compaction_that_failed_changes_nothing():
    conversation = anthropic([user("One."), said(compaction(None), "To One."), user("Two."), said("To Two.")])
    assert SENT_HISTORIES not in conversation.metadata


def test_a_second_compaction_takes_the_place_of_the_first():
    talk = [user("One."), said(compaction("Short 1.")), user("Two."), said(compaction("Short 2.")), user("Three.")]
    conversation = anthropic(talk, answer(said("To Three.")))
    assert [sent(conversation, k)[1:] for k in (1, 2)] == [["Short 1.", "Two."], ["Short 2.", "Three."]]


def test_the_pass_that_compacts_is_part_of_the_usage():
    passes = [{"type": "compaction", "input_tokens": 4, "cache_creation_input_tokens": 8_000, "output_tokens": 70}]
    passes += [{"type": "message", "input_tokens": 200, "output_tokens": 5}]
    conversation = anthropic([user("One.")], answer(said(compaction("In short.")), iterations=passes))
    (usage,) = conversation.recorded.usage
    assert (usage.input, usage.cache_writes, usage.output) == (904, 8_000, 75)


CALLS = [user("Look."), called("a"), found("a"), called("b", "keep"), found("b"), called("c"), found("c")]


def edited(*edits: dict, rule: dict | None = None):
    asked = (
        {"context_management": {"edits": [{"type": "clear_tool_uses_20250919", **rule}]}} if rule is not None else {}
    )
    return anthropic(CALLS, answer(said("Done."), *edits), **asked)


@pytest.mark.parametrize(
    ("rule", "count", "gone"),
    [
        ({"keep": {"type": "tool_uses", "value": 1}}, 2, "ab"),
        ({"keep": {"type": "tool_uses", "value": 1}}, 1, "a"),
        ({"keep": {"type": "tool_uses", "value": 1}, "exclude_tools": ["look"]}, 0, ""),
        ({"keep": {"type": "tool_uses", "value": 0}, "exclude_tools": ["keep"]}, 2, "ac"),
    ],
)
def test_which_results_are_cleared_follows_from_the_requests_rule(rule, count, gone):
    conversation = edited(*([cleared(count)] if count else []), rule=rule)
    texts = sent(conversation)
    assert [f"result {key}" in texts for key in "abc"] == [key not in gone for key in "abc"]
    assert texts.count("[tool result cleared by the API]") == len(gone)
    assert all(step.known for step in as_sent(conversation).steps)


@pytest.mark.parametrize("rule", [None, {"keep": {"type": "tool_uses", "value": 2}}, {"exclude_tools": ["look"]}])
def test_where_no_rule_decides_it_which_were_cleared_is_not_known(rule):
    conversation = edited(cleared(2), rule=rule)
    assert [step.known for step in as_sent(conversation).steps][-1] is False
    assert "the API cleared 2 tool results here, 50 tokens" in as_sent(conversation).plans[-1].reason(2).sentence


def test_thinking_that_is_cleared_was_not_sent_anyway():
    edit = {"type": "clear_thinking_20251015", "cleared_thinking_turns": 3, "cleared_input_tokens": 90}
    assert edited(edit).metadata[SENT_HISTORIES] == []


def test_the_first_request_that_is_edited_is_a_cut_and_the_next_one_is_whole_again():
    first = {
        "request": {"model": "claude-x", "max_tokens": 9, "messages": CALLS},
        "response": answer(said("Done."), cleared(1)),
    }
    later = [*CALLS, said("Done."), user("More.")]
    second = {"request": {"model": "claude-x", "max_tokens": 9, "messages": later}, "response": answer(said("Fine."))}
    (conversation,) = load("\n".join(map(json.dumps, [first, second])).encode())
    assert [step.known for step in as_sent(conversation).steps][-2:] == [False, True]
    (cut,) = conversation.recorded.compactions
    assert (cut.trigger, cut.tokens_before, cut.tokens_after) == ("clear_tool_uses", 950, 900)


def test_edits_and_a_compaction_are_read_from_a_stream_too():
    begun = {"type": "message", "role": "assistant", "model": "claude-x", "content": [], "usage": {"input_tokens": 9}}
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": compaction(None)},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "In short."}},
        {"type": "message_delta", "delta": {}, "context_management": {"applied_edits": [cleared(1)]}},
        {"type": "message_stop"},
    ]
    (conversation,) = load("\n".join(map(json.dumps, events)).encode())
    assert (conversation[0].content, conversation[0].metadata["applied_edits"]) == ("In short.", [cleared(1)])


ITEM = {"type": "compaction", "id": "c", "encrypted_content": "x"}


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary"])
def test_items_before_a_compaction_are_not_read_by_the_model(kind):
    items = [user("One."), said("To One."), ITEM | {"type": kind}, user("Two.")]
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "To Two."}]}]
    exchange = {"request": {"model": "gpt-x", "input": items}, "response": {"object": "response", "output": output}}
    (conversation,) = load(json.dumps(exchange).encode())
    assert as_sent(conversation).plans[-1].sketch() == "SSKK"
    assert as_sent(conversation).plans[-1].reason(3).sentence == (
        "Not known: only the provider can read what the compaction before it holds."
    )
    assert [(c.dropped, c.by) for c in conversation.recorded.compactions] == [((0, 1), "OpenAI’s API")]


def test_the_answer_to_a_request_to_compact_is_its_compaction():
    answered = {"object": "response.compaction", "output": [user("One."), ITEM], "usage": {"input_tokens": 156}}
    asked = {"model": "gpt-x", "input": [user("One."), said("To One.")]}
    (conversation,) = load(json.dumps({"request": asked, "response": answered}).encode())
    assert [m.role for m in conversation] == ["user", "assistant", "system"]
    (alone,) = load(json.dumps(answered).encode())
    assert [m.role for m in alone] == ["user", "system"]


def pydantic(*messages: dict):
    (conversation,) = load(json.dumps(messages).encode())
    return conversation


def prompt(text: str) -> dict:
    return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}


def reply(*parts: dict, provider: str = "anthropic") -> dict:
    return {"kind": "response", "provider_name": provider, "parts": list(parts)}


def text(words: str) -> dict:
    return {"part_kind": "text", "content": words}


@pytest.mark.parametrize(
    ("part", "provider", "request_after"),
    [
        ({"content": "In short."}, "anthropic", ["In short.\nTo Two.", "Three."]),
        ({"content": None, "provider_details": {"encrypted_content": "x"}}, "anthropic",
         ["[a compaction that only the provider can read]\nTo Two.", "Three."]),
        ({"content": None}, "anthropic", ["One.", "To One.", "Two.", "To Two.", "Three."]),
        ({"content": "In short."}, "openai", ["One.", "To One.", "Two.", "In short.\nTo Two.", "Three."]),
    ],
)  # fmt: skip
def test_a_compaction_of_pydantic_ai_is_one_for_the_provider_that_made_it(part, provider, request_after):
    compacted = {"part_kind": "compaction", **part}
    talk = [prompt("One."), reply(text("To One.")), prompt("Two."), reply(compacted, text("To Two.")), prompt("Three.")]
    usage = {"usage": {"input_tokens": 900, "output_tokens": 5}}
    assert sent(pydantic(*talk, reply(text("To Three."), provider=provider) | usage)) == request_after


ODD = st.one_of(st.none(), st.integers(-1, 4), st.text(max_size=2), st.just([]), st.just({"value": "x"}), st.just([5]))
MESSAGES = st.one_of(
    st.builds(user, st.text(max_size=2)),
    st.builds(lambda t: said(compaction(t), "x"), st.one_of(st.none(), st.text(max_size=2))),
    st.sampled_from([*CALLS, said(ITEM)]),
    st.builds(lambda n, t: answer(said("x"), cleared(n, t), {"type": n}), ODD, ODD),
)


@tried(deadline=None, max_examples=120)
@given(st.lists(MESSAGES, max_size=7), ODD, ODD, ODD)
def test_whatever_a_provider_says_every_history_fits(messages, keep, excluded, count):
    rule = {"edits": [{"type": "clear_tool_uses", "keep": keep, "exclude_tools": excluded}, excluded]}
    conversation = anthropic([user("Begin."), *messages], answer(said("End."), cleared(count)), context_management=rule)
    assert len(sent_histories(conversation) or ()) == len(conversation.metadata.get(SENT_HISTORIES, ()))
    assert all(cut.request < len(conversation.columns.requests) for cut in conversation.recorded.compactions)
