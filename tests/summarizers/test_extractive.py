"""The offline summarizers: within their room, deterministic, literal, and not to be hurt by any text."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import load_sample

from historylab import registry
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import count_text, open_counter
from historylab.counters.exact import ExactCounter
from historylab.planning.replay import replay
from historylab.registry import member
from historylab.settings.model import Settings
from historylab.summarizers import line_index
from historylab.summarizers.base import SummaryTask

TEXTS = st.lists(st.text(max_size=30) | st.sampled_from(["ORD-1 at /srv/a.py", "漢字。", "7.5% of $1,200"]), max_size=8)
FOLDING = Settings(policy="all", pruner="summarize", budget=1200)
COUNTERS = [open_counter(name, "gpt-4o") for name in ("exact", "chars/4")]
OFFLINE = sorted(name for name in registry.members("summarizer") if name in ("extractive", "ledger"))
HOSTILE = {
    "dots": "." * 100_000,
    "dots and spaces": ". " * 100_000,
    "one word": "x" * 400_000,
    "an id without end": "a1b2" * 250_000,
    "base64": "QUJDREVG/+" * 100_000,
    "at signs": "a@" * 100_000,
    "slashes": "/" * 100_000,
    "a path without end": "a/" * 100_000,
    "hyphens": "a-" * 100_000,
    "dotted": "a." * 100_000,
    "digits": "1," * 100_000,
    "links": "https://" * 50_000,
    "newlines": "\n" * 100_000,
    "spaces": " " * 100_000,
    "chinese": "漢字です。" * 50_000,
    "right to left": "مرحبا بالعالم. " * 20_000,
    "emoji": "👩‍👩‍👧‍👦" * 30_000,
    "control characters": "\0\x1b[31m\x07\u202e" * 20_000,
    "lone surrogates": "\ud800\udfff" * 50_000,
    "empty": "",
}


def summary(texts, room: int, counter=COUNTERS[0], previous: str = "", name: str = "extractive") -> str:
    messages = [Message("user", text) if isinstance(text, str) else text for text in texts]
    return member("summarizer", name).target().summarize(SummaryTask(messages, room, counter, previous))


@pytest.mark.parametrize("name", OFFLINE)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_summarised_without_hanging_and_within_its_room(name, kind):
    text = summary([HOSTILE[kind], "Order ORD-4417 is late."], 60, name=name)
    assert count_text(COUNTERS[0], text) <= 60
    assert "ORD-4417" in text


@pytest.mark.parametrize("name", OFFLINE)
@examples(max_examples=25)
@given(
    TEXTS,
    st.integers(-5, 120),
    st.sampled_from(COUNTERS),
    st.text(max_size=20),
)
def test_a_summary_never_takes_more_than_its_room(name, texts, room, counter, previous):
    text = summary(texts, room, counter, previous, name)
    assert text == "" or count_text(counter, text) <= room
    assert text == summary(texts, room, counter, previous, name)


@pytest.mark.parametrize("name", OFFLINE)
@pytest.mark.parametrize(
    "literal",
    [
        "ORD-4417", "c0ffee12", "550e8400-e29b-41d4-a716-446655440000", "src/app/main.py", "/var/log/nginx.log",
        "app.py", "https://example.org/a?b=1", "ann@example.org", "$1,200.50", "12%", "2026-01-31", "7", "v1.2.3",
        "10.0.0.1:8080",
    ],
)  # fmt: skip
def test_what_looks_like_an_id_a_number_or_a_path_is_kept_literally(name, literal):
    chatter = [f"Nothing of note was said by anybody about the weather, part {word}." for word in "abcdefghij"]
    assert literal in summary([*chatter, f"Please look at {literal} now.", *chatter], 60, name=name)


def test_literals_far_into_a_long_line_are_listed():
    row = "nothing to see here at all, really, " * 40 + "but id ORD-99120 matters"
    assert "ORD-99120" in summary([row], 90)


def test_a_line_too_long_for_the_room_does_not_keep_shorter_ones_out():
    long = "ABC-1 DEF-2 GHI-3 JKL-4 MNO-5 PQR-6 STU-7 VWX-8 YZA-9 BCD-10 EFG-11 HIJ-12 KLM-13 NOP-14 QRS-15"
    assert "see A-1" in summary([long, "see A-1"], 22)


def test_lines_are_shown_in_their_order():
    text = summary(["First the key K-1.", "Then the door D-2.", "Last the lamp L-3."], 200)
    assert text.splitlines() == [
        "- user: First the key K-1.",
        "- user: Then the door D-2.",
        "- user: Last the lamp L-3.",
    ]


def test_calls_are_told_with_their_arguments():
    call = Message("assistant", "", tool_calls=(ToolCall("x", "look_up", '{"order": "ORD-1"}'),))
    assert summary([call], 100) == '- assistant called look_up({"order": "ORD-1"})'


def test_a_sentence_is_not_cut_within_a_number_or_a_name():
    assert summary(["Pi is 3.14 in app.py, isn't it?"], 100) == "- user: Pi is 3.14 in app.py, isn't it?"


def test_a_second_summary_takes_over_what_the_first_kept():
    first = summary([f"Order ORD-{k} was sent to customer CUST-{k}." for k in range(10, 20)], 400)
    second = summary(["And ORD-99 came back."], 420, previous=first)
    assert all(f"ORD-{k}" in second and f"CUST-{k}" in second for k in range(10, 20))
    assert "ORD-99" in second


def test_literals_a_first_summary_only_listed_are_not_lost():
    first = "- user: something\nAlso mentioned: ORD-1, /srv/x.csv"
    second = summary(["Hello there."], 100, previous=first)
    assert "ORD-1" in second
    assert "/srv/x.csv" in second


def test_a_tool_session_has_half_of_its_summary_for_what_calls_use_and_a_chat_what_its_lines_leave():
    rows = "\n".join(f"row {k}: shelf B-{k} holds {k * 7} lamps, painted on 2026-03-{k}" for k in range(10, 30))
    use = Message("assistant", "", tool_calls=(ToolCall("x", "move", '{"crate": "CR-551"}'),))
    session = summary([use, Message("tool", rows, tool_call_id="x")], 160)
    assert "Also mentioned: CR-551" in session
    assert count_text(COUNTERS[0], session.rpartition("\n")[2]) > 60
    chat = summary(rows.splitlines(), 160)
    assert len(chat.partition("Also")[2]) < len(session.partition("Also")[2]) / 2


def test_of_lines_that_tell_as_much_the_former_summarys_stay():
    first, second = "The lamp of Ilse is red.", "The boat of Bram is blue."
    assert summary([second], 16, previous=f"- user: {first}") == f"- user: {first}"


def test_an_id_that_begins_like_another_is_not_taken_for_it():
    assert "ORD-1," in summary([], 60, previous="- user: ORD-12 is late.\nAlso mentioned: ORD-1, ORD-3")


def test_the_number_of_a_list_item_is_no_sentence():
    assert summary(["1. Call Ilse. Wait for him."], 60) == "- user: 1. Call Ilse.\n- user: Wait for him."


def test_nothing_to_say_is_an_empty_text():
    assert summary([], 100) == summary([""], 100) == summary(["hello"], 0) == ""


WRITE = """
from historylab import Message
from historylab.counters.base import open_counter
from historylab.counters.exact import ExactCounter
from historylab.registry import member
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.summarizers import lines
from historylab.summarizers.base import SummaryTask
words = "red blue green pink gold grey cyan teal navy plum".split()
said = [Message("user", " ".join(words[k % 7 :] + words[: k % 5]) + f" item I-{k}") for k in range(40)]
for name in ("extractive", "ledger"):
    print(member("summarizer", name).target().summarize(SummaryTask(said, 150, open_counter("exact", "gpt-4o"))))
"""


@pytest.mark.slow
def test_every_process_writes_the_same_summary():
    written = {
        subprocess.check_output([sys.executable, "-c", WRITE], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(written) == 1


GOLDEN = json.loads((Path(__file__).parents[1] / "golden/summaries.json").read_text("utf-8"))


@pytest.mark.parametrize("which", GOLDEN)
def test_the_summaries_of_the_samples_are_what_they_were(which):
    """A change of words is told in the changelog, and here: this is what was summarised before."""
    sample, name = which.split()
    timelines = [replay(chat, FOLDING.replace(summarizer=name)) for chat in load_sample(sample)]
    texts = dict.fromkeys(plan.summary.text for timeline in timelines for plan in timeline.plans if plan.summary)
    assert hashlib.blake2b("\0".join(texts).encode(), digest_size=8).hexdigest() == GOLDEN[which], "\n\n".join(texts)


@pytest.mark.parametrize("name", OFFLINE)
@examples(max_examples=60)
@given(st.lists(st.tuples(TEXTS, st.integers(0, 80)), min_size=2, max_size=5))
def test_what_is_remembered_of_a_conversation_changes_no_summary(name, tasks):
    known, previous = {}, ""
    for texts, room in tasks:
        messages = [Message("user", text) for text in texts]
        afresh = SummaryTask(messages, room, COUNTERS[0], previous)
        again = replace(afresh, known=known)
        previous, remembered = (member("summarizer", name).target().summarize(task) for task in (afresh, again))
        assert remembered == previous


@pytest.mark.parametrize("name", OFFLINE)
def test_a_summary_of_the_same_messages_in_the_same_room_is_written_once(name):
    known, messages = {}, [Message("user", "Order ORD-1 is late."), Message("assistant", "It was sent on Monday.")]

    def write(room: int, previous: str = "") -> str:
        task = SummaryTask(messages, room, COUNTERS[0], previous, known)
        return member("summarizer", name).target().summarize(task)

    first = write(60)
    assert "ORD-1" in first and write(60) is first
    assert "ORD-7" in write(60, "- user: ORD-7 is here.")
    assert write(3) == ""


def test_no_line_is_read_or_counted_again_under_other_settings(monkeypatch):
    chat, read, counted = load_sample()[0], [], []
    replay(chat, FOLDING)
    real_read, real_count = line_index._read, ExactCounter.count
    monkeypatch.setattr(line_index, "_read", lambda text: (read.append(text), real_read(text))[1])
    monkeypatch.setattr(ExactCounter, "count", lambda self, m: (counted.append(len(m)), real_count(self, m))[1])
    changed = replay(chat, FOLDING.replace(budget=1300))
    assert any(plan.summary for plan in changed.plans)
    assert read == []
    assert set(counted) == {1}  # whole texts, one at a time, and no lines
