"""aider's chat history: sessions, prompts and commands, what the program says, models and tokens."""

from __future__ import annotations

from historylab import load
from historylab.conversation.sent import sent_histories, trimmed_requests
from historylab.recordings.as_sent import has_cuts

START = "# aider chat started at 2026-03-01 09:00:00\n\n"


def read(*blocks: str):
    return load((START + "\n".join(blocks)).encode())


def said(conversation):
    return [(m.role, m.content) for m in conversation]


def test_each_session_in_which_something_is_said_is_a_conversation():
    loaded = read("#### hi  \n", "Hello.\n", START, "> Aider v0.86  \n", START.replace("09", "10"), "#### yo  \n")
    assert [said(c) for c in loaded] == [[("user", "hi"), ("assistant", "Hello.")], [("user", "yo")]]
    assert [c[0].timestamp for c in loaded] == ["2026-03-01T09:00:00", "2026-03-01T10:00:00"]


def test_lines_of_a_prompt_are_one_and_prompts_apart_are_two():
    loaded = read("#### a  \n####   \n#### b  \n", "#### c  \n", "Yes.\n")
    assert [m.content for m in loaded[0]] == ["a\n\nb", "c", "Yes."]


def test_quotes_and_headings_of_an_answer_are_the_answers():
    answer = "Look:\n\n> a quote\n\n#### Steps\n\nDone."
    assert said(read("#### a  \n", f"{answer}\n", "> Tokens: 5 sent, 1 received.  \n")[0])[1] == ("assistant", answer)


def test_the_programs_words_go_on_until_a_line_that_ends_with_two_spaces():
    loaded = read("#### a  \n", "Yes.\n", "> tests:\nFAILED\n1 failed  \n", "No.\n")
    assert [m.content for m in loaded[0]] == ["a", "Yes.", "No."]
    assert loaded.report.skipped["words of the program"].count == loaded.report.passed - 1 == 1


def test_a_history_whose_ends_of_lines_an_editor_cut_is_read():
    assert said(read("> Aider\n", "#### a\n####\n#### b\n", "Yes.\n")[0]) == [("user", "a\n\nb"), ("assistant", "Yes.")]


def test_an_answer_has_the_model_in_force_and_the_tokens_after_it():
    model, tokens = (
        "> Model: gpt-5 with diff edit format  \n",
        "> Tokens: 12k sent, 2.5k cache hit, 1,024 received.  \n",
    )
    answer = read(model, "#### a  \n", "Yes.\n", tokens)[0][1]
    assert answer.metadata["model"] == "gpt-5"
    assert answer.metadata["usage"] == {"input": 9_500, "output": 1_024, "cache_reads": 2_500, "cache_writes": 0}


def test_a_command_is_shown_and_was_not_sent():
    (conversation,) = read("#### /add x.py  \n", "#### a  \n", "Yes.\n")
    assert [m.injected for m in conversation] == [True, False, False]
    assert sent_histories(conversation)[0].up_to(2) == ((1, 2),)
    assert not has_cuts(conversation)


def test_a_session_of_commands_alone_is_no_conversation():
    loaded = read("#### /exit  \n", START, "#### a  \n")
    assert [said(c) for c in loaded] == [[("user", "a")]]
    assert "a command of a session in which nothing was sent" in loaded.report.skipped


def test_a_command_that_is_answered_was_sent():
    (conversation,) = read("#### /ask why?  \n", "Because.\n")
    assert not conversation[0].injected
    assert sent_histories(conversation) is None


def test_clearing_the_chat_is_a_cut():
    (conversation,) = read("#### a  \n", "Yes.\n", "#### /clear  \n", "#### b  \n", "No.\n")
    assert trimmed_requests(conversation)[4].tolist() == [False, False, True, True]
    assert [cut.dropped for cut in conversation.recorded.compactions] == [(0, 1, 2)]


def test_what_a_linter_found_is_no_persons_prompt():
    assert read("#### # Fix any errors below, if possible.  \n#### x.py:1  \n", "Done.\n")[0][0].injected


def test_a_start_within_a_fenced_answer_is_the_answers_unless_the_fence_stays_open():
    answer = f"It looks so:\n```\n{START}```\nDone."
    (conversation,) = read("#### a  \n", f"{answer}\n")
    assert said(conversation)[1] == ("assistant", answer)
    assert len(read("#### a  \n", "```\nbroken off\n", START, "#### b  \n", "```\nx\n```\n")) == 2


def test_words_before_any_prompt_are_no_conversation():
    (conversation,) = loaded = load(b"-*- mode: markdown -*-\n\n" + START.encode() + b"#### hi  \n\nHello.\n")
    assert said(conversation) == [("user", "hi"), ("assistant", "Hello.")]
    assert loaded.report.skipped["words before any prompt"].count == 1
