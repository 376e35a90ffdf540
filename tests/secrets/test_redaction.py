"""What looks like a key never reaches a recording, nor what its owner wants out of it; all other text stays."""

from __future__ import annotations

import json
from random import Random

import pytest
from made_keys import FIELDS, HOLDERS, LIKE_FIELDS, LINES, LOOK_ALIKES, PLACES, SHAPES, draw, is_taken_out

from historylab.errors import SettingsError
from historylab.secrets.redaction import Redaction

KEY = draw("sk-proj-{letters:40}", Random(1))[0]


@pytest.mark.parametrize("place", PLACES)
def test_keys_of_all_published_shapes_are_taken_out_wherever_they_stand(place):
    chance = Random(place)
    redact = Redaction().redact
    made = ((shape, *draw(shape, chance)) for shape in (*SHAPES, *LINES))
    assert [shape for shape, text, drawn in made if not is_taken_out(redact(PLACES[place](text))[0], drawn)] == []


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_a_field_names_a_secret_is_taken_out_whatever_it_looks_like(holder):
    chance = Random(holder)
    redact = Redaction().redact
    made = ((name, draw(shape, chance)[0]) for name, shape in FIELDS.items())
    assert [name for name, value in made if not is_taken_out(redact(HOLDERS[holder](name, value))[0], [value])] == []


def test_the_rest_stays_and_so_does_what_was_given():
    given = {"messages": [{"content": [{"text": f"use {KEY}, then go"}]}], "n": 1, "none": None}
    assert Redaction().redact(given) == (
        {"messages": [{"content": [{"text": "use [redacted], then go"}]}], "n": 1, "none": None},
        1,
    )
    assert given["messages"][0]["content"][0]["text"] == f"use {KEY}, then go"


def test_a_key_is_taken_out_of_names_of_fields_too_and_all_other_names_stay():
    redaction = Redaction(["of_the_ferry"])
    given = {"input": {KEY: "old", "name_of_the_ferry": "Ven", "a-key-that-was-sent-1": 2}}
    assert redaction.redact(given, ["a-key-that-was-sent-1"])[1] == 2
    assert KEY not in str(redaction.redact(given)) and "name_of_the_ferry" in str(redaction.redact(given))


def test_names_stay_beside_what_they_name():
    said = Redaction().redact(
        'DB_PASSWORD=tr0ub4dor3x run --token a1B2c3D4e5F6 "pw": "x9 y" https://a.b/c?api_key=Zz81Yy72Xx&n=1'
    )
    assert said == (
        'DB_PASSWORD=[redacted] run --token [redacted] "pw": "x9 y" https://a.b/c?api_key=[redacted]&n=1',
        3,
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("PGPASSWORD=p@ss,w0rd;1 psql", "PGPASSWORD=[redacted] psql"),
        (f"Authorization: Bearer {KEY}", "Authorization: [redacted]"),
        (f"printf 'a\\n{KEY}\\n'", "printf 'a\\n[redacted]\\n'"),
        ("sk_live_abcdefghijklmnopqrst", "[redacted]"),
        ({"password": 83920174}, {"password": "[redacted]"}),
        ({"Set-Cookie": ["sid=a1b2c3d4"]}, {"Set-Cookie": ["[redacted]"]}),
        ('\n {"name": "PGPASSWORD", "value": "abc123"}', '{"name": "PGPASSWORD", "value": "[redacted]"}'),
    ],
    ids=str,
)
def test_a_secret_is_taken_out_once_and_whole(given, kept):
    assert Redaction().redact(given) == (kept, 1)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(text):
    for value in (text, {"content": [text]}, json.dumps({"note": text})):
        assert Redaction().redact(value) == (value, 0)


@pytest.mark.parametrize("value", LIKE_FIELDS, ids=str)
def test_fields_that_hold_no_secret_stay(value):
    for given in (value, json.dumps(value), {"arguments": json.dumps(value)}):
        assert Redaction().redact(given) == (given, 0)


@pytest.mark.parametrize(
    "beginning",
    [
        "-eyJ",
        "eyJabcdefghijk.",
        "sk-a-",
        "-AIza",
        "bearer ",
        "://a:b",
        "password: 'x ",
        "xoxb-",
        "token=&a",
        "curl -u ",
        "password=a1b2c3d4e5f6",
        "PASSWORD=a1B2c3D4e5x",
        "cookie: a=b1c2d3e4f5;",
    ],
)
def test_no_text_takes_long_to_look_through(beginning):
    text = beginning * (200_000 // len(beginning))
    assert len(Redaction().redact(f"{text} {KEY}")[0]) <= len(text) + len(KEY)


def test_a_password_in_an_address_goes_and_the_address_stays():
    text = "psql postgresql://me:hunter2@db.example.com/app failed"
    assert Redaction().redact(text) == ("psql postgresql://[redacted]@db.example.com/app failed", 1)


def test_own_patterns_count_beside_those_of_keys():
    found = Redaction([r"\bDE\d{20}\b", "Ada Lovelace"]).redact(["Ada Lovelace, DE12345678901234567890", KEY])
    assert found == (["[redacted], [redacted]", "[redacted]"], 3)


def test_a_text_that_is_json_is_looked_into():
    key = draw("-----BEGIN PRIVATE KEY-----\n{base64:64}", Random(1))[0].replace("\n", "\\n")
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
