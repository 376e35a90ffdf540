"""Files at a path: in a folder as engines write one, and by wildcards."""

from __future__ import annotations

import pytest

from historylab.formats.files.folders import files_at

NAMES = ["day=1/part-0.parquet", "day=2/part-0.parquet", "day=2/part-1.parquet", "notes.jsonl", "_SUCCESS"]
NAMES += ["_delta_log/00.json", "_metadata", ".part-0.parquet.crc", "day=1/[1].jsonl"]


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", ["day=1/[1].jsonl", "day=1/part-0.parquet", *NAMES[1:4]]),
        ("day=*", ["day=1/[1].jsonl", "day=1/part-0.parquet", *NAMES[1:3]]),
        ("**/part-0.parquet", NAMES[:2]),
        ("**", ["day=1/[1].jsonl", "day=1/part-0.parquet", *NAMES[1:4]]),
        ("**/*.json*", ["day=1/[1].jsonl", "notes.jsonl"]),
        ("_*", ["_*"]),
        ("day=2/part-[1-9].parquet", NAMES[2:3]),
        ("day=1/[1].jsonl", ["day=1/[1].jsonl"]),
        ("none/*.jsonl", ["none/*.jsonl"]),
    ],
)
def test_a_dataset_is_its_files_without_those_that_are_an_engines_own(folder, asked, found):
    assert files_at(str(folder / asked)) == [str(folder / name) for name in found]
