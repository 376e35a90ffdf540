"""generate(): options as text, refusals, sizes; and what the two generators are there for."""

from __future__ import annotations

import pytest

from historylab.errors import SettingsError, TooLarge, UnknownMember
from historylab.generators.base import Dice, generate

GOLDEN_DIGESTS = {
    "support_desk": "2775fa885a9baf2cbc42976ef1befef5",
    "coding_agent": "585af64040db0f347bfa1b6152fab7e5",
}


@pytest.mark.parametrize(("name", "turns"), [("support_desk", 3200), ("coding_agent", 1200)])
def test_ten_thousand_messages_can_be_made(name, turns):
    assert len(generate(name, turns=turns)) > 10_000


@pytest.mark.parametrize(
    ("name", "options", "error", "sentence"),
    [
        ("poet", {}, UnknownMember, "choose one of coding_agent, support_desk"),
        (
            "support_desk",
            {"rhyme": 1},
            SettingsError,
            "support_desk has no option 'rhyme'; choose of turns, words, seed",
        ),
        ("support_desk", {"turns": "0"}, SettingsError, "support_desk.turns '0'"),
        ("support_desk", {"seed": True}, SettingsError, "support_desk.seed True"),
        ("support_desk", {"seed": "1_0"}, SettingsError, "support_desk.seed '1_0': not a number"),
        ("coding_agent", {"turns": 5000, "output_lines": 2000}, TooLarge, "over 250,000 lines; ask for fewer"),
    ],
)
def test_what_cannot_be_made_is_refused(name, options, error, sentence):
    with pytest.raises(error) as refused:
        generate(name, **options)
    assert sentence in str(refused.value)


def test_the_coding_agent_calls_in_parallel_and_writes_long_outputs():
    conversation = generate("coding_agent", calls=4, output_lines=120)
    assert max(len(m.tool_calls) for m in conversation) == 4
    assert max(m.content.count("\n") for m in conversation if m.role == "tool") >= 119


def test_the_support_desks_answers_are_about_as_long_as_asked():
    for words in (20, 60, 200):
        answers = [m for m in generate("support_desk", words=words) if m.role == "assistant" and not m.tool_calls]
        average = sum(len(m.content.split()) for m in answers) / len(answers)
        assert 0.6 * words < average < 1.4 * words


@pytest.mark.parametrize("name", GOLDEN_DIGESTS)
def test_a_seed_makes_what_it_made_in_every_version(name):
    assert generate(name, turns=20, seed=42).digest == GOLDEN_DIGESTS[name]


def test_dice_fall_within_their_bounds_and_pick_without_repeating():
    dice = Dice(1)
    assert {dice.between(2, 4) for _ in range(100)} == {2, 3, 4}
    assert sorted(dice.several(range(5), 9)) == [0, 1, 2, 3, 4]
