"""A program that only trims: numpy, pydantic and toktok-rs suffice, and only what the settings choose is imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from historylab.errors import MissingLibrary, needs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(root):
    """What happened in a process in which nothing else can be imported."""
    script = root / "tests" / "support" / "few_libraries.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_first_trim_imports_the_members_it_chooses_and_no_others(found):
    assert found["first"] == ["counters.exact", "policies.last_n", "pruners.fifo"]


def test_a_member_and_its_option_bring_that_member_alone(found):
    assert found["second"] == ["policies.all", "pruners.sliding_window"]


def test_every_stage_layout_projection_and_offline_summarizer_runs_without_more(found):
    assert found["failed"] == {}


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ("relevance", "pip install bm25s snowballstemmer"),
        ("window", "pip install genai-prices"),
        ("model", "pip install openai"),
        ("load", "pip install historylab"),
    ],
)
def test_what_needs_more_names_the_library_and_the_command_that_installs_it(found, asked, command):
    assert found["more"][asked].startswith("MissingLibrary: ")
    assert found["more"][asked].endswith(command)


def test_an_error_inside_an_installed_library_is_passed_on():
    with pytest.raises(ZeroDivisionError), needs("numpy", "counting"):
        raise ZeroDivisionError
    with pytest.raises(MissingLibrary) as raised, needs("numpy", "counting"):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
    assert isinstance(raised.value, ImportError)
