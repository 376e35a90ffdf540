"""Packed lines: each is in one range of the packed file, whatever the ranges and the order in which they are read."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packed_chats import LINES, PACK, PACKED, TITLES

from historylab import load
from historylab.errors import LoadError, TooLarge
from historylab.formats.files import packed_lines
from historylab.formats.files.packed_lines import PackedLines
from historylab.formats.files.pieces import Piece, split_file


@pytest.mark.parametrize("ending", PACK)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_ranges_hold_every_line_once_in_its_place(ending, data):
    packed = PACKED[ending]
    cuts = sorted(data.draw(st.lists(st.integers(1, len(packed)), max_size=9)))
    ranges = list(zip([0, *cuts], [*cuts, len(packed) + 1], strict=True))
    read = {
        begin: PackedLines(io.BufferedReader(io.BytesIO(packed))).between(begin, end)
        for begin, end in data.draw(st.permutations(ranges))
        if begin < end
    }
    assert b"".join(read[begin] for begin, end in ranges if begin < end) == LINES


@pytest.mark.parametrize("ending", PACK)
def test_pieces_of_a_packed_file_hold_every_conversation_once_whoever_reads_them(tmp_path, ending):
    path = tmp_path / f"chats.jsonl.{ending}"
    path.write_bytes(PACKED[ending])
    found = split_file(str(path), most=300_000)
    texts = [[chat.title for chat in piece.read()] for piece in found]
    assert len([some for some in texts if some]) > 3
    assert [title for some in texts for title in some] == TITLES == [chat.title for chat in load(path)]
    assert [[chat.title for chat in piece.read()] for piece in found[::-1]] == texts[::-1]


def test_a_thread_unpacks_a_file_once(tmp_path, monkeypatch):
    path = tmp_path / "chats.jsonl.gz"
    path.write_bytes(PACKED["gz"])
    found = split_file(str(path), most=300_000)
    opened = []
    whole = packed_lines.unpack_stream
    monkeypatch.setattr(packed_lines, "unpack_stream", lambda file: opened.append(file) or whole(file))
    assert [chat.title for piece in found for chat in piece.read()] == TITLES
    assert len(opened) == 1


@pytest.mark.parametrize("ending", PACK)
def test_of_a_damaged_file_the_pieces_before_the_damage_are_read(tmp_path, ending):
    path = tmp_path / f"chats.jsonl.{ending}"
    path.write_bytes(PACKED[ending][:-90_000])
    first, *_, last = split_file(str(path), most=300_000)
    assert first.read()[0].title == "chat 0"
    with pytest.raises(LoadError, match=f"{path.name}.*damaged; get it whole"):
        last.read()


@pytest.mark.parametrize("ending", PACK)
def test_a_line_that_unfolds_without_end_is_never_held_whole(ending, monkeypatch):
    monkeypatch.setattr(packed_lines, "FREE_BYTES", 1_000_000)
    monkeypatch.setattr(packed_lines, "MAX_RATIO", 2)
    packed = PACK[ending](LINES[:500_000] + b"\n" + b" " * 12_000_000)
    tracemalloc.start()
    with pytest.raises(TooLarge, match="unfold to more than 1 MB"):
        PackedLines(io.BufferedReader(io.BytesIO(packed))).between(0, len(packed) + 1)
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()


def test_what_only_is_called_packed_is_read_as_it_is(tmp_path):
    path = tmp_path / "chats.jsonl.gz"
    path.write_bytes(LINES)
    found = split_file(str(path), most=300_000)
    assert [chat.title for piece in found for chat in piece.read()] == TITLES
    assert found == [Piece(str(path), one.start, one.stop, one.stamp, unit="packed byte") for one in found]
