"""Terms on screen say what they mean."""

from __future__ import annotations

import pytest

from historylab.wording.terms import TERMS, with_terms


def test_the_first_mention_of_a_term_tells_what_it_means_and_the_rest_is_text():
    said = with_terms("Requests <b> of a turn are requests.", "turn", "request")
    assert said.startswith('<dfn class="hl-term" tabindex="0" aria-description="One call of the model')
    assert said.count("<dfn") == 2
    assert said.endswith(">turn</dfn> are requests.")
    assert " &lt;b&gt; of a " in said


def test_of_two_terms_that_begin_alike_the_longer_one_tells():
    said = with_terms("2 facts in tool calls, 1 fact", "fact", "facts in tool calls")
    assert said.count("<dfn") == 1
    assert ">facts in tool calls</dfn>, 1 fact" in said


def test_a_term_that_is_not_mentioned_changes_nothing():
    assert with_terms("nothing & nobody", "turn") == "nothing &amp; nobody"


@pytest.mark.parametrize("term", TERMS)
def test_every_definition_is_a_sentence_or_two(term):
    assert TERMS[term][0].isupper()
    assert TERMS[term].endswith(".")
    assert len(TERMS[term]) < 160
