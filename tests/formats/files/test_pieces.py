"""Pieces: which lines may be read apart from each other."""

from __future__ import annotations

import json
from random import Random

import pandas
import pyarrow
import pytest
from binary_samples import table

from historylab import Conversation, Message, generate
from historylab.errors import TooLarge
from historylab.formats.files import parquet_rows, pieces
from historylab.formats.files.pieces import Piece, holds_conversation, split_file
from historylab.formats.messages.chat_messages import to_record

TALKS = [generate("support_desk", turns=3, seed=1), generate("coding_agent", turns=2, seed=2)]
SAID = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("line", [{"messages": SAID}, {"conversations": SAID, "id": "7"}])
def test_a_line_with_messages_is_a_conversation_by_itself(line):
    assert holds_conversation(line)


@pytest.mark.parametrize("line", [{"call_type": "completion", "messages": SAID}, {"role": "user"}, SAID, None])
def test_a_message_or_a_logged_request_is_none(line):
    assert not holds_conversation(line)


def test_a_row_group_is_decoded_once_however_many_pieces_it_has(tmp_path, monkeypatch):
    path = tmp_path / "one-group.parquet"
    asked = [f"question {n} " * 9 for n in range(90)]
    path.write_bytes(table([{"messages": [{"role": "user", "content": text}]} for text in asked]))
    decoded: list[int] = []
    whole = parquet_rows.ParquetRows._decode_group
    monkeypatch.setattr(pieces, "PIECE_BYTES", 500)
    monkeypatch.setattr(parquet_rows, "MAX_BATCH", 7)
    monkeypatch.setattr(
        parquet_rows.ParquetRows,
        "_decode_group",
        lambda *given: (decoded.append(batch.num_rows) or batch for batch in whole(*given)),
    )
    found = split_file(str(path))
    assert len(found) > 4
    decoded.clear()
    assert [said for piece in found for said in texts(piece)] == asked
    assert sum(decoded) == len(asked)
    assert [said for piece in found[::-1] for said in texts(piece)[::-1]] == asked[::-1]


def test_texts_that_rows_do_not_share_are_not_kept_while_their_row_group_is_read(tmp_path, monkeypatch):
    path, drawn = tmp_path / "one-group.parquet", Random(1)
    said = [[{"role": "user", "content": drawn.randbytes(2_000).hex()}] for _ in range(3_000)]
    path.write_bytes(table([{"messages": json.dumps(one)} for one in said]))
    monkeypatch.setattr(parquet_rows, "BATCH_BYTES", 100_000)
    monkeypatch.setattr(parquet_rows, "BUFFER", 100_000)
    before, most = pyarrow.total_allocated_bytes(), 0
    for _ in parquet_rows.ParquetRows(path).rows():
        most = max(most, pyarrow.total_allocated_bytes() - before)
    assert most < 3_000 * 4_000


def texts(piece: pieces.Piece) -> list[str]:
    return [conversation[0].content for conversation in piece.read()]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"role": "user", "content": "hi"}\n', "is a conversation, and here one has 'role', 'content'; "),
        ("a.jsonl", '{"session_id": 7, "role": "user"}\n', "`historylab FILE` opens one conversation of it; for all"),
        ("a.json", '[{"role": "user", "content": "hi"}]\n', "each line is a conversation; write a line"),
    ],
)
def test_what_is_too_large_and_cannot_be_read_in_pieces_is_named_with_a_way_out(
    tmp_path, monkeypatch, name, text, said
):
    monkeypatch.setattr(pieces, "MAX_BYTES", 50)
    path = tmp_path / name
    path.write_text(2 * text)
    with pytest.raises(TooLarge, match=r'has 0\.0 MB; .* write a line for each conversation, {"messages"') as refused:
        split_file(str(path))[0].read()
    assert said in str(refused.value)


@pytest.mark.parametrize("size", [100, 4000, 20_000])
def test_pieces_of_a_file_hold_every_line_once(tmp_path, monkeypatch, size):
    chats = [Conversation([Message("user", f"question {n} " * n)], f"chat {n}") for n in range(1, 60)]
    lines = [json.dumps({"title": chat.title, "messages": [to_record(m) for m in chat]}) for chat in chats]
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr(pieces, "PIECE_BYTES", size)
    found = split_file(str(path))
    assert len(found) > 1
    assert [c.title for piece in found for c in piece.read()] == [c.title for c in chats]


def test_a_session_of_one_message_a_line_is_never_cut(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(json.dumps(to_record(m)) for m in TALKS[0]), encoding="utf-8")
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    assert len(split_file(str(path))) == 1


@pytest.mark.parametrize("as_text", [True, False])
def test_a_parquet_file_is_read_row_group_by_row_group(tmp_path, as_text):
    records = [[to_record(m) for m in c] for c in TALKS]
    columns = {"title": [c.title for c in TALKS], "messages": [json.dumps(r) if as_text else r for r in records]}
    path = tmp_path / "corpus.parquet"
    pandas.DataFrame(columns).to_parquet(path, row_group_size=1)
    found = split_file(str(path))
    assert [(piece.start, piece.stop) for piece in found] == [(0, 1), (1, 2)]
    assert [c for piece in found for c in piece.read()] == TALKS


def test_a_path_that_only_workers_see_is_handed_on_as_it_is():
    assert split_file("/only/there.jsonl") == [Piece("/only/there.jsonl")]
