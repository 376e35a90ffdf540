"""Words for a speaker's role, and who answers where only names speak."""

from __future__ import annotations

import pytest

from historylab.formats.base import Report
from historylab.formats.messages.speakers import cast, role_in_word, role_of


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
    ("words", "role"),
    [
        ("robot chatbot my_agent support-agent helpBot zorpbot AssistantMessage", "assistant"),
        ("customer_name user.message first-time-customer user_2 human", "user"),
        ("system_tool toolReply tool_output bash_command user_function fn_result sandbox", "tool"),
        ("operator Talbot apiRequest modelChange Agnes zorp", ""),
    ],
)
def test_a_word_of_several_tells_a_role_and_a_tools_is_nobody_elses(words, role):
    assert {word: role_in_word(word) for word in words.split()} == dict.fromkeys(words.split(), role)


def test_an_operator_is_told_by_who_else_speaks():
    assert cast(["operator", "robot"]) == {"operator": "user", "robot": "assistant"}
    assert cast(["customer", "operator"]) == {"customer": "user", "operator": "assistant"}


@pytest.mark.parametrize(
    ("speakers", "roles", "guesses"),
    [
        (["user", "bot"], "user assistant", ""),
        (["Anna", "Ben"], "user assistant", "'Ben' read as the assistant; 'Anna' read as the user"),
        (["user", "Ferry Desk"], "user assistant", "'Ferry Desk' read as the assistant"),
        (["Anna", "Ben", "Cleo"], "user user user", "'Anna', 'Ben', 'Cleo' read as the user"),
        (["Anna", "bot", "Ben"], "user assistant user", "'Anna', 'Ben' read as the user"),
        (["Anna"], "user", "'Anna' read as the user"),
        (["system_tool", "zorp", "customer"], "tool assistant user", "'zorp' read as the assistant"),
        (["Q", "A"], "user assistant", ""),
        (["A", "B"], "user assistant", "'B' read as the assistant; 'A' read as the user"),
        ([], "", ""),
    ],
)
def test_of_two_names_the_one_who_answers_is_the_assistant_and_every_guess_is_told(speakers, roles, guesses):
    found = cast(speakers, report := Report())
    assert " ".join(found[s] for s in speakers) == roles
    assert [*report.warnings] == ([f"no word says who is who: {guesses}"] if guesses else [])


def test_guesses_of_a_whole_file_are_one_warning_of_few_short_names():
    report = Report()
    for i in range(9):
        cast(["user", str(i) * 60], report, f"chat {i}")
    ((reason, tally),) = report.warnings.items()
    named = ", ".join(repr(str(i) * 40) for i in range(4))
    assert reason == f"no word says who is who: {named} and 5 more read as the assistant"
    assert (tally.count, tally.first) == (9, "chat 0")
