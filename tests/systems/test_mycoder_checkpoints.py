"""Checkpoints: what is saved comes back as it was, from memory or from a folder or a recording."""

from __future__ import annotations

from contextlib import closing

import pytest

from historylab.errors import HistoryLabError
from historylab.recordings import open_recording
from historylab.recordings.exchange import make_line
from historylab.stores.base import Record
from historylab.stores.memory import InMemoryStore
from historylab.systems.mycoder.checkpoint_places import InRecording
from historylab.systems.mycoder.checkpoints import Checkpoints

HI = {"role": "user", "content": "hi", "tags": ["first"]}


@pytest.fixture(params=["memory", "folder", "recording"])
def checkpoints(request, tmp_path) -> Checkpoints:
    if request.param == "recording":
        return Checkpoints(place=InRecording(InMemoryStore(), "chat"), keep=3)
    return Checkpoints(tmp_path / "saved" if request.param == "folder" else None, keep=3)


@pytest.mark.feature("C29")
def test_what_was_saved_comes_back_whatever_happened_to_the_list_since(checkpoints):
    messages = [{**HI, "tags": ["first"]}, {"role": "assistant", "content": None}]
    id = checkpoints.save(messages, label="before")
    messages[0]["tags"].append("second")
    messages.clear()
    assert checkpoints.restore(id) == [HI, {"role": "assistant", "content": None}]
    checkpoints.restore(id)[0]["content"] = "changed"
    assert checkpoints.restore(id)[0]["content"] == "hi"


def test_the_list_says_what_there_is_in_order(checkpoints):
    ids = [checkpoints.save([HI] * size, label=f"{size}") for size in (1, 2)]
    assert [(c.id, c.label, c.messages) for c in checkpoints.list()] == [(ids[0], "1", 1), (ids[1], "2", 2)]


def test_beyond_the_limit_the_oldest_goes(checkpoints):
    ids = [checkpoints.save([HI]) for _ in range(5)]
    assert [c.id for c in checkpoints.list()] == ids[2:]
    with pytest.raises(ValueError, match="checkpoint"):
        checkpoints.restore(ids[0])


@pytest.mark.parametrize("wrong", ["", "nope", "../secret"])
def test_an_unknown_id_names_those_there_are(checkpoints, wrong):
    id = checkpoints.save([HI])
    with pytest.raises(HistoryLabError, match=id):
        checkpoints.restore(wrong)


def test_a_discarded_checkpoint_is_gone_and_discarding_it_again_is_nothing(checkpoints):
    id = checkpoints.save([HI])
    checkpoints.discard(id)
    checkpoints.discard(id)
    assert len(checkpoints) == 0


@pytest.mark.feature("C29")
def test_a_folder_outlives_the_process_that_wrote_it(tmp_path):
    id = Checkpoints(tmp_path).save([HI, {"role": "user", "content": "\ud800 lone"}], label="crash")
    found = Checkpoints(tmp_path)
    assert [c.label for c in found.list()] == ["crash"]
    assert found.restore(id)[1]["content"] == "\ud800 lone"


def test_a_folder_keeps_json_only_and_says_so_without_leaving_half_a_file(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    with pytest.raises(HistoryLabError, match="only in memory"):
        checkpoints.save([{"role": "user", "content": object()}])
    assert len(checkpoints) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_recording_keeps_them_with_their_conversation_and_forgets_them_with_it(tmp_path):
    with closing(open_recording(tmp_path)) as store:
        first, gone = Checkpoints(place=InRecording(store, "a")), Checkpoints(place=InRecording(store, "b"))
        id = first.save([HI, {"role": "user", "content": "\ud800 lone"}], label="before")
        first.discard(first.save([HI]))
        gone.save([HI])
        store.delete_conversations(["b"])
    with closing(open_recording(tmp_path)) as store:
        found = Checkpoints(place=InRecording(store, "a"))
        assert [(c.id, c.label, c.messages) for c in found.list()] == [(id, "before", 2)]
        assert found.restore(id)[1]["content"] == "\ud800 lone"
        assert Checkpoints(place=InRecording(store, "b")).list() == []


def test_other_lines_of_the_conversation_are_no_checkpoints():
    store = InMemoryStore()
    lines = [
        make_line("request", id="r-1", app="checkpoint"),
        make_line("checkpoint"),
        '{"historylab": "checkpoint"',
        "7",
    ]
    store.append_records(Record("a", 1.0, line) for line in lines)
    assert len(Checkpoints(place=InRecording(store, "a"))) == 0
