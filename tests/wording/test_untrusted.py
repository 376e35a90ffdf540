"""Untrusted text is shown as text: nothing hides in it, and neither HTML nor Markdown reads anything into it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from historylab.wording.untrusted import code_span, escape, multiline, one_line, replace_hidden

HIDDEN = (
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"  # reorder what stands beside them
    "\u200b\u2060\ufeff\xad\x00\x1b\x7f\x9b"
    "\U000e0041"  # a tag: text that only a model reads
)


def test_one_line_shows_what_is_hidden_and_stays_short():
    assert one_line("a\n\tb\u202ec\x00d", 20) == "a b�c�d"
    assert one_line("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert one_line("\ud800", 10) == "�"
    assert one_line("می‌خواهم 👩‍🚀", 20) == "می‌خواهم 👩‍🚀"


def test_whole_text_can_be_encoded_and_says_what_is_left_out():
    assert multiline("a\ud800\u202e\r\n\tb", 10) == "a��\r\n\tb"
    assert multiline("abcdef", 4) == "abcd\n… 2 more characters"


def test_escaped_text_is_no_markup():
    assert escape("<b onclick='x'>&\ud800") == "&lt;b onclick=&#x27;x&#x27;&gt;&amp;�"


@pytest.mark.parametrize("c", HIDDEN)
def test_nothing_hides_in_any_of_them(c):
    for show in (lambda t: one_line(t, 20), lambda t: multiline(t, 20), escape, code_span, replace_hidden):
        assert "�" in show(f"a{c}b")
        assert c not in show(f"a{c}b")


@given(st.text(alphabet=st.sampled_from("`ab \\[]()<>$:*_#\n\u202e\u200d"), max_size=40))
@example("[gpt-5.5 (offline, free)](http://evil.example/click)")
@example("` [x](http://evil.example) `")
def test_markdown_is_one_code_span_around_the_text(text):
    found = code_span(text)
    ticks, inside = re.fullmatch(r"(`+)(.*?)\1|\(empty\)", found).groups()
    if ticks is None:
        assert not text.strip()
        return
    assert ticks not in re.findall("`+", inside)  # nothing in it ends the span
    assert inside.removeprefix(" ").removesuffix(" ") == one_line(text, 80).replace("\u200d", "�")
