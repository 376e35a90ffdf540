"""Trimmers on the command line: how one is named, and what each command says of it."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from importlib.metadata import version

import pytest
from command_line import run

from historylab import Action, Settings, load, replay
from historylab.cli.lanes import trimmers_aside
from historylab.settings.names import TRIMMER
from historylab.tuning.replayed import lane_in_environment
from historylab.ui.server import serve

APP = """
def trim(messages, newest=4):
    print("trimming")
    return messages[-newest:]

def whole(messages):
    return messages

boom = whole

def fails(messages):
    if len(messages) == 6:
        raise KeyError(len(messages))
    return messages

def leaks(messages, api_key=""):
    if len(messages) > 6:
        raise ValueError("no such key: " + api_key)
    return messages

def always_fails(messages):
    return messages.nothing
"""


@pytest.fixture
def app(tmp_path, monkeypatch):
    """A folder with an app's module, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "someapp.py").write_text(APP)
    monkeypatch.setenv(TRIMMER, "")  # what a command sets is taken back
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "someapp", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["--trimmer", "someapp:trim", "--trimmer-option", "newest=6", "chat.txt"],
        ["chat.txt", "--trimmer-option", "newest=6", "--trimmer", "someapp:trim"],
        ["--trimmer", "someapp:trim", "chat.txt", "--trimmer-option", "newest=6"],
    ],
)
def test_the_screen_is_handed_the_trimmer_with_the_file(capsys, monkeypatch, app, words):
    (app / "chat.txt").write_text("User: hi")
    monkeypatch.setattr(serve, "serve", lambda *_, **__: None)
    assert run(capsys, *words)[0] == 0
    lane = lane_in_environment()
    assert (lane.trimmer, lane.options, lane.seconds) == ("someapp:trim", {"newest": 6}, 10)


def test_the_playground_without_a_trimmer_has_none(app):
    assert lane_in_environment() is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("{", "--trimmer"),
        ("[]", "--trimmer"),
        ('{"trimmer": 3}', "--trimmer"),
        ('{"trimmer": "a:b", "other": 1}', "--trimmer"),
        ('{"trimmer": "a:b", "seconds": "x"}', "seconds above 0 for an answer, not 'x'"),
        ('{"trimmer": "langchain.nope"}', "'langchain.nope'"),
    ],
)
def test_an_environment_that_names_no_trimmer_is_refused(monkeypatch, given, why):
    monkeypatch.setenv(TRIMMER, given)
    with pytest.raises(ValueError, match=why):
        lane_in_environment()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trimmer", "someapp:other"], "someapp has no 'other'"),
        (["--trimmer", "no_such_app:trim"], "no module 'no_such_app'"),
        (["--trimmer", "langchain.trim"], "did you mean langchain.trim_messages"),
        (["--trimmer", "langchain.trim_messages", "--trimmer-option", "max_tokens=x"], "not a number"),
        (["--trimmer-option", "newest=6"], "need --trimmer NAME or MODULE:FUNCTION before them"),
        (["--trimmer", "someapp:trim", "--trimmer-seconds", "0"], "no number of seconds"),
    ],
)
def test_a_trimmer_that_cannot_be_opened_is_a_mistake(capsys, app, words, said):
    code, _, err = run(capsys, *words)
    assert (code, said in err) == (2, True), err


# -- the commands


@pytest.fixture
def chat(root):
    return str(root / "sample_conversations" / "tide-tables-agent.json")


def test_show_says_what_a_trimmer_sends_and_its_faults(capsys, app, chat):
    code, out, _ = run(capsys, "show", chat, "--trimmer", "someapp:trim", "--trimmer-option", "newest=6")
    assert code == 0
    assert "trim, newest 6: 6 of 29 messages at the last request" in out
    assert "requests would be refused: 11 tool results without their call. Without the system prompt: 8 " in out


def test_a_name_is_no_emoji(capsys, app, chat):
    assert "someapp:boom: all 29 messages" in run(capsys, "show", chat, "--trimmer", "someapp:boom")[1]


def test_what_a_function_prints_is_not_among_the_output(capsys, app, chat):
    _, out, err = run(capsys, "show", chat, "--trimmer", "someapp:trim", "--json")
    assert json.loads(out)["requests"]
    assert "trimming" in err


def test_what_a_function_writes_past_python_is_not_among_the_output(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdout", os.fdopen(1, "w", closefd=False))  # as on a command line
    with trimmers_aside(Namespace(trimmers=[("trimmer", "someapp:trim")])):
        os.write(1, b"loud")
        print("ours", flush=True)
    print("afterwards", flush=True)
    assert capfd.readouterr() == ("ours\nafterwards\n", "loud")


def test_show_as_json_names_the_trimmer_and_its_failures(capsys, app, chat):
    shown = json.loads(run(capsys, "show", chat, "--trimmer", "someapp:fails", "--json")[1])
    assert shown["trimmer"]["name"] == "someapp:fails"
    assert shown["trimmer"]["errors"] == [{"request": 2, "error": "it raised KeyError: 6"}]
    first, second = shown["requests"][:2]
    assert (second["known"], second["refused"], second["error"]) == (False, False, "it raised KeyError: 6")
    assert (first["known"], first["error"]) == (True, None)


@pytest.mark.parametrize("more", [[], ["--json"], ["--request", "4"]])
def test_a_key_among_options_or_in_an_error_is_not_shown(capsys, app, chat, more):
    key = "sk-proj-AbCdEf0123456789AbCdEf0123456789AbCdEf01"
    out = run(capsys, "show", chat, "--trimmer", "someapp:leaks", "--trimmer-option", f"api_key={key}", *more)[1]
    assert key[:12] not in out
    assert "[redacted]" in out


def test_show_as_json_of_settings_says_nothing_of_trimmers(capsys, chat):
    shown = json.loads(run(capsys, "show", chat, "--json")[1])
    assert "trimmer" not in shown
    assert "refused" not in shown["requests"][0]


def test_show_has_no_figures_of_a_request_at_which_it_failed(capsys, app, chat):
    out = run(capsys, "show", chat, "--trimmer", "someapp:fails")[1]
    (row,) = (line.split() for line in out.splitlines() if "failed" in line and "??????" in line)
    assert "–" in row
    shown = json.loads(run(capsys, "show", chat, "--trimmer", "someapp:fails", "--json")[1])["requests"][1]
    assert (shown["tokens"], shown["sketch"]) == (None, "??????")


def test_show_has_no_figures_of_a_trimmer_that_always_fails(capsys, app, chat):
    code, out, err = run(capsys, "show", chat, "--trimmer", "someapp:always_fails")
    assert (code, "tokens" in out) == (2, False)
    assert "someapp:always_fails fails at every request: it raised AttributeError" in err


def test_show_says_what_a_trimmer_costs_and_at_whose_prices(capsys, app, chat):
    out = run(capsys, "show", chat, "--trimmer", "someapp:trim")[1]
    assert "trim’s trimming costs " in out
    assert "At gpt-5.5’s prices, as the file names no model" in out
    assert "budget" not in out.partition("Tokens by")[0]


def test_what_a_trimmer_sends_is_counted_as_set(capsys, app, chat):
    out = run(capsys, "show", chat, "--trimmer", "someapp:trim", "--set", "model=gpt-4o")[1]
    assert "exact for gpt-4o" in out
    assert "names no model" not in out


def test_settings_beside_a_trimmer_are_counted_as_it_is(capsys, app, chat):
    (app / "mine.env").write_text("HISTORYLAB_BUDGET=2000\n")
    two = ("--trimmer", "someapp:trim", "--settings", "mine.env", "--set", "model=gpt-4o")
    assert "Tokens by o200k_base, exact for gpt-4o." in run(capsys, "compare", chat, *two)[1]


def test_what_changes_nothing_beside_a_trimmer_is_a_mistake_that_names_what_may_be_set(capsys, app, chat):
    err = run(capsys, "show", chat, "--trimmer", "someapp:trim", "--set", "model=gpt-4o", "--set", "budget=4000")[2]
    assert "--set budget has no effect with --trimmer: the trimmer decides what is sent" in err
    assert "model, overhead, window" in err


def test_a_request_for_which_it_failed_says_why(capsys, app, chat):
    out = run(capsys, "show", chat, "--trimmer", "someapp:fails", "--request", "2")[1]
    assert "It isn’t known which messages this request held: it raised KeyError: 6." in out


def test_the_version_of_a_library_is_said(capsys, chat):
    lane = ("--trimmer", "langchain.trim_messages", "--trimmer-option", "max_tokens=2000")
    shown = json.loads(run(capsys, "show", chat, *lane, "--json")[1])
    assert shown["trimmer"]["version"] == version("langchain-core")
    assert shown["trimmer"]["options"] == {"max_tokens": 2000}


def test_why_names_the_trimmer_and_settings_that_would_keep_it(capsys, app, chat):
    answer = json.loads(run(capsys, "why", chat, "TIDE-88", "--trimmer", "someapp:trim", "--json")[1])
    assert (answer["sent"], answer["removed_by"]) == (False, "trimmer")
    kept = replay(load(chat)[0], Settings(**answer["would_keep"])).plans[answer["at_request"]]
    assert kept.action_of(answer["said"][0]["message"]) <= Action.TRUNCATED


def test_why_does_not_know_what_a_failed_request_had(capsys, app, chat):
    answer = json.loads(
        run(capsys, "why", chat, "TIDE-88", "--trimmer", "someapp:fails", "--request", "2", "--json")[1]
    )
    assert (answer["sent"], answer["removed_by"]) == (None, None)


def test_compare_takes_several_trimmers_each_with_its_options(capsys, app, chat):
    two = ("--trimmer", "someapp:trim", "--trimmer-option", "newest=6", "--trimmer", "someapp:trim")
    rows = json.loads(run(capsys, "compare", chat, *two, "--json")[1])["rows"]
    assert [(row["letter"], row["name"], row["trimmer"]["options"]) for row in rows] == [
        ("A", "someapp:trim", {"newest": 6}),
        ("B", "someapp:trim", {}),
    ]


def test_a_trimmer_is_compared_with_settings(capsys, app, chat):
    (app / "mine.env").write_text("HISTORYLAB_BUDGET=2000\n")
    out = run(capsys, "compare", chat, "--trimmer", "someapp:trim", "--settings", "mine.env")[1]
    assert "A (trim) sends 9 tool results without their call and costs" in out
    assert "; B leaves the system prompt out of 9 fewer requests, loses 1 fewer fact and is never refused." in out
    assert "would be refused: 9 tool results without their call. Without the system prompt: " in out


@pytest.mark.parametrize(
    "words",
    [
        ("show", "--trimmer", "someapp:trim", "--as-sent"),
        ("show", "--trimmer", "someapp:trim", "--set", "budget=4000"),
        ("check", "--trimmer", "someapp:trim", "--settings", "mine.env", "--that", "never rejected"),
        ("why", "TIDE-88", "--trimmer", "someapp:trim", "--as-sent"),
        ("show", "--trimmer", "someapp:trim", "--trimmer", "someapp:fails"),
        ("show", "--trimmer", "someapp:nothing"),
        ("why", "TIDE-88", "--trimmer", "someapp:always_fails"),
        ("compare", "--as-sent", "--trimmer", "someapp:trim", "--set", "model=gpt-4o"),
        ("show", "--trimmer", "someapp:trim", "--set", "model="),
        ("check", "--trimmer", "someapp:always_fails", "--that", "never rejected"),
        ("check", "--trimmer", "someapp:trim", "--trimmer-option", "newset=4", "--that", "never rejected"),
        ("check", "--against", "mine.env", "--trimmer-option", "newest=4", "--that", "costs no more"),
    ],
)
def test_what_cannot_be_asked_of_a_trimmer_is_a_mistake(capsys, app, chat, words):
    (app / "mine.env").write_text("HISTORYLAB_BUDGET=2000\n")
    code, out, err = run(capsys, words[0], chat, *words[1:])
    assert (code, out) == (2, ""), err


def test_a_check_of_a_trimmer_is_red_or_green(capsys, app, chat):
    rules = ("--that", "never rejected, keep every rule")
    assert run(capsys, "check", chat, "--trimmer", "someapp:trim", *rules)[0] == 1
    assert run(capsys, "check", chat, "--trimmer", "someapp:whole", *rules)[0] == 0


def test_a_check_breaks_where_a_trimmer_fails(capsys, app, chat):
    asked = ("check", chat, "--trimmer", "someapp:fails", "--that", "never over 20k")
    code, out, _ = run(capsys, *asked)
    first, second, *_ = out.splitlines()
    assert first.startswith("Broken: someapp:fails fails at 1 of 10 requests, first at request 2 of")
    assert (code, second) == (1, "Unsure: nothing can be said of 1 wish, over 1 conversation, with someapp:fails.")
    told = json.loads(run(capsys, *asked, "--json")[1])
    assert [(each["trimmer"], each["first"]) for each in told["failures"]] == [("someapp:fails", 1)]


def test_settings_are_set_against_a_trimmer(capsys, app, chat):
    against = ("--against", "someapp:trim", "--trimmer-option", "newest=20", "--that", "forgets no more")
    assert run(capsys, "check", chat, "--set", "budget=1000000", *against)[0] == 0
    code, out, _ = run(capsys, "check", chat, "--trimmer", "someapp:trim", *against)
    assert (code, "Against someapp:trim: forgets" in out) == (1, True)
