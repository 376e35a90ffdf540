"""Quiet for what is sent, ink for what is lost, and nobody takes one for the other."""

from itertools import pairwise

import pytest

from historylab.planning.reasons import Action
from historylab.wording.palette import ALARM, FAINT, INK, KINDS, LOOKS, PAGE, Look
from tests.support.colour_difference import colour_difference, contrast

SENT, LOST = [Action.KEPT, Action.PINNED], [Action.TRUNCATED, Action.SUMMARIZED, Action.DROPPED]
in_both = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@in_both
def test_a_loss_is_told_from_everything_else_by_anyone(dark):
    for action in LOST:
        others = [PAGE, *(look for other, look in LOOKS.items() if other != action)]
        assert min(apart(LOOKS[action], other, dark) for other in others) >= 18


@in_both
def test_what_is_sent_is_two_tints_that_are_seen_on_the_page(dark):
    kept, always = (LOOKS[action] for action in SENT)
    assert apart(PAGE, kept, dark) >= 8 and apart(kept, always, dark) >= 8


@in_both
def test_what_is_kept_is_the_quietest_and_every_loss_is_louder(dark):
    loud = {action: contrast(look.colour(dark), PAGE.colour(dark)) for action, look in LOOKS.items()}
    assert loud[Action.KEPT] < 1.6 and min(loud, key=loud.get) == Action.KEPT
    assert all(loud[action] > loud[Action.PINNED] for action in LOST)


def test_the_legends_say_what_the_glossary_says_and_not_what_the_code_does():
    said = {look.word for look in (*LOOKS.values(), *KINDS.values())}
    assert {"always sent", "cut short", "formatting"} <= said
    assert not {"pinned", "truncated", "framing"} & said


@in_both
def test_neighbours_of_the_bar_differ(dark):
    shown = [KINDS[kind] for kind in ("system", "user", "assistant", "tool", "other", "framing", "summary")]
    assert min(apart(one, other, dark) for one, other in pairwise(shown)) >= 5


@in_both
def test_glyphs_and_words_are_readable(dark):
    assert all(contrast(look.colour(dark), look.ink(dark)) >= 4.5 for look in LOOKS.values())
    assert all(contrast(look.colour(dark), PAGE.colour(dark)) >= 4.5 for look in (INK, FAINT, ALARM))


def apart(one: Look, other: Look, dark: bool) -> float:
    return colour_difference(one.colour(dark), other.colour(dark))
