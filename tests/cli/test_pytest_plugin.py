"""The fixture `historylab_check`: a broken wish fails a test, and what is unsure skips it or warns."""

from __future__ import annotations

import importlib
import tomllib

import pytest

from historylab import Settings
from historylab.cli.pytest_plugin import check_history
from historylab.formats.samples import load_sample

pytest_plugins = ["pytester"]
EVERY = "keep every reference"


@pytest.fixture
def agent():
    return load_sample("tide-tables-agent")[0]


def test_pytest_finds_the_fixture(root):
    points = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert hasattr(importlib.import_module(points["historylab"]), "historylab_check")


def test_a_broken_wish_fails_with_what_was_lost(pytester, monkeypatch, root):
    sample = root / "sample_conversations" / "tide-tables-agent.json"
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".env", history="HISTORYLAB_BUDGET=2000")
    pytester.makepyfile(
        f"""
        def test_history(historylab_check):
            historylab_check({str(sample)!r}, settings="history.env", that="{EVERY}, never over the budget")
        """
    )
    done = pytester.runpytest_inprocess("-p", "historylab.cli.pytest_plugin", "-p", "no:cacheprovider")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["Broken: 1 of 2 wishes, over 1 conversation.", "* facts in tool calls are lost: “*"])
    done.stdout.no_fnmatch_line("*def check_history*")


def test_a_wish_that_holds_passes_and_gives_the_check(agent):
    found = check_history(agent, settings=Settings(policy="all", budget=60_000), that=[EVERY, "no summaries"])
    assert found.verdict == "held"


def test_what_nothing_can_be_said_of_skips_and_fails_strictly():
    chat = load_sample("birthday-by-the-sea")[0]
    with pytest.raises(pytest.skip.Exception, match="Unsure: nothing can be said of 1 wish"):
        check_history(chat, that=EVERY)
    with pytest.raises(pytest.fail.Exception, match="no tool call uses what an earlier message says"):
        check_history(chat, that=EVERY, strict=True)


def test_what_is_unsure_beside_what_holds_is_a_warning(agent):
    with pytest.warns(UserWarning, match="unsure in 1"):
        check_history(agent, settings=Settings(budget=60_000), that=f"{EVERY}, keep every must-remember message")


def test_a_function_or_its_name_takes_the_place_of_settings(agent):
    with pytest.raises(pytest.fail.Exception, match="facts in tool calls are lost"):
        check_history(agent, lambda messages: messages[-2:], that=EVERY)
    assert check_history(agent, settings=lambda messages: messages, that=EVERY).verdict == "held"
    with pytest.raises(ValueError, match="no module 'no_such_app'"):
        check_history(agent, settings="no_such_app:trim", that=EVERY)


def test_a_trimmer_that_fails_somewhere_fails_the_test(agent):
    def fails(messages):
        assert len(messages) > 3
        return messages

    with pytest.raises(pytest.fail.Exception, match="Broken: fails fails at 1 of") as failed:
        check_history(agent, trimmer=fails, that=EVERY)
    assert failed.value.__context__ is None  # else pytest prints it twice


def test_arguments_that_changed_places_are_told(agent):
    with pytest.raises(ValueError, match="write historylab_check"):
        check_history(lambda messages: messages, agent, that=EVERY)
    with pytest.raises(ValueError, match="leave out settings, or trimmer"):
        check_history(agent, Settings(), trimmer=lambda messages: messages, that=EVERY)
