"""Where a recording is kept, and who can read it."""

from __future__ import annotations

import stat
import subprocess
import sys

import pytest

from historylab.errors import StoreError
from historylab.recordings import open_recording
from historylab.stores.base import Record


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("place", ["mine", "deep/mine", "mine/mine.db", "x.sqlite"])
def test_a_recording_lasts_in_a_folder_or_a_file_that_its_owner_alone_reads(tmp_path, place):
    for k in range(2):
        store = open_recording(tmp_path / place)
        store.append_records([Record("a", k, "{}")])
        assert len(store.read_records()) == k + 1
        store.close()
    file = tmp_path / place if "." in place else tmp_path / place / "historylab.db"
    assert mode_of(file) == 0o600
    assert file.parent == tmp_path or mode_of(file.parent) == 0o700


def test_a_url_opens_its_store(tmp_path):
    store = open_recording(f"sqlite:///{tmp_path}/by-url.db")
    store.append_records([Record("a", 0, "{}")])
    store.close()
    assert len(open_recording(str(tmp_path / "by-url.db")).read_records()) == 1


def test_a_place_that_holds_no_recording_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("notes")
    (tmp_path / "notes.db").write_text("notes " * 99)
    for place in ("notes", "notes.db", "notes/x.db", "a\0b", f"{'x' * 300}.db", "xx/" * 2000):
        with pytest.raises(StoreError, match=r"notes|a.x00b|xx"):
            open_recording(f"{tmp_path}/{place}")
    open_recording("~nobody-here/x.db").close()
    with pytest.raises(StoreError, match="no store begins with https") as problem:
        open_recording("https://me:hunter2@example.com/")
    assert "hunter2" not in str(problem.value)


def test_a_second_look_at_a_place_leaves_the_first_ones_locks(tmp_path):
    """Without them the last other process to close the file takes away what the first still reads and writes."""
    first = open_recording(tmp_path)
    first.append_records([Record("a", 0, "{}")])
    open_recording(tmp_path).close()
    other = "import sys; from historylab.recordings.place import open_recording as o; s = o(sys.argv[1])"
    run = [sys.executable, "-c", f"{other}; print(len(s.read_records())); s.close()", str(tmp_path)]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "1\n"
    first.append_records([Record("a", 0, "{}")])
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "2\n"
    first.close()
