"""A store that is busy, locked or slow holds no answer: what is known without it is sent, or nothing is trimmed."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager

import httpx2
import pytest
from chat_server import ChatServer, says
from postgres_cluster import on_postgres
from proxy_process import write_settings
from proxy_server import chat, running_proxy, until

from historylab.conversation.exchange import Exchange
from historylab.errors import StoreError
from historylab.proxy.patience import PatientStore, one_request
from historylab.recordings.recorder import Recorder
from historylab.settings.model import Settings
from historylab.stores.base import open_store
from historylab.stores.memory import InMemoryStore

CHAT = "/v1/chat/completions"
SHORT, LONG = 0.05, 20.0
UNRECORDED = ("store", "likely")  # which of them: whether the recorder was about to write it just then
SUMMARIES = Settings(policy="all", pruner="summarize", budget=150)


class HeldStore(InMemoryStore):
    """Answers nothing while it is held, and notes what it was asked of state."""

    def __init__(self):
        super().__init__()
        self.asked, self._free = [], threading.Event()
        self._free.set()

    @contextmanager
    def held(self):
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()

    def append_records(self, *given):
        self._free.wait()
        return super().append_records(*given)

    def read_state(self, keys):
        self.asked += keys
        self._free.wait()
        return super().read_state(keys)

    def write_states(self, values):
        self._free.wait()
        return super().write_states(values)


@pytest.fixture
def held():
    return HeldStore()


@pytest.fixture
def store(held):
    store = PatientStore(held, LONG)
    yield store
    store.close()


@pytest.fixture
def away(held, store):
    """A block in which the store answers nobody, and none waits for it for long."""

    @contextmanager
    def block():
        store.patience = SHORT
        with held.held():
            yield
        store.patience = LONG

    return block


def test_one_waits_in_vain_and_nobody_after_it(held, store, away):
    with away():
        for key in ("a", "b", "c"):
            with pytest.raises(StoreError, match="in time"):
                store.read_state([key])
        assert "a" in held.asked and not {"b", "c"} & {*held.asked}
    until(lambda: not store.away_since)
    assert store.read_state(["b"]) == {} and "b" in held.asked


def test_a_request_that_has_waited_waits_for_nothing_more(held, store):
    with one_request(Exchange(waited=LONG)), pytest.raises(StoreError, match="in time"):
        store.read_state(["a"])
    assert held.asked == []


def test_all_its_waiting_counts(store):
    exchange = Exchange()
    with one_request(exchange):
        store.read_state(["a"])
        first = exchange.waited
        store.write_state("a", "1")
    assert 0 < first < exchange.waited and not exchange.stale


def test_what_is_known_is_told_and_makes_the_request_stale(held, store, away):
    store.write_state("a", "1")
    exchange = Exchange()
    with away(), one_request(exchange):
        assert store.read_state(["a"]) == {"a": "1"} and exchange.stale
        with pytest.raises(StoreError):
            store.read_state(["a", "b"])


def test_what_could_not_be_written_is_written_later(held, store, away):
    with away():
        assert store.write_state("a", "mine") == "mine"
        assert store.read_state(["a"]) == {"a": "mine"}
    until(lambda: not store.away_since)
    assert held.read_state(["a"]) == {"a": "mine"}


def test_what_nobody_waited_for_is_written_all_the_same(held, store):
    with one_request(Exchange(waited=LONG)):
        assert store.write_state("a", "mine") == "mine"
    until(lambda: not store.away_since)
    assert held.read_state(["a"]) == {"a": "mine"}


def test_where_another_process_was_first_its_value_takes_the_place(held, store, away):
    with away():
        store.write_state("a", "mine")
        InMemoryStore.write_states(held, {"a": "theirs"})
        assert store.write_state("a", "again") == "mine"
    until(lambda: not store.away_since)
    with away():
        assert store.read_state(["a"]) == {"a": "theirs"}


def test_a_store_that_fails_at_once_is_not_away(store, monkeypatch, held):
    monkeypatch.setattr(held, "read_state", fails)
    with pytest.raises(StoreError, match="disk is full"):
        store.read_state(["a"])
    assert not store.away_since


def test_what_is_known_is_told_where_it_fails_at_once_too(store, monkeypatch, held):
    store.write_state("a", "1")
    monkeypatch.setattr(held, "read_state", fails)
    with one_request(exchange := Exchange()):
        assert store.read_state(["a"]) == {"a": "1"} and exchange.stale
        with pytest.raises(StoreError, match="disk is full"):
            store.read_state(["a", "b"])


def test_what_fails_at_each_request_is_said_once_until_the_store_was_well(held, monkeypatch, tmp_path, caplog):
    file = write_settings(tmp_path / "settings.json", SUMMARIES)
    with (
        ChatServer(says("hello there")) as upstream,
        running_proxy(upstream.url, file, store=PatientStore(held, LONG)) as proxy,
        httpx2.Client(base_url=proxy.url, timeout=20) as client,
    ):

        def ask(first: str) -> None:
            client.post(CHAT, json=chat(first, *SAID)).raise_for_status()

        for turn in range(2):
            with monkeypatch.context() as broken:
                broken.setattr(held, "read_state", fails)
                ask(f"Hello {turn}")
                ask(f"Good evening {turn}")
                client.post(CHAT, json=chat("short")).raise_for_status()  # needs no store, and says nothing of it
                ask(f"Good night {turn}")
            ask(f"Good morning {turn}")
    assert caplog.text.count("the disk is full") == 2


def fails(*_: object) -> None:
    raise StoreError("the disk is full")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=on_postgres)])
def locked(request, tmp_path):
    """The URL of a store, and a way to lock its state, as another process might."""
    if request.param == "sqlite":
        place = tmp_path / "held.db"

        @contextmanager
        def lock():
            other = sqlite3.connect(place, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            yield
            other.close()

        return f"sqlite:///{place}", lock
    cluster = request.getfixturevalue("postgres")
    url = cluster.place()

    @contextmanager
    def lock():
        cluster.execute("BEGIN", url)
        cluster.execute("LOCK TABLE historylab_state IN ACCESS EXCLUSIVE MODE", url)
        yield
        cluster.execute("ROLLBACK", url)

    return url, lock


SAID = [f"message {k} of the ferry to Kiel, which leaves at noon from the old pier" for k in range(21)]


def test_a_locked_store_holds_no_answer_and_the_answer_says_so(locked, tmp_path):
    url, lock = locked
    store = open_store(url)
    recorder = Recorder(store)
    patient = PatientStore(store, LONG)
    file = write_settings(tmp_path / "settings.json", SUMMARIES)
    with (
        ChatServer(says("hello there")) as upstream,
        running_proxy(upstream.url, file, recorder=recorder, store=patient) as proxy,
        httpx2.Client(base_url=proxy.url, timeout=20) as client,
    ):

        def asked(*said: str) -> httpx2.Headers:
            return client.post(CHAT, json=chat(*said)).raise_for_status().headers

        known = asked(*SAID)
        assert "S" in known["historylab-decisions"] and "historylab-unrecorded" not in known
        patient.patience = SHORT
        with lock():
            new = [asked(f"Hello {k}", *SAID) for k in range(3)]
            again = asked(*SAID)
            health = client.get("/historylab/health").json()
        said = [headers.get("historylab-untrimmed") or headers.get("historylab-state") for headers in new]
        assert {*said} <= {"store", "stale"} and said[1:] == ["store", "store"]
        assert again["historylab-decisions"] == known["historylab-decisions"]
        assert again["historylab-state"] == "stale" and again["historylab-unrecorded"] in UNRECORDED
        assert "hasn't answered" in str(health["problems"])
        patient.patience = LONG
        until(lambda: not patient.away_since)
        after = asked("Hello again", *SAID)
        assert "historylab-state" not in after and "historylab-untrimmed" not in after


def test_under_a_filter_it_is_refused(held, upstream, tmp_path):
    file = write_settings(tmp_path / "settings.json", SUMMARIES.replace(filter="newest"))
    with held.held(), running_proxy(upstream.url, file, store=PatientStore(held, SHORT)) as proxy:
        answer = httpx2.post(f"{proxy.url}{CHAT}", json=chat(*SAID))
    assert answer.status_code == 422 and answer.json()["error"]["code"] == "historylab_store"


def test_settings_that_keep_nothing_never_ask_it(held, upstream, tmp_path):
    file = write_settings(tmp_path / "settings.json", Settings(policy="all", pruner="fifo", budget=150))
    with held.held(), running_proxy(upstream.url, file, store=PatientStore(held, SHORT)) as proxy:
        answer = httpx2.post(f"{proxy.url}{CHAT}", json=chat(*SAID))
    assert "D" in answer.headers["historylab-decisions"] and held.asked == []


def test_a_held_recording_is_waited_for_once(held, upstream, monkeypatch):
    recorder, given = Recorder(held), []
    arecord = recorder.arecord
    monkeypatch.setattr(recorder, "arecord", lambda exchange, left: given.append(left) or arecord(exchange, left))
    store = PatientStore(held, SHORT)
    with running_proxy(upstream.url, recorder=recorder, store=store) as proxy, held.held():
        for _ in range(3):
            said = httpx2.post(f"{proxy.url}{CHAT}", json=chat("a")).headers["historylab-unrecorded"]
            assert said in UNRECORDED
    assert given == [SHORT, 0, 0]


def test_the_end_does_not_wait_for_a_store_that_is_held(held):
    store, closed = PatientStore(held, SHORT), threading.Event()
    held.close = lambda: held._free.wait() and closed.set()
    with held.held():
        store.close()
        assert not closed.is_set()
    assert closed.wait(30)
