"""The memory store's bounds: what goes when it holds too much."""

from __future__ import annotations

from historylab.stores.base import Record
from historylab.stores.memory import InMemoryStore


def test_the_least_recently_used_state_goes_when_its_characters_are_too_many():
    store = InMemoryStore(max_state_characters=10)
    store.write_state("x", "1234")
    store.write_state("y", "1234")
    store.read_state(["x"])
    store.write_state("z", "1234")
    assert store.read_state(["x", "y", "z"]) == {"x": "1234", "z": "1234"}
    assert store.write_state("long", "more than ten") == "more than ten"
    assert store.read_state(["x", "z", "long"]) == {"long": "more than ten"}
    assert (store.delete_state(0), store.write_state("x", "1234")) == (1, "1234")


def test_over_the_cap_the_conversation_recorded_least_recently_goes():
    store = InMemoryStore(max_record_characters=10)
    for room in "abca":
        store.append_records([Record(room, 0, "12345")])
    assert [found.conversation for found in store.recorded_conversations()] == ["a", "c"]
    assert [record.number for record in store.read_records()] == [3, 4]
