"""Fixtures of every test: the tree's root, and a clean environment."""

from __future__ import annotations

import gc
import logging
import os
import sys
from pathlib import Path

import hypothesis
import pytest

from historylab.settings.resolve import _log_once

pytest_plugins = ["flaky_tests", "light_scheduler", "postgres_cluster", "tiktoken_tables"]
hypothesis.settings.register_profile("historylab", deadline=None, derandomize=True, database=None, max_examples=50)
hypothesis.settings.load_profile("historylab")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process that a test starts compiles the package anew
gc.set_threshold(20_000, 20, 20)  # looking for garbage among all modules and tests takes a tenth of the time
ROOT = Path(__file__).parent.parent


def pytest_collection_finish() -> None:
    """Modules and tests stay, so garbage is looked for among what tests make: Hypothesis does at each of its own."""
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder that holds app.py and pyproject.toml."""
    return ROOT


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    """The developer's own HISTORYLAB_* and AgentDock variables decide nothing here, and their key pays for nothing."""
    for name in os.environ:
        if name.startswith(("HISTORYLAB_", "NEXT_PUBLIC_DEFAULT_HISTORY_", "OPENAI_")) or name == "NODE_ENV":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HISTORYLAB_RECORD_KEY", "of the tests")  # no file is made for it


@pytest.fixture(autouse=True)
def _the_main_module_as_it_was(monkeypatch):
    """A page that ran leaves itself there, and a worker process begun by a later test would run it again."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(autouse=True)
def _the_log_as_it_was():
    """What one test logged, and where to (NODE_ENV=development sends it to stderr), is nothing to the next."""
    _log_once.cache_clear()
    loggers = [logging.getLogger(name) for name in ("historylab", "historylab.settings")]
    before = [(list(logger.handlers), logger.level) for logger in loggers]
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)
