"""Owners: digests under a key that outlives the process, of what tells people apart and of nothing else."""

from __future__ import annotations

import json
import stat

import pytest

from historylab.recordings.owners import Owners, digest_key, names_person, names_session

OWNERS = Owners(b"one key")
KEYS = ["Bearer sk-one"]
CLAUDE = json.dumps({"device_id": "d", "account_uuid": "", "session_id": "9f"})


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HISTORYLAB_RECORD_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.mark.parametrize(
    ("named", "body"),
    [
        ((), {"user": "Bo"}),
        ((), {"safety_identifier": "Bo"}),
        ((), {"metadata": {"user_id": "user_1_account__session_2"}}),
        ((), {"metadata": {"user_id": CLAUDE}}),
        ((), {"metadata": {"sessionId": "9"}}),
        ((), {"client_metadata": {"thread_id": "9"}}),
        ([("session_id", "9")], {}),
        ([("Thread-Id", "9")], {}),
        ([("x-openwebui-chat-id", "9")], {}),
    ],
)
def test_a_user_or_a_session_by_any_of_its_names_is_another_owner(named, body):
    alone, owner = OWNERS.owner_of(KEYS), OWNERS.owner_of(KEYS, named, body)
    assert owner != alone and names_person(owner) and not names_person(alone)
    assert names_session(owner) == ("Bo" not in str(body))


@pytest.mark.parametrize(
    ("named", "body"),
    [
        ([("x-request-id", "9"), ("user-agent", "app"), ("x-stainless-lang", "js")], {"model": "m"}),
        ((), {"prompt_cache_key": "9", "metadata": {"turn": "9"}, "messages": [{"user": "Bo"}], "user": ""}),
    ],
)
def test_what_differs_from_request_to_request_is_not_looked_at(named, body):
    assert OWNERS.owner_of(KEYS, named, body) == OWNERS.owner_of(KEYS)


def test_without_any_of_it_there_is_no_owner():
    assert OWNERS.owner_of([], (), {"model": "m"}) == ""


def test_the_digest_tells_the_credential_to_nobody_who_lacks_the_key():
    assert OWNERS.owner_of(KEYS) != Owners(b"another").owner_of(KEYS)
    assert "sk-one" not in OWNERS.owner_of(KEYS)


def test_the_key_is_made_once_for_its_owners_eyes_only(home):
    assert digest_key() == digest_key()
    (file,) = (home / "historylab").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(digest_key()) == 64


def test_where_no_file_can_be_made_it_is_said_what_to_set(home, caplog, monkeypatch):
    home.write_text("a file in the place of the folder")
    assert digest_key() != digest_key()
    assert "set HISTORYLAB_RECORD_KEY" in caplog.text
    monkeypatch.setenv("HISTORYLAB_RECORD_KEY", "of all workers")
    assert digest_key() == b"of all workers"
