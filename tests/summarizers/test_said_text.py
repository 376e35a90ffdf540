"""A text that is asked for many values finds those that a search of the whole text finds."""

from hypothesis import given
from hypothesis import strategies as st

from historylab.summarizers.values import SaidText, says

PIECES = st.sampled_from(["a", "b1", "12", "_", "-", "/", ".", " ", "é", "漢", "`", ", ", "A"])
VALUES = st.lists(PIECES, min_size=1, max_size=5).map("".join)
TEXTS = st.lists(st.lists(PIECES, max_size=9).map("".join), max_size=4).map("\n".join)


@given(TEXTS, st.lists(VALUES, max_size=6))
def test_a_value_is_said_where_a_search_of_the_text_finds_it(text, values):
    said = SaidText(text)
    assert [said.says(value) for value in values] == [says(text, value) for value in values]


def test_what_is_added_is_a_line_of_its_own():
    said = SaidText("see app.py")
    assert said.says("app.py") and not said.says("main.py")
    said.add("and src/main.py")
    assert said.says("main.py") and not said.says("src/mai") and not said.says("py\nand")
