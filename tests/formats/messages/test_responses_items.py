"""Items of the Responses API: what each becomes, and which of them are one turn."""

from __future__ import annotations

import pytest

from historylab.formats.base import Report
from historylab.formats.messages.responses_items import read_items

ASKED = {"role": "user", "content": "high tide?"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "look it up"}]}
CALLED = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "tide", "arguments": '{"at": "4"}'}
FOUND = {"type": "function_call_output", "id": "fc_2", "call_id": "call_1", "output": "4 pm"}
SAID = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "At 4.", "annotations": []}],
}


def read(*items):
    report = Report()
    return read_items([(f"[{i}]", item) for i, item in enumerate(items)], report), report


def sketch(messages) -> list[tuple]:
    return [(m.role, m.content, m.tool_call_id or [c.id for c in m.tool_calls]) for m in messages]


def test_the_items_of_one_turn_are_one_message_and_results_join_by_call_id():
    messages, report = read(ASKED, THOUGHT, SAID, CALLED, CALLED | {"call_id": "call_2"}, FOUND, SAID)
    assert sketch(messages) == [
        ("user", "high tide?", []),
        ("assistant", "At 4.", ["call_1", "call_2"]),
        ("tool", "4 pm", "call_1"),
        ("assistant", "At 4.", []),
    ]
    assert messages[1].metadata == {"thinking": "look it up"}
    assert (report.records, report.skips, list(report.warnings)) == (7, 0, [])


def test_arguments_that_are_an_object_keep_their_letters():
    messages, _ = read({**CALLED, "arguments": {"at": "größer"}})
    assert messages[0].tool_calls[0].arguments == '{"at": "größer"}'


def test_encrypted_reasoning_leaves_a_mark_on_the_message_of_its_call():
    messages, report = read(ASKED, {"type": "reasoning", "summary": [], "encrypted_content": "zzz"}, CALLED)
    assert messages[1].metadata == {"encrypted_reasoning": True}
    assert len(messages[1].tool_calls) == 1
    assert list(report.warnings) == ["encrypted reasoning, which only the provider can read"]


@pytest.mark.parametrize(
    ("call", "output", "name", "arguments"),
    [
        ({"type": "custom_tool_call", "name": "sql", "input": "SELECT 1"}, {"output": "1"}, "sql", "SELECT 1"),
        ({"type": "local_shell_call", "action": {"cmd": "ls"}}, {"output": "a b"}, "local_shell", '{"cmd": "ls"}'),
        (
            {"type": "computer_call", "action": {"type": "wait"}},
            {"output": {"type": "computer_screenshot", "image_url": "data:"}},
            "computer",
            '{"type": "wait"}',
        ),
    ],
)
def test_other_calls_of_the_caller_are_calls(call, output, name, arguments):
    messages, report = read(call | {"call_id": "c"}, output | {"type": f"{call['type']}_output", "call_id": "c"})
    assert [(c.name, c.arguments) for c in messages[0].tool_calls] == [(name, arguments)]
    assert messages[1].tool_call_id == "c"
    assert messages[1].content or messages[1].media == ("image",)
    assert not report.remarks


@pytest.mark.parametrize(
    ("item", "result", "media"),
    [
        ({"type": "mcp_call", "name": "fetch", "arguments": "{}", "output": "page", "server_label": "web"}, "page", ()),
        ({"type": "file_search_call", "queries": ["q"], "results": [{"text": "hit"}]}, '[{"text": "hit"}]', ()),
        ({"type": "code_interpreter_call", "code": "1+1", "outputs": [{"logs": "2"}]}, '[{"logs": "2"}]', ()),
        ({"type": "image_generation_call", "result": "AAAA"}, "", ("image",)),
    ],
)
def test_a_tool_the_api_runs_is_a_call_with_its_result(item, result, media):
    messages, report = read(ASKED, {"id": "h_1", **item}, SAID)
    assert sketch(messages)[1:] == [("assistant", "", ["h_1"]), ("tool", result, "h_1"), ("assistant", "At 4.", [])]
    assert messages[2].media == media
    assert not report.remarks


def test_a_search_whose_result_the_api_keeps_is_said():
    _, report = read({"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "tide"}})
    assert list(report.warnings) == ["a result of web_search_call that the API doesn't show"]


def test_a_compaction_is_a_message_that_only_the_provider_can_read():
    (message,), report = read({"type": "compaction", "id": "c1", "encrypted_content": "z"})
    assert (message.role, message.content) == ("system", '{"encrypted_content":"z"}')
    assert list(report.warnings) == ["a compaction item, which only the provider can read"]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"type": "item_reference"}, "an item_reference without an id"),
        ({"type": "hologram"}, "an item of type 'hologram', which can't be read"),
        ({"type": ["message"]}, "an item whose type is a list"),
        ({"type": "message", "content": "x"}, "no role"),
        (7, "a number, not an object"),
    ],
)
def test_what_holds_no_message_is_skipped_by_name(item, reason):
    messages, report = read(ASKED, item)
    assert len(messages) == 1
    assert list(report.skipped) == [reason]


KEPT = "an item_reference, whose item the provider keeps: its text and size are unknown"


def reference(name):
    return {"type": "item_reference", "id": name}


def test_an_item_that_is_only_referred_to_is_the_assistants_of_its_turn_and_nobody_knows_what_it_says():
    messages, report = read(ASKED, reference("rs_1"), CALLED, FOUND, reference("msg_1"), ASKED)
    assert sketch(messages)[1:4] == [("assistant", "", ["call_1"]), ("tool", "4 pm", "call_1"), ("assistant", "", [])]
    assert [m.metadata for m in messages[1:4]] == [{"item_references": ["rs_1"]}, {}, {"item_references": ["msg_1"]}]
    assert (report.warnings[KEPT].count, report.skips) == (2, 0)


def test_results_right_after_references_have_their_calls_unless_those_are_no_calls():
    found = [FOUND | {"call_id": f"call_{k}"} for k in (1, 2)]
    for kept in (["rs_1", "fc_1", "fc_2"], ["fc_1"], ["ctc_1"]):
        messages, _ = read(ASKED, *map(reference, kept), *found, ASKED)
        assert [c.id for c in messages[1].tool_calls] == ["call_1", "call_2"]
    messages, _ = read(ASKED, reference("fc_2"), CALLED, *found)
    assert [(c.id, c.name) for c in messages[1].tool_calls] == [("call_1", "tide"), ("call_2", "item_reference")]
    messages, _ = read(ASKED, reference("rs_1"), reference("msg_1"), *found)
    assert messages[1].tool_calls == ()


def test_developer_is_system_and_parts_may_be_media():
    parts = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "data:", "detail": "auto"}]
    messages, report = read({"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts})
    assert [(m.role, m.content, m.media) for m in messages] == [
        ("system", "Be brief.", ()),
        ("user", "see", ("image",)),
    ]
    assert not report.remarks


def test_a_part_of_a_type_that_is_new_is_read_by_its_text_and_named_without_one():
    texts = [{"type": "input_text", "text": "high tide"}, {"type": "footnote", "text": "at the pier"}]
    image = {"type": "input_image", "image_url": "data:", "crop": "left"}
    messages, report = read({"role": "user", "content": [*texts, image, {"type": "map", "at": 4}]})
    assert (messages[0].content, messages[0].media) == ("high tide\nat the pier", ("image",))
    assert list(report.warnings) == ["a field 'crop' not read", "a part of type 'map' not read"]
