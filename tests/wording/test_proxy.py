"""What a proxy says when it starts: where it is, what it does, and what to set in an app."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from historylab import Settings
from historylab.proxy.counts import Counts
from historylab.wording.proxy import PERSONAL_DATA, Start, run_summary, start_block

QUIET = Start("http://127.0.0.1:8484", "https://api.openai.com", "trim", Settings(), None, "nothing is kept")


def test_the_block_names_what_to_set_and_what_holds():
    said = start_block(QUIET)
    assert "http://127.0.0.1:8484 → https://api.openai.com" in said and "nothing is kept" in said
    assert "OPENAI_BASE_URL=http://127.0.0.1:8484/v1\n" in said and "ANTHROPIC_BASE_URL=http://127.0.0.1:8484\n" in said
    assert "trim: each request is sent as these settings cut it" in said and "FIFO to 8,000" in said
    assert "token" not in said and "take care" not in said


def test_a_token_and_warnings_are_said_where_there_are_any():
    said = start_block(replace(QUIET, token=True, warnings=("keys go in the open",)))
    assert "send the header historylab-token" in said and said.endswith("take care    keys go in the open")


def test_that_personal_data_stays_is_said_where_something_is_recorded():
    assert PERSONAL_DATA in start_block(replace(QUIET, records=True)) and PERSONAL_DATA not in start_block(QUIET)


def test_a_request_that_the_api_never_answered_is_no_refusal():
    counts = Counts(requests=3, watched=2)
    counts.refused.update({"upstream": 2, "length": 1, "websocket": 1})
    trimming = SimpleNamespace(settings=SimpleNamespace(path=None), applies=False)
    (said, *_) = run_summary([counts], trimming, "recordings", {})
    assert said.startswith("3 requests: 2 only watched, 2 without an answer, 1 refused;")


def test_a_files_name_cannot_forge_a_line():
    file = Path("settings\n  mode         audit")
    said = start_block(Start("a", "b", "trim", Settings(budget=4000), file, "c"))
    assert len(said.splitlines()) == len(start_block(QUIET).splitlines()) and "FIFO to 4,000" in said
