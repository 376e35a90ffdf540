"""A full disk costs a recorder no more than what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_chats import lines_in

from historylab import load
from historylab.recordings import open_recording

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
WRITER = ROOT / "tests/support/recording_writer.py"


def recorded(folder: Path) -> list[str]:
    store = open_recording(folder)
    ids = [line["id"] for line in lines_in(store)]
    store.close()
    return ids


def test_a_full_disk_lets_requests_pass_unrecorded_and_recording_goes_on_after_it(tmp_path):
    command = [sys.executable, str(WRITER), str(tmp_path), "600000"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writer = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=120)
    *said, refused, last = writer.stdout.split()
    assert (refused, len(said) > 3) == ("unrecorded", True)
    assert recorded(tmp_path) == [*said, last]
    assert not load(tmp_path).report.skipped
