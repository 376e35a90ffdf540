"""Transcripts other people published, if they are on this machine: HISTORYLAB_REAL names their folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from historylab.errors import LoadError
from historylab.formats.load import load

FOLDER = os.environ.get("HISTORYLAB_REAL", "")  # read now: tests run without HISTORYLAB_ variables
CHATS = ("tau-bench", "openhands-sdk")


def _files(*folders: str) -> list[Path]:
    """Every transcript under those folders, or under all others if none is named."""
    found = [p for p in Path(FOLDER).rglob("*") if p.suffix in {".json", ".jsonl", ".traj"}] if FOLDER else []
    return sorted(p for p in found if (p.parent.name in folders if folders else p.parent.name not in CHATS))


def _params(paths: list[Path]) -> list:
    skip = pytest.mark.skip(reason="HISTORYLAB_REAL names no folder with such files")
    return [pytest.param(p, id=p.name) for p in paths] or [pytest.param(None, marks=skip)]


@pytest.mark.parametrize("path", _params(_files(*CHATS)))
def test_a_published_chat_loads_whole(path):
    loaded = load(path)
    assert loaded.report.skips == 0
    assert loaded.report.messages == sum(map(len, loaded)) > 0
    assert all(conversation.columns.clean for conversation in loaded)


@pytest.mark.parametrize("path", _params(_files("tau-bench")))
def test_every_trial_is_a_conversation_with_its_own_title(path):
    titles = [conversation.title for conversation in load(path)]
    assert len(set(titles)) == len(titles) > 1


@pytest.mark.parametrize("path", _params(_files()))
def test_any_other_file_loads_or_is_refused_in_words(path):
    try:
        assert load(path).report.messages
    except LoadError as refused:
        assert len(str(refused)) < 300
