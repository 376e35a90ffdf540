"""The recorded part of the library: what is listed, read once, tagged and deleted."""

from __future__ import annotations

import pytest
from recorded_chats import Chat, lines_in

from historylab.formats.load import load
from historylab.recordings.entries import HeldShelf
from historylab.recordings.library import Library
from historylab.recordings.recorded_shelf import RecordedShelf
from historylab.recordings.recorder import Recorder
from historylab.recordings.watch import Watch
from historylab.stores.base import Record, open_store


class Recording:
    """A store with chats in it, and the shelf that shows them."""

    def __init__(self):
        self.store = open_store("memory://")
        self.recorder = Recorder(self.store)
        self.shelf = RecordedShelf(Watch(self.store))
        self.library = Library(HeldShelf(), self.shelf)
        self.chats: dict[str, Chat] = {}

    def said(self, conversation: str, *said: str, answer: str = "ok", **changes) -> None:
        chat = self.chats.setdefault(conversation, Chat())
        exchange = chat.exchange(*said, answer=answer, conversation=conversation, app="desk", **changes)
        assert self.recorder.record(exchange, timeout=30)
        self.shelf.refresh()

    def found(self, words: str = "", **choice) -> list[str]:
        for key in self.library.unread():
            self.library.read(key)
        return [match.key.removeprefix("recorded:") for match in self.library.find(words, self.library.index, **choice)]


@pytest.fixture
def recording():
    made = Recording()
    yield made
    made.recorder.close()
    made.store.close()


def test_an_entry_says_what_was_recorded(recording):
    recording.said("a", "When does the ferry leave?")
    recording.said("a", "And back?")
    entry = recording.shelf.entry("recorded:a")
    assert (entry.title, entry.origin, entry.models) == ("When does the ferry leave?", "desk", ("gpt-4o",))
    assert (entry.messages, entry.requests, entry.source) == (5, 2, "recorded")
    assert entry.changed > 1_700_000_000


def test_what_a_conversation_goes_on_with_is_found_after_a_refresh(recording):
    recording.said("a", "When does the ferry leave?")
    recording.said("b", "Are there bicycles?")
    assert recording.found() == ["b", "a"]
    assert recording.found("bicycles") == ["b"]
    recording.said("a", "And bicycles?")
    assert recording.library.unread() == ["recorded:a"]
    assert sorted(recording.found("bicycles")) == ["a", "b"]
    assert recording.library.unread() == []


def test_tags_are_lines_of_the_conversation_whose_newest_counts_and_move_it_nowhere(recording):
    recording.said("a", "When does the ferry leave?")
    recording.said("b", "Are there bicycles?")
    recording.shelf.tag("recorded:a", ["late", "refund"])
    recording.shelf.tag("recorded:a", ["late"])
    assert recording.shelf.entry("recorded:a").tags == ("late",)
    assert recording.found() == ["b", "a"]
    assert recording.found(tags=["late"]) == ["a"]
    assert [line["tags"] for line in lines_in(recording.store) if line["historylab"] == "tags"][-1] == ["late"]
    again = RecordedShelf(Watch(recording.store))
    again.refresh()
    assert again.entry("recorded:a").tags == ("late",)
    again.tag("recorded:a", [])
    assert again.entry("recorded:a").tags == ()


def test_what_is_deleted_is_gone_from_the_store_with_all_its_lines_and_found_no_more(recording):
    recording.said("a", "When does the ferry leave?")
    recording.said("b", "And the ferry back?")
    recording.shelf.tag("recorded:a", ["late"])
    assert sorted(recording.found("ferry")) == ["a", "b"]
    assert recording.shelf.count_lines(["recorded:a"]) == 2
    assert recording.shelf.delete(["recorded:a"]) == 2
    assert recording.found("ferry") == ["b"]
    assert {line["conversation"] for line in lines_in(recording.store)} == {"b"}
    with pytest.raises(KeyError):
        recording.shelf.entry("recorded:a")


def test_the_summaries_of_what_is_deleted_go_with_it(recording):
    recording.store.write_states({"s-1": "Ana asked about ferries", "s-2": "of another"})
    recording.said("a", "When does the ferry leave?", state={"s-1": "Ana asked about ferries"})
    recording.shelf.delete(["recorded:a"])
    assert recording.store.read_state(["s-1", "s-2"]) == {"s-2": "of another"}


def test_another_process_that_deletes_one_takes_it_off_the_list(recording):
    recording.said("a", "When does the ferry leave?")
    assert recording.found("ferry") == ["a"]
    unread = ["recorded:a"]
    recording.store.delete_conversations(["a"])
    recording.shelf.refresh()
    for key in unread:
        recording.library.read(key)  # as a page does that began before
    assert recording.found() == recording.found("ferry") == []


def test_exported_lines_are_read_as_the_same_conversation(recording):
    recording.said("a", "When does the ferry leave?")
    recording.said("a", "And back?")
    (found,) = load(recording.shelf.lines("recorded:a"))
    assert found == recording.shelf.conversation("recorded:a")


def test_what_cannot_be_read_is_listed_with_the_reason(recording):
    recording.store.append_records([Record("a", 1.0, '{"historylab": "title", "title": "Nothing yet"}')])
    recording.shelf.refresh()
    entry = recording.shelf.entry("recorded:a")
    assert (entry.title, entry.messages) == ("Nothing yet", 0)
    assert entry.problem
    assert recording.found("nothing") == []
