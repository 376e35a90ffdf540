"""Recorded HTTP traffic: bodies however they are held, streams, failures, other traffic, and no key from an address."""

from __future__ import annotations

import base64
import gzip
import json
import sys
from pathlib import Path

import pytest
import yaml

from historylab import load
from historylab.errors import LoadError, TooLarge

SAMPLES = Path(__file__).parent.parent / "samples"
URL = "https://api.example/v1/messages?key=SECRET"
ASKED = {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
ANSWER = {
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5",
    "content": [{"type": "text", "text": "yo"}],
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
EVENTS = (
    {"type": "message_start", "message": {**ANSWER, "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "yo"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
)


def interaction(asked: object, answered: object, url: str = URL, status: int = 200):
    return {
        "request": {"method": "POST", "uri": url, "headers": {"x-api-key": ["SECRET"]}, "body": asked},
        "response": {"status": {"code": status}, "body": {"string": answered}},
    }


def read(*interactions: dict, as_json: bool = False):
    cassette = {"interactions": list(interactions), "version": 1}
    loaded = load((json.dumps(cassette) if as_json else yaml.safe_dump(cassette, sort_keys=False)).encode())
    assert loaded.report.member == "vcr"
    return loaded


def said(conversation):
    return [(m.role, m.content) for m in conversation]


STREAM = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS)
PACKED = gzip.compress(json.dumps(ANSWER).encode())


@pytest.mark.parametrize("answer", [json.dumps(ANSWER), STREAM, PACKED], ids=["text", "stream", "gzip"])
@pytest.mark.parametrize("asked", [json.dumps(ASKED), gzip.compress(json.dumps(ASKED).encode())], ids=["text", "gzip"])
def test_a_body_is_read_however_it_came_over_the_wire(asked, answer):
    (conversation,) = read(interaction(asked, answer))
    assert said(conversation) == [("user", "hi"), ("assistant", "yo")]
    assert (conversation.recorded.model, conversation.recorded.usage[0].output) == ("claude-haiku-4-5", 2)


def test_a_stream_that_breaks_off_is_named():
    whole, broken = STREAM, STREAM.partition("event: message_delta")[0]
    found = [read(interaction(json.dumps(ASKED), text)).report.warnings for text in (whole, broken)]
    assert ["a streamed answer that breaks off" in warnings for warnings in found] == [False, True]


def test_a_cassette_of_json_with_coded_bodies_is_read():
    one = interaction(json.dumps(ASKED), "")
    one["response"]["body"] = {"base64_string": base64.b64encode(PACKED).decode()}
    assert said(read(one, as_json=True)[0])[1] == ("assistant", "yo")


def test_an_archive_of_polly_holds_what_was_packed_in_pieces():
    coded = json.dumps([base64.b64encode(piece).decode() for piece in (PACKED[:10], PACKED[10:31], PACKED[31:])])
    held = {"encoding": "base64", "mimeType": "application/json", "text": coded}
    asked = {"url": URL, "postData": {"text": json.dumps(ASKED)}}
    entries = [
        {"request": asked, "response": {"status": 200, "content": held}, "startedDateTime": "2026-03-01T10:00:00Z"}
    ]
    assert said(load(json.dumps({"log": {"version": "1.2", "entries": entries}}).encode())[0])[1] == ("assistant", "yo")


def test_packed_bodies_share_what_may_be_unpacked(monkeypatch):
    monkeypatch.setattr("historylab.formats.files.wire_bodies.MOST_UNPACKED", 10_000)
    packed = gzip.compress(json.dumps(ANSWER).replace("yo", "o" * 6_000).encode())
    one = interaction(json.dumps(ASKED), packed)
    assert len(read(one)[0]) == 2
    with pytest.raises(TooLarge, match="the packed bodies in this file hold more than 0 MB"):
        read(*[one] * 3)


def test_rubys_interactions_have_times():
    one = {**interaction(json.dumps(ASKED), json.dumps(ANSWER)), "recorded_at": "2026-03-01T10:00:00Z"}
    loaded = load(yaml.safe_dump({"http_interactions": [one], "recorded_with": "VCR 6.2.0"}).encode())
    assert loaded[0][0].timestamp == "2026-03-01T10:00:00Z"


def test_calls_that_go_on_from_each_other_are_one_conversation():
    more = [*ASKED["messages"], {"role": "assistant", "content": "yo"}, {"role": "user", "content": "bye"}]
    second = {**ASKED, "messages": more}
    (conversation,) = read(*(interaction(json.dumps(asked), json.dumps(ANSWER)) for asked in (ASKED, second)))
    assert [m.content for m in conversation] == ["hi", "yo", "bye", "yo"]
    assert len([u for u in conversation.recorded.usage if u]) == 2


def test_other_traffic_and_what_failed_before_an_answer_are_counted():
    other = interaction(json.dumps({"q": "tea"}), "{}", "https://api.example/search")
    failed, done = interaction(json.dumps(ASKED), "{}", status=529), interaction(json.dumps(ASKED), json.dumps(ANSWER))
    loaded = read(other, failed, done)
    assert len(loaded) == 1
    assert list(loaded.report.skipped) == ["traffic that calls no model", "a model call that failed (status 529)"]
    assert loaded.report.passed == 2


def test_a_call_without_any_answer_is_read_and_named():
    loaded = read(interaction(json.dumps(ASKED), "{}", status=529))
    assert said(loaded[0]) == [("user", "hi")]
    assert list(loaded.report.warnings) == ["a model call that failed (status 529)"]


@pytest.mark.parametrize("file", ["vcr/kettle.yaml", "har/kettle.har"])
def test_no_key_of_a_header_or_an_address_is_kept(file):
    data = (SAMPLES / file).read_bytes()
    assert b"SECRET" in data
    loaded = load(data, name=file)
    assert not any("SECRET" in repr((list(c), c.metadata, c.title)) for c in loaded)


def test_no_key_of_a_body_is_kept():
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1v" * 2
    asked = {**ASKED, "api_key": key, "metadata": {"token": "f3a9c1d27b64e850aa13"}}
    loaded = read(interaction(json.dumps(asked), json.dumps(ANSWER)))
    assert loaded[0].metadata["api_key"] == loaded[0].metadata["metadata"]["token"] == "[redacted]"
    assert any("left out" in warning for warning in loaded.report.warnings)


def test_an_archive_gives_the_model_of_a_path_and_times():
    (conversation,) = load(SAMPLES / "har/kettle.har")
    assert [m.content for m in conversation] == ["Is the kettle on?", "Yes, since ten.", "Thanks", "You are welcome."]
    assert conversation.recorded.model == "gemini-3-flash"
    assert conversation[0].timestamp == "2026-03-01T10:00:01.000Z"


def test_an_archive_without_calls_of_models_says_what_was_in_it():
    entry = {"request": {"url": "https://x.example/a.css"}, "response": {}}
    with pytest.raises(LoadError, match="1 × traffic that calls no model"):
        load(json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode())


@pytest.mark.parametrize(
    "text",
    [
        "interactions:\n- request: [",
        "interactions:\n- &a\n  request: *a\n  response: *a\n",
        "interactions:\n- " + "[" * 20_000,
        "interactions:\n- a: &a [1,2,3,4,5,6,7,8,9]\n"
        + "".join(f"- {b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)),
    ],
    ids=["broken", "within itself", "too deep", "aliases"],
)
def test_yaml_that_cannot_be_read_is_refused_in_words(text):
    with pytest.raises(LoadError, match=r"the YAML in it is broken|aliases|no message"):
        load(text.encode())


def test_without_pyyaml_the_refusal_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(LoadError, match=r"pip install \"historylab\[formats\]"):
        load(SAMPLES / "vcr/kettle.yaml")


@pytest.mark.parametrize(
    "value", [1, "a", None, [], {"body": 1}, {"body": {"string": 3}}, {"body": {"base64_string": "?"}}]
)
def test_interactions_of_other_kinds_are_counted(value):
    good = interaction(json.dumps(ASKED), json.dumps(ANSWER))
    odd = {"request": value, "response": value}
    loaded = read(good, odd, as_json=True)
    assert loaded.report.skips == 1
    assert len(loaded) == 1
