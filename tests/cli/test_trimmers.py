"""Trimmers on the command line: how one is named, and what each command says of it."""

from __future__ import annotations

import sys

import pytest

from historylab.cli import main
from historylab.settings.names import TRIMMER
from historylab.tuning.replayed import lane_in_environment
from historylab.ui.server import serve

APP = """
def trim(messages, newest=4):
    print("trimming")
    return messages[-newest:]
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


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main.main(arguments)
    except SystemExit as exit:
        code = int(exit.code or 0)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


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


@pytest.mark.parametrize("given", ["{", "[]", '{"trimmer": 3}', '{"trimmer": "a:b", "other": 1}'])
def test_an_environment_that_names_no_trimmer_is_refused(monkeypatch, given):
    monkeypatch.setenv(TRIMMER, given)
    with pytest.raises(ValueError, match="--trimmer"):
        lane_in_environment()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trimmer", "someapp:other"], "someapp has no 'other'"),
        (["--trimmer", "no_such_app:trim"], "no module 'no_such_app'"),
        (["--trimmer", "langchain.trim"], "did you mean langchain.trim_messages"),
        (["--trimmer", "langchain.trim_messages", "--trimmer-option", "max_tokens=x"], "not a number"),
        (["--trimmer-option", "newest=6"], "--trimmer NAME or MODULE:FUNCTION"),
        (["--trimmer", "someapp:trim", "--trimmer-seconds", "0"], "no number of seconds"),
    ],
)
def test_a_trimmer_that_cannot_be_opened_is_a_mistake(capsys, app, words, said):
    code, _, err = run(capsys, *words)
    assert (code, said in err) == (2, True), err
