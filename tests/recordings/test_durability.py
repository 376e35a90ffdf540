"""What a recorder acknowledged outlives its process, and a full disk costs no more than what it says."""

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


@pytest.fixture
def writer(tmp_path):
    """Starts a process that records in `tmp_path`; ended afterwards."""
    started = []

    def start(*arguments: object) -> subprocess.Popen:
        command = [sys.executable, str(WRITER), str(tmp_path), *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def recorded(folder: Path) -> list[str]:
    store = open_recording(folder)
    ids = [line["id"] for line in lines_in(store)]
    store.close()
    return ids


def test_what_was_acknowledged_is_on_record_after_the_process_was_killed(tmp_path, writer):
    acknowledged = []
    for count in (5, 12):
        process = writer()
        acknowledged += [process.stdout.readline().strip() for _ in range(count)]
        process.kill()
        acknowledged += process.stdout.read().split()
    assert {*acknowledged} <= {*recorded(tmp_path)}
    assert not load(tmp_path).report.skipped


def test_a_full_disk_lets_requests_pass_unrecorded_and_recording_goes_on_after_it(tmp_path, writer):
    *said, refused, last = writer(600_000).stdout.read().split()
    assert (refused, len(said) > 3) == ("unrecorded", True)
    assert recorded(tmp_path) == [*said, last]
    assert not load(tmp_path).report.skipped
