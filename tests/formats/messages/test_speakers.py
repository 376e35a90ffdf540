"""Words for a speaker's role, and who answers where only names speak."""

from __future__ import annotations

import pytest

from historylab.formats.base import Report
from historylab.formats.messages.speakers import cast, role_of


@pytest.mark.parametrize(
    ("speaker", "role"),
    [
        ("User", "user"),
        ("HUMAN:", "user"),
        ("end-user", "user"),
        ("ChatGPT said", "assistant"),
        ("Claude 3.5 Sonnet", "assistant"),
        ("gpt-4o", "assistant"),
        ("Developer", "system"),
        ("tool_result", "tool"),
        ("Anna", ""),
        ("Claudette", ""),
        ("Note", ""),
        ("", ""),
    ],
)
def test_a_word_for_a_speaker_is_a_role_and_a_name_is_none(speaker, role):
    assert role_of(speaker) == role


@pytest.mark.parametrize(
    ("speakers", "roles", "answers"),
    [
        (["user", "bot"], "user assistant", ""),
        (["Anna", "Ben"], "user assistant", "Ben"),
        (["user", "Ferry Desk"], "user assistant", "Ferry Desk"),
        (["Anna", "Ben", "Cleo"], "user user user", ""),
        (["Anna", "bot", "Ben"], "user assistant user", ""),
        (["Anna"], "user", ""),
        (["Q", "A"], "user assistant", ""),
        (["A", "B"], "user assistant", "B"),
        ([], "", ""),
    ],
)
def test_of_two_names_the_one_who_answers_is_taken_for_the_assistant(speakers, roles, answers):
    found = cast(speakers, report := Report())
    assert (" ".join(found[s] for s in speakers), bool(report.warnings)) == (roles, bool(answers))
    assert all(repr(answers) in warning for warning in report.warnings)
