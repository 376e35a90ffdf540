"""Whom the proxy answers, and what it refuses to read in two ways, pass on elsewhere or hold in memory."""

from __future__ import annotations

import socket

import httpx2
import pytest
from chat_server import body
from proxy_server import RunningProxy, chat, running_proxy, until

CHAT = "/v1/chat/completions"
LARGEST = 2000


def answer_to(proxy: RunningProxy, head: str, content: bytes = b"") -> bytes:
    """How what comes back begins, for a request as it is written here."""
    with socket.create_connection(proxy.address, timeout=30) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + content)
        answer = connection.recv(65_536)
        while answer.startswith(b"HTTP/1.1 100"):  # who leaves now is answered no further
            answer = answer.partition(b"\r\n\r\n")[2] or connection.recv(65_536)
        return answer


def all_answers_to(proxy: RunningProxy, head: str, content: bytes) -> bytes:
    """All that comes back until the proxy closes the connection."""
    with socket.create_connection(proxy.address, timeout=30) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + content)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def status_of(answer: bytes) -> int:
    return int(answer.split()[1])


@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1.evil.example", "evil@127.0.0.1", "0.0.0.0", "", "[::1"])
def test_only_those_who_ask_by_its_own_name_are_answered(proxy, upstream, host):
    assert status_of(answer_to(proxy, f"GET /v1/models HTTP/1.1\nHost: {host}")) in (400, 403)
    assert upstream.heads == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8484", "[::1]:9"])
def test_every_name_of_this_machine_is_its_own(client, host):
    assert client.get("/historylab/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:3000", "null", "", "file://"])
def test_a_web_page_is_refused(client, upstream, origin):
    refused = client.post(CHAT, json=chat("a"), headers={"Origin": origin})
    assert refused.status_code == 403 and "historylab_origin" in refused.text and upstream.heads == []


def test_so_is_one_that_a_browser_names_by_its_own_headers(client, upstream):
    assert client.get("/v1/models", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert upstream.heads == []


def test_a_token_is_asked_of_all_and_passed_on_to_nobody(upstream):
    upstream.behaviours = [body("{}")]
    with running_proxy(upstream.url, tokens=["first-token", "second-token"]) as proxy:
        for given in ({}, {"Historylab-Token": "no"}, {"Authorization": "Bearer first-token"}):
            assert httpx2.get(f"{proxy.url}/v1/models", headers=given).status_code == 401
        assert httpx2.get(f"{proxy.url}/historylab/health").status_code == 401
        for token in ("first-token", "second-token"):
            httpx2.get(f"{proxy.url}/v1/models", headers={"Historylab-Token": token}).raise_for_status()
    assert len(upstream.heads) == 2 and "token" not in str(upstream.heads)


@pytest.mark.parametrize(
    "target",
    [
        *("http://other.example/v1/models", "//other.example/v1/models", "/v1//other.example", "/v1/../../secrets"),
        *("/v1/%2e%2e/secrets", "/v1/a%2F..%2Fb", "/v1/\\other.example", "/v1/a%0d%0aHost:%20b", "/admin", "*"),
    ],
)
def test_no_target_leads_anywhere_but_below_the_upstreams_address(proxy, upstream, target):
    head = f"GET {target} HTTP/1.1\nHost: localhost"
    assert status_of(answer_to(proxy, head)) in (400, 404) and upstream.heads == []


@pytest.mark.parametrize(
    "lines",
    [
        "Content-Length: 2\nContent-Length: 3",
        "Content-Length: 2\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, identity",
        "Content-Length: -1",
        "Content-Length: +2",
        "Content-Length: two",
        "Content-Length : 2",
        "X-A: b\rContent-Length: 2",
        "X-A: b\0",
        "Bad Name: b",
        "Host: other.example",
    ],
)
def test_what_two_servers_may_read_in_two_ways_is_refused(proxy, upstream, lines):
    answer = answer_to(proxy, f"POST {CHAT} HTTP/1.1\nHost: localhost\n{lines}", b"{}")
    assert status_of(answer) in (400, 403, 501) and upstream.heads == []


def test_a_websocket_is_refused_so_that_its_client_asks_by_http_instead(proxy, upstream):
    asked = (
        "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAA=="
    )
    assert status_of(answer_to(proxy, f"GET /v1/responses HTTP/1.1\nHost: localhost\n{asked}")) == 426
    assert upstream.heads == []


@pytest.mark.parametrize("host", ["localhost", "other.example"])
def test_nothing_is_read_behind_a_request_whose_end_is_in_doubt(proxy, upstream, host):
    head = f"POST {CHAT} HTTP/1.1\nHost: {host}\nContent-Length: 9\nTransfer-Encoding: chunked"
    smuggled = b"0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answers = all_answers_to(proxy, head, smuggled)
    assert answers.count(b"HTTP/1.1 ") == 1 and status_of(answers) == 400
    assert b"connection: close" in answers and upstream.heads == []


@pytest.mark.parametrize("path", ["/admin", "/v1/models", CHAT])
def test_the_body_of_a_refused_request_is_not_the_next_one(small, upstream, path):
    """A path that isn't passed on, a web page, a body that is too large: all are refused before it is read."""
    text = b"GET /v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n".ljust(LARGEST + 1)
    origin = "" if path == CHAT else "\nOrigin: http://evil.example"
    head = f"POST {path} HTTP/1.1\nHost: localhost\nContent-Length: {len(text)}{origin}"
    last = b"GET /historylab/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answers = all_answers_to(small, head, text + last)
    assert answers.count(b"HTTP/1.1 ") == 2 and b'"version"' in answers and upstream.heads == []


@pytest.mark.parametrize(
    "lines", ["Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABk", "Expect: 100-continue"]
)
def test_what_clients_offer_besides_is_passed_over(proxy, upstream, lines):
    upstream.behaviours = [body("{}")]
    answer = answer_to(proxy, f"POST {CHAT} HTTP/1.1\nHost: localhost\nContent-Length: 2\n{lines}", b"{}")
    assert status_of(answer) in (100, 200)
    got = until(lambda: upstream.heads)[0].headers
    assert not {"upgrade", "http2-settings", "expect"} & got.keys()


def test_a_tunnel_is_refused(proxy, upstream):
    assert status_of(answer_to(proxy, "CONNECT other.example:443 HTTP/1.1\nHost: localhost")) in (400, 404)
    assert upstream.heads == []


def test_headers_are_bounded(proxy, upstream):
    head = f"GET /v1/models HTTP/1.1\nHost: localhost\nX-A: {'a' * 100_000}"
    assert status_of(answer_to(proxy, head)) == 431 and upstream.heads == []


def test_so_is_the_beginning_of_a_request_that_never_ends(proxy, upstream):
    assert status_of(answer_to(proxy, f"GET /v1/models?{'a' * 1_000_000} HTTP/1.1\nHost: localhost")) in (400, 431)
    assert upstream.heads == []


@pytest.fixture(scope="module")
def small(upstream):
    with running_proxy(upstream.url, largest=LARGEST) as proxy:
        yield proxy


def test_bodies_are_bounded_by_what_is_said_of_them(small, upstream):
    refused = httpx2.post(f"{small.url}{CHAT}", content=b"x" * (LARGEST + 1))
    assert refused.status_code == 413 and "2,000 bytes" in refused.json()["error"]["message"] and upstream.heads == []


def test_bodies_are_bounded_by_what_comes(small, upstream):
    pieces = (b"x" * 500 for _ in range(100))
    assert httpx2.post(f"{small.url}{CHAT}", content=pieces).status_code == 413 and upstream.heads == []


def test_a_body_in_pieces_arrives_whole(small, upstream):
    pieces = (piece.encode() for piece in ('{"model": "m", "messages": [{"role": "user",', ' "content": "a"}]}'))
    httpx2.post(f"{small.url}{CHAT}", content=pieces).raise_for_status()
    assert upstream.requests == [{"model": "m", "messages": [{"role": "user", "content": "a"}]}]


def test_health_counts_and_quotes_nothing(client):
    client.post(CHAT, json=chat("a s3cret"), headers={"Authorization": "Bearer sk-s3cret"})
    health = client.get("/historylab/health")
    assert health.json()["counts"]["sent_whole"] >= 1 and "s3cret" not in health.text
