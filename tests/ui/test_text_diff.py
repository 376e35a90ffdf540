"""The lines of a changed message on screen."""

from __future__ import annotations

import re

from historylab.ui.request.text_diff import text_diff


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", re.sub("</(del|ins|span)>|</i>(?=<(?:del|ins|span|/pre))", "|", html)).strip("|")


def test_what_is_the_same_is_folded_and_what_changed_has_a_sign():
    before = "\n".join(f"line {i}" for i in range(20))
    amount, html = text_diff(before, before.replace("line 10", "line ten"))
    assert amount == "−1 +1 lines"
    assert plain(html).replace("\xa0", " ") == (
        "… 8 lines the same …|  line 8|  line 9|− line 10|+ line ten|  line 11|  line 12|… 7 lines the same …"
    )
    assert "<del>− line <mark>10</mark></del><ins>+ line <mark>ten</mark></ins>" in html


def test_a_long_line_that_was_truncated_shows_where():
    whole = "head " + "x" * 100_000
    _, html = text_diff(whole, whole[:3_000] + " [cut]")
    assert "<i> … 2,940 characters … </i>" in html
    assert "[cut]</mark></ins>" in html
    assert "96,405 characters" in html
    assert len(html) < 4_000


def test_of_very_long_texts_the_rest_is_counted():
    _, html = text_diff("\n".join(f"was {i}" for i in range(9_000)), "nothing")
    assert re.search(r"… [\d,]+ more changed lines; the download has all\.</i></pre>$", html)
    assert len(html) < 8_000


def test_texts_are_only_text():
    _, html = text_diff("<b>a</b>\x1b[31m\r\u202e", "<script>x</script>")
    assert "&lt;b&gt;a&lt;/b&gt;�[31m␍�" in html
    assert "<script" not in html
