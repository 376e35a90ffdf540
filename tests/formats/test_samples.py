"""The samples as a whole: they cover what people meet, and the default one shows a cut."""

from __future__ import annotations

import pytest

from historylab.errors import UnknownMember
from historylab.formats.samples import DEFAULT_SAMPLE, load_sample, samples


def test_the_default_sample_is_the_first_and_far_longer_than_twenty_turns():
    assert next(iter(samples())) == DEFAULT_SAMPLE
    (conversation,) = load_sample()
    assert conversation.title == "A birthday by the sea"
    assert len(conversation.turns) > 65


def test_facts_said_early_in_the_default_sample_are_asked_for_at_the_end():
    (conversation,) = load_sample()
    said = [turn.number for turn in conversation.turns if "60412" in _text(conversation, turn)]
    assert said == [5]
    assert "order number" in conversation[-1].content
    assert "allergy" in conversation[-1].content
    assert not any("hazelnut" in _text(conversation, turn) for turn in conversation.turns[-60:])


def _text(conversation, turn) -> str:
    return " ".join(m.content for m in conversation[turn.start : turn.stop])


def test_there_is_a_sample_with_names_one_with_three_scripts_and_one_that_is_invalid():
    assert len({m.name for m in load_sample("garden-room")[0] if m.role == "user"}) >= 4
    assert len(load_sample("three-languages")) == 3
    assert not load_sample("two-to-vienna-broken")[0].columns.clean


def test_every_other_sample_is_valid():
    broken = [name for name in samples() if not all(c.columns.clean for c in load_sample(name))]
    assert broken == ["two-to-vienna-broken"]


def test_an_unknown_sample_lists_the_known_ones():
    with pytest.raises(UnknownMember, match="garden-room"):
        load_sample("nope")
