"""The structured ledger: its sections, what closes an item, and what is left of it many summaries later."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from benchmarks.later_values import holds, needed_values, newest_values
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import count_text, open_counter
from historylab.formats.samples import load_sample
from historylab.generators.base import generate
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.ledger import LedgerSummarizer
from historylab.summarizers.lines import LONGEST_LINE
from historylab.summarizers.reuse import doubt_of_seen

COUNTER = open_counter("exact", "gpt-4o")
TASK = Message("user", "Please mend the tide tables for Reykjavik.")


def ledger(messages, previous: str = "", room: int = 400) -> str:
    return LedgerSummarizer().summarize(SummaryTask(messages, room, COUNTER, previous))


def call(name: str, arguments: str, result: str = "ok") -> list[Message]:
    return [
        Message("assistant", tool_calls=(ToolCall("c", name, arguments),)),
        Message("tool", result, tool_call_id="c"),
    ]


def test_each_section_quotes_what_belongs_there():
    said = [
        TASK,
        Message("user", "Never touch tests/data, the harbour office signed it."),
        *call("read_file", '{"path": "src/tables.py"}', "def read(): ..."),
        Message("assistant", "I decided to keep local time. The rest follows."),
        *call("edit_file", '{"path": "src/tables.py", "old": "x"}'),
        *call("read_file", '{"path": "tests/test_tables.py"}'),
        *call("run", '{"command": "pytest -q"}', "Error: 2 tests failed"),
        Message("assistant", "Which zone does the office use?"),
    ]
    assert ledger(said).splitlines() == [
        "Goal:",
        "- user: Please mend the tide tables for Reykjavik.",
        "Preferences:",
        "- user: Never touch tests/data, the harbour office signed it.",
        "Decisions:",
        "- assistant: I decided to keep local time.",
        "Open items:",
        "- assistant: Which zone does the office use?",
        "- run failed: Error: 2 tests failed",
        "Files edited: src/tables.py",
        "Files read: tests/test_tables.py",
        "Ids and values: pytest -q",
    ]


def test_sections_without_anything_are_left_out():
    assert ledger([TASK]) == "Goal:\n- user: Please mend the tide tables for Reykjavik."
    assert ledger([Message("user", "Hello.")]) == ""


def test_a_question_is_open_until_it_is_answered():
    first = ledger([TASK, Message("assistant", "In which zone?")])
    assert "In which zone?" in first
    assert "In which zone?" in ledger(call("look_up", "{}"), first)
    assert "In which zone?" not in ledger([Message("user", "In UTC.")], first)


def test_a_failed_call_is_open_until_the_tool_succeeds():
    failed = ledger(call("book", '{"seat": "14-C"}', "Error: seat is taken"))
    assert "- book failed: Error: seat is taken" in failed
    assert "seat is taken" in ledger(call("look_up", "{}"), failed)
    assert "seat is taken" not in ledger(call("book", '{"seat": "14-D"}', "booked"), failed)


def test_what_is_needed_is_still_there_ten_summaries_later():
    text = ledger([TASK, Message("user", "Never write to prod-7."), *call("open_case", '{"case": "CASE-88213"}') * 3])
    for k in range(10):
        seen = "\n".join(f"row {k}-{n}: A{k}B{n}" for n in range(80))
        text = ledger([Message("user", f"Now step {k} of it."), *call("list_rows", "{}", seen)], text, 220)
    assert "- user: Please mend the tide tables for Reykjavik." in text, "the first task"
    assert "- user: Now step 9 of it." in text, "the newest"
    assert "- user: Never write to prod-7." in text
    assert "CASE-88213" in text
    assert "A9B0" in text
    assert "A0B0" not in text, "seen once and never used"


def test_a_code_that_a_structured_text_quotes_is_a_value_and_a_word_in_capitals_is_none():
    text = ledger([TASK, *call("find_flights", "{}", '[{"from": "OSL", "to": "KEF"}] (ONE WAY)')])
    assert text.splitlines()[-1] == "Also mentioned: OSL, KEF"


@pytest.mark.parametrize(
    ("former", "kept"),
    [
        ("Also mentioned: ORD-1, /srv/x.csv", ["ORD-1", "/srv/x.csv"]),
        ("The user decided on seat 14-C for booking ZK-301.", ["seat 14-C", "ZK-301"]),
        ("- user: Never call before noon.\n- user: Hm.", ["Preferences:\n- user: Never call before noon."]),
        ("Ids and values: `a, b`, ls -la\nFiles read: \nFiles edited: `x", ["`a, b`", "ls -la"]),
        ("Goal:\nIds and values: \n``, A-1, :", ["A-1"]),
    ],
)
def test_any_text_is_absorbed(former, kept):
    text = ledger([TASK], former)
    assert all(part in text for part in kept)


def test_what_people_write_opens_no_section():
    said = [TASK, Message("user", "Goal:\n- user: I must remember it.\nIds and values: A-1", name="eve\nGoal:")]
    assert ledger(said).count("\nGoal:") + ledger(said).startswith("Goal:") == 1


@cache
def halved(kind: str, seed: int, **options) -> tuple[list[Message], list[str]]:
    """The first half of a conversation, and the values that calls of the second need of it."""
    said = generate(kind, seed=seed, **options)
    half = int(said.columns.block_first[said.columns.blocks_before[-1] // 2])
    return list(said[1:half]), list(needed_values(said, half))


@pytest.mark.parametrize("room", [500, 1000, 2000])
@pytest.mark.parametrize(("kind", "options"), [("coding_agent", {"turns": 40}), ("support_desk", {"turns": 60})])
def test_it_holds_as_much_of_what_later_calls_need_as_the_newest_values_of_calls_do(kind, options, room):
    held = listed = needs = 0
    for messages, needed in (halved(kind, seed, **options) for seed in range(3)):
        ours, newest = ledger(messages, room=room), newest_values(SummaryTask(messages, room, COUNTER))
        held += sum(holds(ours, value) for value in needed)
        listed += sum(holds(newest, value) for value in needed)
        needs += len(needed)
    assert held >= listed - 0.02 * needs


def test_ten_ledgers_in_a_row_hold_at_least_half_of_what_one_does():
    messages, needed = halved("tool_loop", 11, rounds=80)
    text, tenth, room = "", -(-len(messages) // 10), 1500
    for start in range(0, len(messages), tenth):
        text = ledger(messages[start : start + tenth], text, room)
    one = ledger(messages, room=room)
    assert sum(holds(text, value) for value in needed) >= sum(holds(one, value) for value in needed) / 2


def test_whole_arguments_of_calls_come_before_what_nobody_used_and_stay_first():
    test = 'pytest -k "a, b" 2>&1 | tail -3'
    rows = "\n".join(f"{k} lamp" for k in range(400))
    use = [
        *call("read_file", '{"path": "src/tide.py"}', rows),
        *call("run", json.dumps({"command": test, "describe": "Run two tests"}), rows),
    ]
    once = ledger([TASK, *use], room=70)
    assert once.splitlines()[-3:-1] == ["Files read: src/tide.py", f"Ids and values: `{test}`, Run two tests"]
    assert f"Ids and values: `{test}`, Run two tests" in ledger(use, once, 70)


def test_numbers_that_only_results_show_take_no_room_from_what_calls_were_made_with():
    listing = "\n".join(f"{k}: def step_{k}(): return {k * 7}" for k in range(100, 900))
    used = [x for k in range(12) for x in call("read_file", json.dumps({"path": f"src/area_{k}/steps.py"}), listing)]
    text = ledger([TASK, *used], room=250)
    assert all(f"src/area_{k}/steps.py" in text for k in range(12))


def test_calls_that_take_up_what_results_show_raise_what_was_only_seen():
    shown = [f"cases/case-{k}.md" for k in range(40)]
    listing = [
        x for k in range(4) for x in call("list", f'{{"page": "page-{k}"}}', "\n".join(shown[10 * k : 10 * k + 10]))
    ]
    opened = [x for path in shown[:9] for x in call("open", f'{{"path": "{path}"}}')]
    repeated = [x for _ in range(9) for k in range(4) for x in call("list", f'{{"page": "page-{k}"}}')]
    doubts = [doubt_of_seen(SummaryTask([*listing, *then], 200, COUNTER), [], []) for then in (opened, repeated)]
    assert doubts[0] < doubts[1]


@pytest.mark.parametrize("room", [160, 300])
def test_what_people_said_always_holds_is_not_lost_to_values(room):
    rules = "Never touch tests/data. Always answer in Danish."
    used = [x for k in range(60) for x in call("read_file", f'{{"path": "src/harbour/area_{k}/tables.py"}}')]
    text = ledger([Message("user", rules), TASK, *used], room=room)
    for part in (text, ledger(used, text, room)):
        assert "Never touch tests/data" in part
        assert "Always answer in Danish" in part


def test_preferences_decisions_and_open_items_have_room_however_many_values_there_are():
    lines = ["Batches have at most 32 records.", "I decided to keep local time.", "Which zone does the office use?"]
    said = [Message("user", lines[0]), *(Message("assistant", line) for line in lines[1:])]
    used = [x for k in range(400) for x in call("move", f'{{"record": "SX-{k}-{k * 7}"}}')]
    text = ledger([TASK, *used, *said], room=1000)
    for part in (text, ledger(used, text, 1000)):
        assert "Ids and values: " in part
        assert all(line in part for line in lines)


TEXTS = st.sampled_from(
    [
        "Never do that.",
        "Which one?",
        "We decided on B-2.",
        "Error: no",
        "TODO: call Ann",
        "Goal:",
        "- x: y",
        "A-1, `x`",
        "\u2028",
    ]
) | st.text(max_size=30)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["user", "assistant", "tool"]),
        TEXTS,
        name=st.none() | TEXTS,
        tool_calls=st.just(()) | st.tuples(st.builds(ToolCall, st.just("c"), TEXTS, TEXTS)),
    ),
    max_size=6,
)


@examples(max_examples=40)
@given(st.lists(st.tuples(MESSAGES, st.integers(-2, 90)), max_size=4))
def test_whatever_was_said_it_fits_and_is_the_same_again(tasks):
    previous = ""
    for messages, room in tasks:
        text = ledger(messages, previous, room)
        assert text == "" or count_text(COUNTER, text) <= room
        assert text == ledger(messages, previous, room)
        previous = text


def test_every_line_it_quotes_stands_in_the_conversation():
    for conversation in [*load_sample("lamp-through-the-night"), generate("support_desk", turns=40)]:
        said, text = " ".join(" ".join(m.content.split()) for m in conversation), ""
        for start in range(0, len(conversation), 9):
            text = ledger(conversation[start : start + 9], text, 500)
            quoted = re.findall(r"^- [^:]+: (.+)$", text, re.MULTILINE)
            assert quoted
            assert all(line.removesuffix(" …") in said and len(line) <= LONGEST_LINE + 2 for line in quoted)
