"""A table left in parts: a folder of Parquet files that holds each row of the last command once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet
from sketches import conv

from historylab import Settings
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import to_record
from historylab.tuning import identity, jobs
from historylab.tuning.sweep import grid, sweep
from historylab.tuning.table import read_table

CANDIDATES = grid(Settings(), budget=[40, 400], **{"pruner.fifo.unit": ["turn", "block"]})
SAID = {"many.jsonl": ["s u a u a(t) a u", "u a u a"], "one.json": ["u:30 a u:9 a u"]}


@pytest.fixture
def chats(tmp_path) -> list[str]:
    for name, some in SAID.items():
        lines = [json.dumps({"title": said, "messages": [to_record(m) for m in conv(said)]}) for said in some]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    return [str(tmp_path / name) for name in SAID]


@pytest.fixture
def out(tmp_path) -> str:
    return f"{tmp_path / 'table'}/"


def manifest(out: str):
    return json.loads((Path(out) / "_manifest.json").read_text("utf-8"))


def rows(out: str) -> int:
    return sum(parquet.read_metadata(path).num_rows for path in Path(out).glob("*.parquet"))


def test_parts_are_the_table_and_a_manifest_says_what_they_hold(chats, out, tmp_path):
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    expected = sweep([*chats, str(tmp_path / "broken.json")], CANDIDATES, out=out)
    assert_frame_equal(expected, sweep(chats, CANDIDATES))
    assert_frame_equal(read_table(out), expected, check_dtype=False)
    said = manifest(out)
    assert (said["schema"], said["complete"], said["rows"], said["sources"]) == (1, True, 12, 3)
    assert said["differing"] == ["budget", "pruner.fifo.unit"]
    assert said["candidates"] == expected["settings"].tolist()[:4]
    assert list(said["skipped"]) == [str(tmp_path / "broken.json")]
    assert rows(out) == 12


def test_a_stop_leaves_what_there_is_and_the_same_call_goes_on(chats, out, monkeypatch):
    seen = []
    sweep(chats, CANDIDATES, out=out, progress=lambda *now: seen.append(now), cancelled=lambda: len(seen) == 5)
    assert (manifest(out)["complete"], rows(out)) == (False, 5)
    measured, measure_lanes = [], jobs.measure_lanes
    monkeypatch.setattr(jobs, "measure_lanes", lambda *given: measured.extend(given[1]) or measure_lanes(*given))
    assert_frame_equal(sweep(chats, CANDIDATES, out=out), sweep(chats, CANDIDATES))
    assert (manifest(out)["complete"], rows(out), len(measured)) == (True, 12, 7 + 12)


def test_other_settings_files_and_code_leave_no_row_of_before(chats, out, monkeypatch):
    sweep(chats, CANDIDATES[:1], out=out)
    for some, candidates in ((chats, CANDIDATES), (chats[:1], CANDIDATES), (chats, CANDIDATES[1:3])):
        assert_frame_equal(sweep(some, candidates, out=out), sweep(some, candidates))
        assert_frame_equal(read_table(out), sweep(some, candidates), check_dtype=False)
        assert rows(out) == manifest(out)["rows"]
    monkeypatch.setattr(identity, "_code", lambda: "another")
    sweep(chats, CANDIDATES[1:3], out=out)
    assert rows(out) == 6


def test_a_row_measured_twice_is_there_once(chats, out):
    """As a worker that was thought to be lost may have written it."""
    expected = sweep(chats, CANDIDATES, out=out)
    (part,) = Path(out).glob("*.parquet")
    part.with_name("part-again.parquet").write_bytes(part.read_bytes())
    assert_frame_equal(sweep(chats, CANDIDATES, out=out), expected)
    assert rows(out) == 12


def test_a_folder_without_parts_is_no_table(tmp_path):
    with pytest.raises(LoadError, match="can't be read as a table"):
        read_table(str(tmp_path))
