"""What the settings decide is what is sent, and said in headers; a fault of ours costs nobody an answer."""

from __future__ import annotations

import gzip
import json
import logging

import httpx2
import pytest
from proxy_process import write_settings
from proxy_server import chat, running_proxy

from historylab import Settings, Trimmer
from historylab.errors import StoreError
from historylab.trimming.trimmer import Trimmer as Planner

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
SAID = [f"message {k}" for k in range(9)]
CLAUDE = {"model": "claude-opus-4-5", "max_tokens": 9, "system": "Be brief.", "messages": chat(*SAID)["messages"]}
ITEMS = {"model": "gpt-5.5", "input": chat(*SAID)["messages"]}


@pytest.mark.parametrize(("path", "body"), [(CHAT, chat(*SAID)), (MESSAGES, CLAUDE), (RESPONSES, ITEMS)])
def test_each_api_is_sent_what_the_trimmer_sends(client, upstream, path, body):
    client.post(path, json=body)
    assert upstream.requests == [Trimmer(Settings(policy="lastN", length=2)).trim(body)]
    assert upstream.requests[0] != body


def test_headers_say_what_was_decided(client):
    headers = client.post(CHAT, json=chat(*SAID)).headers
    assert headers["historylab-decisions"] == "D6K3" and headers["historylab-mode"] == "trim"
    sent, before, budget = (int(part.partition("=")[2]) for part in headers["historylab-tokens"].split())
    assert sent < before < budget == 8000
    assert headers["historylab-request"].startswith("r-") and "historylab-untrimmed" not in headers


def test_a_header_says_how_many_system_messages_stand_in_the_system_field_for_want_of_a_place(client, upstream):
    told = [{"role": "system", "content": f"Rule {k}."} for k in range(2)]
    asked, answered, *others = CLAUDE["messages"]
    body = {**CLAUDE, "messages": [asked, told[0], answered, *others, told[1]]}
    assert "historylab-moved" not in client.post(MESSAGES, json=body).headers
    body = {**CLAUDE, "messages": [asked, told[0], answered, *others[:5], told[1], *others[5:]]}
    assert client.post(MESSAGES, json=body).headers["historylab-moved"] == "system=1"
    assert [block["text"] for block in upstream.requests[1]["system"]] == ["Be brief.", "Rule 0."]


def test_no_text_of_a_message_stands_in_a_header(client):
    answer = client.post(CHAT, json=chat("s3cret\r\nhistorylab-x: 1", *SAID[1:]))
    assert "s3cret" not in str(answer.headers) and "historylab-x" not in answer.headers


def test_an_audit_decides_and_sends_what_came(upstream, settings):
    sent = json.dumps(chat(*SAID), indent=1).encode()
    with running_proxy(upstream.url, settings, mode="audit") as proxy:
        headers = httpx2.post(f"{proxy.url}{CHAT}", content=sent).headers
        assert upstream.bytes == [sent] and proxy.app.counts.watched == 1
    assert headers["historylab-mode"] == "audit" and headers["historylab-decisions"] == "D6K3"


def test_settings_that_change_are_in_effect_at_the_next_request(client, upstream, settings, request):
    request.addfinalizer(lambda: write_settings(settings, Settings(policy="lastN", length=2)))
    write_settings(settings, Settings(policy="lastN", length=3))
    client.post(CHAT, json=chat(*SAID))
    settings.write_text("{")
    client.post(CHAT, json=chat(*SAID))
    assert [len(body["messages"]) for body in upstream.requests] == [5, 5]
    assert "not valid JSON" in client.get("/historylab/health").json()["settings_file"]["problem"]


UNTRIMMED = {
    "unreadable": [b"", b"{", b"[1]", b'{"messages": [], "messages": [{}]}', b"\xff", b"1" * 5000],
    "shape": [b"{}", b'{"messages": 5}', b'{"messages": [{"role": 1}]}', b'{"messages": [7]}'],
}


@pytest.mark.parametrize(("why", "sent"), [(why, sent) for why, bodies in UNTRIMMED.items() for sent in bodies])
def test_what_cannot_be_read_goes_through_as_it_came_and_says_so(client, upstream, why, sent):
    upstream.behaviours = [lambda handler: handler.send(200, "{}")]
    answer = client.post(CHAT, content=sent)
    assert answer.headers["historylab-untrimmed"] == why and "historylab-decisions" not in answer.headers


def test_what_no_request_of_an_app_lets_be_trimmed_is_said_once_in_words_and_counted(upstream, settings, caplog):
    body = {"model": "gpt-5.5", "input": "And now?", "previous_response_id": "resp_1"}
    with running_proxy(upstream.url, settings) as proxy, httpx2.Client(base_url=proxy.url) as client:
        answers = [client.post(RESPONSES, json=body) for _ in range(3)]
        client.post(RESPONSES, json={"model": "gpt-5.5", "input": [{"type": "hologram"}]})
        client.post(RESPONSES, json={"model": "gpt-5.5", "input": [*ITEMS["input"], {"type": "hologram"}]})
        counts = client.get("/historylab/health").json()["counts"]
    assert [answer.headers["historylab-untrimmed"] for answer in answers] == ["shape"] * 3
    (kept, hologram), times = counts["untrimmed_because"], list(counts["untrimmed_because"].values())
    assert times == [3, 2] and counts["untrimmed"] == {"shape": 5}
    assert "with the provider, as previous_response_id says" in kept and "'hologram'" in hologram
    assert caplog.text.count(kept) == caplog.text.count(hologram) == 1


def test_so_does_what_is_compressed(client, upstream):
    upstream.behaviours = [lambda handler: handler.send(200, "{}")]
    sent = gzip.compress(json.dumps(chat(*SAID)).encode())
    answer = client.post(CHAT, content=b"{}", headers={"Content-Encoding": "gzip"})
    assert answer.headers["historylab-untrimmed"] == "unreadable" and upstream.bytes != [sent]


@pytest.mark.parametrize(("problem", "why"), [(StoreError("the disk is full"), "store"), (KeyError("oops"), "fault")])
def test_a_fault_of_ours_is_logged_without_the_text_it_quotes(client, upstream, monkeypatch, caplog, problem, why):
    def fails(*_):
        raise problem

    monkeypatch.setattr(Planner, "decide", fails)
    sent = json.dumps(chat(*SAID)).encode()
    with caplog.at_level(logging.WARNING):
        answer = client.post(CHAT, content=sent)
    assert answer.status_code == 200 and answer.headers["historylab-untrimmed"] == why and upstream.bytes == [sent]
    assert "trimmed" in caplog.text and "oops" not in caplog.text


def test_halves_of_an_emoji_are_trimmed_like_any_text(client, upstream):
    sent = json.dumps(chat(*SAID[:-1], "half \ud83d")).encode()
    client.post(CHAT, content=sent)
    assert [message["content"] for message in upstream.requests[0]["messages"]] == [*SAID[6:8], "half \ud83d"]


def test_a_compaction_that_a_client_asks_the_api_for_passes_untouched(client, upstream):
    upstream.behaviours = [lambda handler: handler.send(200, "{}")]
    sent = json.dumps(ITEMS).encode()
    answer = client.post("/v1/responses/compact", content=sent)
    assert answer.status_code == 200 and upstream.bytes == [sent]
    assert [name for name in answer.headers if name.startswith("historylab")] == []


@pytest.fixture(scope="module")
def guarded(upstream, tmp_path_factory):
    file = write_settings(tmp_path_factory.mktemp("guarded") / "settings.json", Settings(filter="newest"))
    with running_proxy(upstream.url, file) as proxy, httpx2.Client(base_url=proxy.url) as client:
        yield client


@pytest.mark.parametrize("sent", [b"{", b"{}", b'{"messages": [7]}', b'{"messages": [], "messages": []}'])
def test_where_a_filter_decides_what_may_leave_what_cannot_be_read_is_refused(guarded, upstream, sent):
    openai, anthropic = guarded.post(CHAT, content=sent), guarded.post(MESSAGES, content=sent)
    assert openai.status_code == anthropic.status_code == 422 and upstream.bytes == []
    assert openai.json()["error"]["type"] == anthropic.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(("path", "body"), [(CHAT, chat(*SAID)), (MESSAGES, CLAUDE), (RESPONSES, ITEMS)])
def test_a_request_of_which_a_filter_leaves_nothing_never_leaves(upstream, tmp_path, path, body):
    file = write_settings(tmp_path / "s.json", Settings(filter="participants", **{"filter.participants.ids": "Noor"}))
    with running_proxy(upstream.url, file) as proxy:
        refused = httpx2.post(f"{proxy.url}{path}", json=body)
    assert refused.status_code == 422 and upstream.bytes == []
    assert "the settings leave no message to be sent" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    "path",
    ["/v1/embeddings", "/v1/completions", "/app/v1/files", "/v1/messages/batches", "/v1/responses/compact"],
)
def test_so_is_then_other_text_that_no_filter_sees(guarded, upstream, path):
    assert guarded.post(path, json={"input": "x"}).status_code == 422 and upstream.bytes == []
    assert guarded.put(path, json={"input": "x"}).status_code == 422


def test_a_mistake_of_ours_is_then_an_error_of_the_server(guarded, upstream, monkeypatch):
    monkeypatch.setattr(Planner, "decide", lambda *_: 1 / 0)
    refused = guarded.post(CHAT, json=chat("a"))
    assert refused.status_code == 500 and refused.headers["x-should-retry"] == "false" and upstream.bytes == []


def test_then_what_asks_for_no_answer_or_can_be_filtered_passes(guarded, upstream):
    upstream.behaviours = [lambda handler: handler.send(200, "{}")]
    passed = [
        *(guarded.get("/v1/models"), guarded.post("/v1/messages/count_tokens", json={})),
        *(guarded.post(CHAT, json=chat("a")), guarded.post(MESSAGES, json=CLAUDE)),
    ]
    assert [answer.status_code for answer in passed] == [200] * 4
