"""What looks like a key never reaches a recording, nor what its owner wants out of it; all other text stays."""

from __future__ import annotations

import json

import pytest

from historylab.errors import SettingsError
from historylab.recordings.redaction import Redaction

KEYS = [
    "sk-proj-abcdefghijklmnop1234567890",
    "sk-ant-api03-abcdefghij_klmnop-1234567890",
    "sk_live_abcdefghijklmnop1234",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
    "xoxb-123456789012-abcdefghijkl",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "session-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "Bearer abcdefghijklmnop.qrst-uv==",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIE that breaks off",
    'api_key = "abcdefgh1"',
    '"password\\": \\"hunter2hunter2',
]


@pytest.mark.parametrize("key", KEYS)
def test_what_looks_like_a_key_is_taken_out_wherever_it_stands(key):
    given = {"messages": [{"content": [{"text": f"use {key}"}]}], "n": 1, "none": None}
    found, count = Redaction().redact(given)
    text = found["messages"][0]["content"][0]["text"]
    assert count == 1
    assert text.startswith("use ") and text.rstrip("\"'").endswith("[redacted]")
    assert (found["n"], found["none"]) == (1, None)
    assert given["messages"][0]["content"][0]["text"] == f"use {key}"


@pytest.mark.parametrize(
    "beginning", ["-eyJ", "eyJabcdefghijk.", "sk-a-", "-AIza", "bearer ", "://a:b", "password: 'x ", "xoxb-"]
)
def test_no_text_takes_long_to_look_through(beginning):
    text = beginning * (500_000 // len(beginning))
    assert len(Redaction().redact(f"{text} {KEYS[0]}")[0]) <= len(text) + len(KEYS[0])


def test_a_password_in_an_address_goes_and_the_address_stays():
    text = "psql postgresql://me:hunter2@db.example.com/app failed"
    assert Redaction().redact(text) == ("psql postgresql://[redacted]@db.example.com/app failed", 1)


@pytest.mark.parametrize(
    "text",
    ["the key is under the mat, token by token", "password: required", "sk-learn and risk-free", "https://a.b/c:d@e"],
)
def test_plain_text_stays_as_it_is(text):
    given = {"content": [text]}
    found, count = Redaction().redact(given)
    assert (found is given, count) == (True, 0)


def test_own_patterns_count_beside_those_of_keys():
    found = Redaction([r"\bDE\d{20}\b", "Ada Lovelace"]).redact(["Ada Lovelace, DE12345678901234567890", KEYS[0]])
    assert found == (["[redacted], [redacted]", "[redacted]"], 3)


def test_a_text_that_is_json_is_looked_into():
    key = KEYS[-3].replace("\n", "\\n")
    found, count = Redaction(["Jörg"]).redact({"arguments": f'{{"who": "J\\u00f6rg", "key": ["{key}"], "n": 1}}'})
    assert (json.loads(found["arguments"]), count) == ({"who": "[redacted]", "key": ["[redacted]"], "n": 1}, 2)
    broken = '{"who": "J\\u00f6rg"'
    assert Redaction(["Jörg"]).redact(broken) == (broken, 0)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("(", "no regular expression"), ("a*", "empty text"), (r"(\w+\s?)+x", "forever"), ("a" * 501, "501 characters")],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason(pattern, why):
    with pytest.raises(SettingsError, match=why):
        Redaction([pattern])
