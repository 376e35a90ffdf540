"""Whatever call of a store fails, what was acknowledged is kept, and what was said to be unrecorded is not."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from failing_store import WAYS, FailingStore
from recorded_chats import Chat, lines_in

from historylab import load
from historylab.errors import StoreLost
from historylab.recordings import open_recording
from historylab.recordings.recorder import Recorder
from historylab.stores.memory import InMemoryStore

PATIENCE = 0.01  # seconds, of a store that hangs


def record_all(store, patience: float = 30, go_on=lambda: None) -> dict[str, bool | None]:
    """Two chats that are alike at first, recorded to the end; what was said of each request, by its id."""
    recorder, said, chats = Recorder(store), {}, [Chat(), Chat()]
    for turn in ("Hi", "{}", "and {}?"):
        for name, chat in zip("ab", chats, strict=True):
            exchange = chat.exchange(turn.format(name))
            waited = recorder.record(exchange, patience)
            said[exchange.id] = waited
            if waited is not True:
                go_on()
                recorder.record(Chat().exchange("until it goes on"), 30)
    recorder.close()
    return said


CALLS = len((never := FailingStore(-1, "")).calls) or (record_all(never), len(never.calls))[1]


def faults() -> Iterator[tuple[str, int]]:
    yield from ((way, at) for way in WAYS for at in range(CALLS))


@pytest.mark.parametrize("way", WAYS)
def test_whatever_call_fails_nothing_is_lost_unsaid_and_nothing_kept_that_was_said_to_be_lost(way, caplog):
    caplog.set_level(logging.CRITICAL)
    for at in range(CALLS):
        store = FailingStore(at, way)
        said = record_all(store, PATIENCE if way == "hangs" else 30, store.may_go_on.set)
        lines = [line for line in lines_in(store.kept) if "id" in line]
        kept = {line["id"] for line in lines}
        assert {id for id, was in said.items() if was is True} <= kept, (way, at)
        assert not {id for id, was in said.items() if was is False} & kept, (way, at)
        assert way == "hangs" or sum(was is not True for was in said.values()) <= 1, (way, at)
        given = {value for _, value in store.kept._state.values()}  # answers' conversations
        assert {line["conversation"] for line in lines if said.get(line["id"])} <= given, (way, at)
        file = "".join(f"{record.text}\n" for record in store.kept.read_records()).encode()
        assert not load(file, name="recording.jsonl").report.skipped, (way, at)


def test_a_store_that_is_lost_while_it_writes_may_have_it():
    assert None in record_all(FailingStore(FIRST_APPEND, "lost")).values()


def test_what_is_waited_for_too_long_is_never_written(caplog):
    store = FailingStore(FIRST_APPEND, "hangs")
    recorder, chat = Recorder(store), Chat()
    written = recorder._begin(chat.exchange("being written"))
    assert store.hanging.wait(30) and recorder._finish(written, PATIENCE) is None
    assert recorder.record(chat.exchange("still waiting"), PATIENCE) is False
    store.may_go_on.set()
    assert recorder.record(chat.exchange("after it"), 30) is True
    recorder.close()
    assert "still waiting" not in str([line["request"]["messages"][-1:] for line in lines_in(store.kept)])
    assert [record.message for record in caplog.records][-1] == "recording goes on; 2 requests passed unrecorded so far"


def test_the_same_cause_is_logged_again_after_recording_went_on(caplog):
    store = InMemoryStore()
    recorder, append = Recorder(store), store.append_records
    for _ in range(2):
        store.append_records = lambda *_: (_ for _ in ()).throw(StoreLost("gone"))
        assert recorder.record(Chat().exchange("a"), 30) is None
        store.append_records = append
        assert recorder.record(Chat().exchange("b"), 30)
    recorder.close()
    assert sum("gone" in record.message for record in caplog.records) == 2


def test_what_fails_beside_every_request_is_logged_once_until_it_is_done_again(caplog):
    store = InMemoryStore()
    recorder, read = Recorder(store), store.read_state
    for _ in range(2):
        store.read_state = lambda _: (_ for _ in ()).throw(StoreLost("gone"))
        assert all(recorder.record(Chat().exchange(said), 30) for said in "abc")
        store.read_state = read
        assert recorder.record(Chat().exchange("d"), 30)
    recorder.close()
    assert sum("after a restart: gone" in record.message for record in caplog.records) == 2


def test_a_recording_that_is_deleted_under_the_recorder_begins_anew_with_whole_chats(tmp_path, caplog):
    store = open_recording(tmp_path)
    recorder, chats = Recorder(store), [Chat(), Chat()]
    for chat, name in zip(chats, "ab", strict=True):
        assert recorder.record(chat.exchange(name), 30)
    for file in tmp_path.iterdir():
        file.unlink()
    for chat in chats:
        assert recorder.record(chat.exchange("go on"), 30)
    recorder.close()
    store.close()
    assert "was deleted; it is begun anew" in caplog.text
    found = load(tmp_path)
    assert not found.report.skipped and sorted(len(conversation) for conversation in found) == [5, 5]


def test_what_is_written_into_another_file_than_it_was_made_for_may_be_incomplete_and_says_so(tmp_path, monkeypatch):
    store = open_recording(tmp_path)
    recorder, chat, append = Recorder(store), Chat(), store.append_records
    assert recorder.record(chat.exchange("one"), 30)

    def deleted_before(*given):
        for file in tmp_path.iterdir():
            file.unlink()
        return append(*given)

    with monkeypatch.context() as patched:
        patched.setattr(store, "append_records", deleted_before)
        assert recorder.record(chat.exchange("two"), 30) is None
    assert recorder.record(chat.exchange("three"), 30)
    recorder.close()
    assert "after" not in lines_in(store)[-1]
    store.close()


def test_an_older_copy_in_its_place_is_gone_on_with_by_lines_that_are_whole(tmp_path):
    store = open_recording(tmp_path / "r.db")
    recorder, chat = Recorder(store), Chat()
    assert recorder.record(chat.exchange("one"), 30)
    copy = open_recording(tmp_path / "copy.db")
    copy.append_records(store.read_records())
    copy.close()
    assert recorder.record(chat.exchange("two"), 30)
    for file in tmp_path.glob("r.db*"):
        file.unlink()
    (tmp_path / "copy.db").rename(tmp_path / "r.db")
    assert recorder.record(chat.exchange("three"), 30)
    recorder.close()
    lines = lines_in(store)
    store.close()
    assert [line.get("after") for line in lines] == [None, None]
    assert len(lines[1]["request"]["messages"]) == 6


FIRST_APPEND = never.calls.index("append_records")
