"""Files too large to load: their conversations are listed piece by piece, and one is opened."""

from __future__ import annotations

import json

import pytest
from binary_samples import table

from historylab.errors import LoadError, TooLarge
from historylab.formats import listing, load
from historylab.formats.files import pieces
from historylab.formats.listing import list_conversations


def talk(n: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"question {n} " + "x" * n}, {"role": "assistant", "content": f"answer {n}"}]


def flat(n: int) -> list[dict[str, str]]:
    return [{"conversation_id": f"c{n}", **message} for message in talk(n)]


def lines(*records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


INTERLEAVED = [message for pair in zip(*(flat(n) for n in range(40)), strict=True) for message in pair]
FILES = {
    "lines.jsonl": lines(*({"messages": talk(n)} for n in range(40))),
    "rows.jsonl": lines(*INTERLEAVED),
    "nested.parquet": table([{"messages": talk(n)} for n in range(40)]),
    "groups.parquet": table([{"messages": talk(n)} for n in range(40)], row_group_size=7),
    "flat.parquet": table(INTERLEAVED, row_group_size=9),
}


@pytest.fixture(params=FILES)
def large(request, tmp_path, monkeypatch):
    """A file of forty conversations, larger than what may be loaded, in many pieces."""
    path = tmp_path / request.param
    path.write_bytes(FILES[request.param])
    monkeypatch.setattr(pieces, "PIECE_BYTES", 300)
    monkeypatch.setattr(load, "MAX_BYTES", 10)
    return path


def test_every_conversation_is_listed_with_its_title_and_size_and_the_chosen_one_is_opened(large):
    seen: list[tuple[int, int]] = []
    found = list_conversations(large, progress=lambda *now: seen.append(now))
    assert [entry.title.split(" x")[0].strip() for entry in found.entries] == [f"question {n}" for n in range(40)]
    assert {entry.messages for entry in found.entries} == {2}
    assert found.entries[7].where
    opened = found.open(7)
    assert [m.content for m in opened] == [m["content"] for m in talk(7)]
    assert opened.title == found.entries[7].title
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_a_piece_that_is_broken_is_named_and_the_others_are_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_BYTES", 300)
    path = tmp_path / "broken.jsonl"
    path.write_bytes(lines(*({"messages": talk(n)} for n in range(9))) + b"no JSON at all\n" * 60)
    found = list_conversations(path)
    assert len(found) == 9
    assert all(where.startswith(f"{path}, from byte") for where in found.skipped)


def test_a_file_of_one_piece_is_loaded_once(tmp_path):
    path = tmp_path / "small.json"
    path.write_text(json.dumps(talk(1)))
    found = list_conversations(path)
    assert (found.open(0).title, len(found), found.open(-1)) == ("small", 1, found.open(0))


def test_too_many_conversations_and_missing_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "MAX_LISTED", 3)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(FILES["rows.jsonl"])
    with pytest.raises(TooLarge, match="more than 3 conversations"):
        list_conversations(path)
    with pytest.raises(LoadError, match="there is no file"):
        list_conversations(tmp_path / "none.jsonl")
