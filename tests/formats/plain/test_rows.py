"""Flat JSON rows under other names than `role` and `content`."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.errors import UnknownFormat

ROWS = [{"speaker": "user", "utterance": "hi"}, {"speaker": "bot", "utterance": "hello"}]
LINES = "\n".join(map(json.dumps, ROWS))


@pytest.mark.parametrize("text", [json.dumps(ROWS), LINES, json.dumps({"turns": ROWS})], ids=["list", "lines", "held"])
def test_a_list_lines_or_an_object_with_a_list(text):
    loaded = load(text.encode())
    assert loaded.report.member == "rows"
    assert [(m.role, m.content) for m in loaded[0]] == [("user", "hi"), ("assistant", "hello")]
    assert loaded.report.remarks == 0


def test_what_is_beside_the_rows_is_named():
    assert list(load(json.dumps({"turns": ROWS, "mood": "fine"}).encode()).report.warnings) == [
        "a field 'mood' not read"
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"name": "x", "text": "y"},
        {"author": "x", "text": "y"},
        [{"sender": "x"}],
        [1, 2],
        ["user", "text"],
        {"turns": []},
    ],
    ids=str,
)
def test_other_json_is_refused(value):
    with pytest.raises(UnknownFormat):
        load(json.dumps(value).encode())


def test_role_and_content_stay_with_chat_completions():
    rows = [{"role": "user", "content": "hi", "conversation_id": c} for c in "ab"]
    assert load("\n".join(map(json.dumps, rows)).encode()).report.member == "chat_completions"
