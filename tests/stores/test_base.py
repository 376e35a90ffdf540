"""Stores by their URL."""

from __future__ import annotations

import re
import sys
import traceback

import pytest

from historylab.errors import StoreError
from historylab.stores.base import open_store
from historylab.stores.memory import InMemoryStore


def test_a_store_is_opened_by_its_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_store("memory://"), InMemoryStore)
    for url in ("sqlite:///here.db", f"sqlite:///{tmp_path}/there.db", "SQLite:///:memory:"):
        store = open_store(url)
        monkeypatch.chdir("/")
        store.write_state("key", "value")
        monkeypatch.chdir(tmp_path)
        store.close()
    assert {file.name for file in tmp_path.iterdir()} == {"here.db", "there.db"}
    assert open_store("sqlite:///here.db").read_state(["key"]) == {"key": "value"}


@pytest.mark.parametrize(
    "url",
    [
        *("", "history.db", "sqlite:", "sqlite://", "sqlite:///", "sqlite://history.db", "sqlite:///x.db?mode=ro"),
        *("memory://x", "mysql://me:secret@host/db", "me:secret@host://", "me:secret@host"),
    ],
)
def test_what_is_no_stores_url_is_refused_with_what_is_and_never_repeated(url):
    with pytest.raises(StoreError, match=r"give memory://, sqlite:///relative.db") as refused:
        open_store(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("chats.db", "no store has this address, which has no scheme"),
        ("redis://host", "no store begins with redis://"),
        ("sqlite://chats.db", "no store has this address: what follows sqlite:// must be a slash and a path without ?"),
    ],
)
def test_what_is_wrong_with_a_url_is_named(url, why):
    with pytest.raises(StoreError, match=re.escape(f"{why}; give memory://")):
        open_store(url)


def test_a_path_that_cannot_be_opened_and_what_is_no_text_are_refused(tmp_path):
    with pytest.raises(StoreError, match=r"cannot be opened as a conversation store"):
        open_store(f"sqlite:///{tmp_path}/missing/history.db")
    with pytest.raises(StoreError, match="is text, not None"):
        open_store(None)


SECRETS = [
    *("postgresql://me:secret@127.0.0.1:1/db", "postgres://me:secret@[::1]:1/db?sslmode=disable"),
    *("postgresql://me:se@secret@host/db", "postgresql://me:se/secret@host/db", "postgresql://me:%secret@host/db"),
    *("postgresql://me:secret", "postgresql://me:secret/db", "postgresql://host/db?user=me@secret"),
    *("postgresql://host/db?secret=1", "postgresql://127.0.0.1:1/db?password=secret"),
]


@pytest.mark.parametrize("url", SECRETS)
def test_no_error_of_a_database_repeats_a_password(url, caplog):
    pytest.importorskip("psycopg_pool")
    caplog.set_level("DEBUG")
    with pytest.raises(StoreError, match="postgresql://") as refused:
        open_store(url).read_records()
    assert "secret" not in "".join(traceback.format_exception(refused.value.with_traceback(None))) + caplog.text


def test_a_database_without_its_driver_is_refused_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(StoreError, match=r'pip install "psycopg\[binary,pool\]"'):
        open_store("postgresql://localhost/db")
