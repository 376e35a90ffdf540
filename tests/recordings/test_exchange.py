"""A line of a recording is one line of JSON, whatever it holds."""

from __future__ import annotations

import pytest

from historylab.errors import StoreError
from historylab.formats.traces.recorded_lines import parse_line
from historylab.recordings.exchange import make_line


def test_a_line_is_made_and_read_whatever_is_in_it():
    text = make_line("title", title="two\nlines\u2028 \0 \ud83d 🙂 ä", empty="", none=None, zero=0, no=False)
    assert "\n" not in text and "\0" not in text
    assert text.encode()
    found = {"historylab": "title", "title": "two\nlines\u2028 \0 \ud83d 🙂 ä", "zero": 0, "no": False}
    assert parse_line(text) == parse_line(text.encode()) == found


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"historylab": 7}', '{"other": "request"}', "[" * 99_999, b"\xff"]
)
def test_what_is_no_line_of_ours_is_nothing(text):
    assert parse_line(text) == {}


def test_what_is_no_json_is_refused():
    with pytest.raises(StoreError, match="no JSON"):
        make_line("request", request={1, 2})
