"""What changed in a text, line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from historylab.agent.text_changes import Line, text_changes

TEXTS = some.text("ab \n", max_size=40)


@given(TEXTS, TEXTS)
def test_the_lines_are_both_texts_again(before, now):
    lines = list(text_changes(before, now))
    assert "\n".join(line.text for line in lines if line.kind != "added") == before
    assert "\n".join(line.text for line in lines if line.kind != "removed") == now


def test_a_line_that_changed_shares_whole_words_with_what_it_was():
    before, now = "fee\ntotal 1,200 euros\nend", "fee\ntotal 1,250 euros\nend"
    assert list(text_changes(before, now)) == [
        Line("same", "fee"),
        Line("removed", "total 1,200 euros", start=6, end=6),
        Line("added", "total 1,250 euros", start=6, end=6),
        Line("same", "end"),
    ]


def test_thousands_of_other_lines_are_one_change():
    before, now = ("\n".join(f"{word} {i}" for i in range(3_000)) for word in ("was", "is"))
    kinds = [line.kind for line in text_changes(f"top\n{before}", f"top\n{now}\nend")]
    assert kinds == ["same", *["removed"] * 3_000, *["added"] * 3_001]
