"""A browser test that fails once passes and is named as flaky; one that fails twice fails; others have one try."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import flaky_tests
import pytest

TESTS = """
import pathlib
import pytest

def fails_at_first(name):
    tried = pathlib.Path(__file__).with_name(name)
    if not tried.exists():
        tried.touch()
        raise RuntimeError(f"{name}: too slow")

@pytest.mark.browser
def test_slow_once():
    fails_at_first("once")

@pytest.mark.browser
def test_broken():
    raise RuntimeError("really broken")

def test_without_a_browser():
    fails_at_first("no browser")
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
def test_only_a_browser_test_runs_once_more_and_is_named(tmp_path, processes):
    (tmp_path / "test_them.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser: slow at times\n")
    ours = ["-p", "flaky_tests", "-p", "light_scheduler"]  # as in conftest.py
    plugins = ["-p", "xdist.plugin", "-p", "pytest_rerunfailures", *ours]  # each other one takes its time to import
    command = [sys.executable, "-m", "pytest", "-q", "-n", processes, "--dist=loadgroup", *plugins, "."]
    folder = str(Path(flaky_tests.__file__).parent)
    env = {"PYTHONPATH": folder, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("FLAKY")] == [
        "FLAKY test_them.py::test_broken (failed again): RuntimeError: really broken",
        "FLAKY test_them.py::test_slow_once (passed then): RuntimeError: once: too slow",
    ]
    failed = sorted(line.split()[1] for line in lines if line.startswith("FAILED"))
    assert failed == ["test_them.py::test_broken", "test_them.py::test_without_a_browser"]
    assert lines[-1].startswith("2 failed, 1 passed, 2 rerun")
