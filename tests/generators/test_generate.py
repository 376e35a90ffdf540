"""generate(): options as text, refusals, sizes; and what the support desk and the coding agent are there for."""

from __future__ import annotations

import pytest

from historylab.errors import SettingsError, TooLarge, UnknownMember
from historylab.generators.base import Dice, generate
from historylab.registry import members

GOLDEN_DIGESTS = {
    "coding_agent": "585af64040db0f347bfa1b6152fab7e5",
    "multilingual": "c0b9c1723ec4a7c343c24e6e3581f4af",
    "planted_facts": "c7921adaf2aa2fe429b3a6bc032904e0",
    "room": "111ecf63ea2407fd8beca22ef957ccd1",
    "support_desk": "2775fa885a9baf2cbc42976ef1befef5",
    "tool_loop": "e6156325239275de31668ed6b0b24740",
}
"""Of 20 turns and seed 42. Links name conversations by seed, so that a member's text never changes."""
TEN_THOUSAND = {
    "coding_agent": {"turns": 1200},
    "multilingual": {"turns": 5000},
    "planted_facts": {"turns": 5000},
    "room": {"turns": 5000},
    "support_desk": {"turns": 3200},
    "tool_loop": {"turns": 6, "rounds": 1000, "output_lines": 20},
}


@pytest.mark.parametrize("name", members("generator"))
def test_ten_thousand_messages_can_be_made(name):
    assert len(generate(name, **TEN_THOUSAND[name])) > 10_000


@pytest.mark.parametrize(
    ("name", "options", "error", "sentence"),
    [
        (
            "poet",
            {},
            UnknownMember,
            "choose one of coding_agent, multilingual, planted_facts, room,",
        ),
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
        (
            "tool_loop",
            {"turns": 300, "rounds": 1000},
            TooLarge,
            "300 turns of 1000 rounds with 60 output lines",
        ),
        ("tool_loop", {"turns": 300, "rounds": 1000, "output_lines": 1}, TooLarge, "ask for fewer"),
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


@pytest.mark.parametrize("name", members("generator"))
def test_a_seed_makes_what_it_made_in_every_version(name):
    assert generate(name, turns=20, seed=42).digest == GOLDEN_DIGESTS[name]


def test_dice_fall_within_their_bounds_and_pick_without_repeating():
    dice = Dice(1)
    assert {dice.between(2, 4) for _ in range(100)} == {2, 3, 4}
    assert sorted(dice.several(range(5), 9)) == [0, 1, 2, 3, 4]
