"""The counter `tiktoken`: the same numbers as `exact`, by OpenAI's own library, where a person chooses it."""

from __future__ import annotations

import random
from threading import Event

import pytest
import tiktoken.model
from command_line import run
from tiktoken_tables import needs_tables

from historylab import Settings, Trimmer
from historylab.conversation.message import Message, ToolCall
from historylab.counters import tiktoken as ours
from historylab.counters.badge import count_badge
from historylab.counters.base import open_counter
from historylab.counters.exact import BEGINNINGS, NAMES, encoding_of

REALLY_OPEN = ours.open_encoding
SENTENCES = [
    "Don't move my 9:40 flight to Graz; I'LL call again on 2026-03-07, costs: €1,250.00!",
    "Der Zug hält überall außer in Größenwörth, und übermorgen gar nicht.",
    "Поезд в Иркутск отправляется в 23:15, платформа 4.",
    "明日の会議は午前九時からです。資料を三部お願いします。",
    "下周三之前请把合同发给我,谢谢!",
    "내일 비가 오면 회의를 온라인으로 옮겨 주세요.",
    "كم ثمن التذكرة إلى القاهرة يوم ١٢ مايو؟",
    "कृपया मेरा पता बदलकर नया पता लिख दें।",
    "שלחי לי בבקשה את הקבלה מספר 4471.",
    "ร้านเปิดกี่โมงในวันอาทิตย์",
    '👩🏽‍🔧 fixed it 🎉🎉  \n\n\t{"id": [1, 22, 333, 4444]}\r\n',
    "<|endoftext|><|im_start|>system",
    "x" * 300,
    "a\ud800b",
]
SCRIPTS = [0x20, 0xA0, 0x370, 0x410, 0x5D0, 0x620, 0x900, 0xE01, 0x2010, 0x3041, 0x4E00, 0xAC00, 0x1F300, 0x1F600]
"""Where the characters of scripts begin."""


def text_in_many_scripts(seed: int) -> str:
    """Sentences, and words of random characters of every script."""
    chance = random.Random(seed)
    words = [
        "".join(chr(start + chance.randrange(90)) for _ in range(chance.randint(1, 9)))
        for start in chance.choices(SCRIPTS, k=300)
    ]
    words += chance.choices(SENTENCES, k=60)
    chance.shuffle(words)
    return " ".join(words)


@needs_tables
@pytest.mark.slow
@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-4"])
def test_both_counters_agree_on_a_large_text_in_many_scripts(model):
    texts = [text_in_many_scripts(seed) for seed in range(200)]
    messages = [Message("user", text, tool_calls=(ToolCall("c", "f", text[:50]),)) for text in texts]
    exact, by_tiktoken = (open_counter(name, model) for name in ("exact", "tiktoken"))
    assert exact.count(messages).tolist() == by_tiktoken.count(messages).tolist()
    whole = [Message("user", "\n".join(texts))]
    assert exact.count(whole) == by_tiktoken.count(whole)


def test_it_is_exact_for_the_same_models_and_no_recording_of_theirs_is_another_model():
    from historylab.conversation.conversation import Conversation

    for model in ("gpt-5.5", "gpt-4", "claude-opus-4-5"):
        assert open_counter("tiktoken", model).exact is open_counter("exact", model).exact
    recorded = Conversation([Message("assistant", "hi", metadata={"model": "gpt-5"})])
    assert count_badge(open_counter("tiktoken", "gpt-5.5"), "gpt-5.5", [recorded]) == (
        "o200k_base by tiktoken, exact for gpt-5.5"
    )


def unreachable(_name):
    raise OSError("no route to host")


def unanswered(_name):
    Event().wait(1)


@pytest.fixture(params=[unreachable, unanswered], ids=lambda download: download.__name__)
def asked(request, monkeypatch):
    """The tables that were asked for where none can be had."""
    names = []
    monkeypatch.setattr(ours, "open_encoding", REALLY_OPEN)
    monkeypatch.setattr(ours, "PATIENCE", 0.05)
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: names.append(name) or request.param(name))
    ours._open.cache_clear()
    yield names
    ours._open.cache_clear()


def test_without_its_table_exact_counts_with_one_notice_and_the_badge_says_so(asked, caplog):
    messages = [Message("user", sentence) for sentence in SENTENCES]
    counters = [open_counter("tiktoken", "gpt-5.5") for _ in range(3)]
    for counter in counters:
        assert counter.count(messages).tolist() == open_counter("exact", "gpt-5.5").count(messages).tolist()
    assert asked == ["o200k_base"]
    (notice,) = caplog.messages
    assert notice.startswith("tiktoken has no table of o200k_base here and could not download it (")
    assert count_badge(counters[0], "gpt-5.5") == (
        "o200k_base (by toktok, as tiktoken's table can't be had), exact for gpt-5.5"
    )


def test_without_its_table_a_running_app_goes_on_and_is_told_once(asked, caplog):
    trimmer = Trimmer(Settings(counter="tiktoken", policy="all", budget=100))
    messages = [{"role": "user", "content": sentence} for sentence in SENTENCES]
    for size in (2, 4, 6):
        assert trimmer.trim(messages[:size])[-1] == messages[size - 1]
    assert len(asked) == len(caplog.messages) == 1


def test_without_its_table_a_command_prints_the_same_figures_and_says_why(asked, caplog, capsys, root):
    sample = str(root / "sample_conversations" / "bike-rental-support.json")
    assert run(capsys, "show", sample, "--set", "counter=tiktoken")[0] == 0
    assert len(asked) == len(caplog.messages) == 1


def test_our_table_of_models_says_what_tiktokens_says():
    theirs = tiktoken.model
    shipped = {"o200k_base", "cl100k_base", "o200k_harmony"}
    ours = [name for names in (NAMES, BEGINNINGS) for listed in names.values() for name in listed.split()]
    named = {*theirs.MODEL_TO_ENCODING, *theirs.MODEL_PREFIX_TO_ENCODING, *ours}
    for name in [*named, *(f"{name}x" for name in named), *(f"{name}-2" for name in named)]:
        try:
            expected = theirs.encoding_name_for_model(name)
        except KeyError:
            expected = ""
        assert encoding_of(name) == ((expected, True) if expected in shipped else ("o200k_base", False)), name
