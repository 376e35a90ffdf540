"""Several languages: who asks in one is answered in it, and the same text takes very different numbers of tokens."""

from __future__ import annotations

import unicodedata
from collections import defaultdict

import pytest

from historylab.counters.base import open_counter, token_column
from historylab.generators.base import generate
from historylab.generators.multilingual import EMOJI, LANGUAGES

DESK = generate("multilingual", turns=120)
SCRIPTS = {"LATIN", "CJK", "KANA", "HANGUL", "ARABIC", "CYRILLIC", "DEVANAGARI", "THAI"}


def script(text):
    """The script most of its letters are in; Japanese is the one with kana."""
    names = [unicodedata.name(c).split()[0].split("-")[0] for c in text if c.isalpha() and not c.isascii()]
    if {"HIRAGANA", "KATAKANA"} & set(names):
        return "KANA"
    return max(set(names), key=names.count) if names else "LATIN"


def exchanges():
    """Per turn but the last, the script asked in, and the answer's message."""
    for turn in DESK.turns[:-1]:
        yield script(DESK[turn.start].content), turn.stop - 1


def test_an_answer_is_in_the_language_of_its_question():
    assert all(script(DESK[answer].content) == asked for asked, answer in exchanges())
    assert {asked for asked, _ in exchanges()} == SCRIPTS


def test_characters_take_different_numbers_of_tokens():
    tokens = token_column(DESK, open_counter("exact", "gpt-5.5"))
    sums = defaultdict(lambda: [0, 0])
    for asked, answer in exchanges():
        sums[asked][0] += int(tokens[answer])
        sums[asked][1] += len(DESK[answer].content)
    each = {name: tokens / characters for name, (tokens, characters) in sums.items()}
    assert each["LATIN"] < each["CYRILLIC"] < each["CJK"]
    assert each["CJK"] > 2 * each["LATIN"]


def test_bookings_are_looked_up_by_the_name_as_it_is_written():
    guests = {name for language in LANGUAGES for name in language.guests}
    calls = [call for message in DESK for call in message.tool_calls]
    assert len(calls) == len(LANGUAGES)
    assert all(any(name in call.arguments for name in guests) for call in calls)


def test_some_answers_end_in_emoji_of_several_code_points():
    ends = {m.content.rsplit(" ", 1)[-1] for m in DESK if m.role == "assistant" and m.content.endswith(EMOJI)}
    assert {"👩‍🍳", "🤷🏽‍♀️", "🇪🇺"} <= ends


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_says_the_same_things(language):
    english = LANGUAGES[0]
    assert (len(language.talk), len(language.further)) == (len(english.talk), len(english.further))
    for given, other in zip(language.talk, english.talk, strict=True):
        assert ("{tram}" in given[1]) == ("{tram}" in other[1])
    assert ("{room}" in language.welcome, "{locker}" in language.recall[1]) == (True, True)
