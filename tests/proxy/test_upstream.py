"""Requests go to one server, below its address, whatever a path or query says."""

from __future__ import annotations

import pytest

from historylab.errors import SettingsError
from historylab.proxy.upstream import Upstream


def asked(upstream: str, path: str = "/v1/messages", query: str = "") -> str:
    return str(Upstream(upstream).request("POST", path.encode(), query.encode(), [], b"").url)


@pytest.mark.parametrize(
    ("upstream", "url"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1/messages"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/messages"),
        ("https://models.example/openai/v1", "https://models.example/openai/v1/messages"),
        ("https://models.example/anthropic", "https://models.example/anthropic/v1/messages"),
        ("https://models.example/v1beta/openai", "https://models.example/v1beta/openai/messages"),
        ("http://[::1]:8000", "http://[::1]:8000/v1/messages"),
    ],
)
def test_the_version_stands_once_in_what_is_asked(upstream, url):
    assert asked(upstream) == url


@pytest.mark.parametrize(
    ("upstream", "path", "url"),
    [
        ("https://x.example", "/openai/deployments/D/chat/completions", "/openai/deployments/D/chat/completions"),
        ("https://x.example/openai", "/openai/deployments/D/responses", "/openai/deployments/D/responses"),
        ("https://x.example/api/paas/v4", "/v1/chat/completions", "/api/paas/v4/chat/completions"),
        ("https://x.example/api/paas/v4", "/api/paas/v4/chat/completions", "/api/paas/v4/chat/completions"),
        ("https://x.example/api/paas/v4", "/chat/completions", "/api/paas/v4/chat/completions"),
        ("https://x.example/v1beta", "/v1beta/models", "/v1beta/models"),
        ("https://x.example", "/v1beta/models", "/v1beta/models"),
        ("https://x.example/open", "/openai/v1/responses", "/open/openai/v1/responses"),
    ],
)
def test_a_path_that_begins_with_the_upstream_s_own_is_asked_for_once(upstream, path, url):
    assert asked(upstream, path) == f"https://x.example{url}"


def test_a_query_is_passed_on_as_it_came():
    assert asked("http://127.0.0.1:9", query="beta=true&next=http://other.example/") == (
        "http://127.0.0.1:9/v1/messages?beta=true&next=http://other.example/"
    )


@pytest.mark.parametrize(
    "url",
    [
        *("", "api.openai.com", "ftp://models.example", "file:///etc/passwd", "https://", "http://models.example:no"),
        *("https://models.example/../v1", "https://models.example/v1?key=1", "https://models.example/v1#a"),
        *("https://key@models.example", "https://user:key@models.example/v1", "https://models.example/a%2fb"),
    ],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(SettingsError, match="upstream") as refused:
        Upstream(url)
    assert "user:key" not in str(refused.value) and "key=1" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        *(("http://models.example", True), ("http://8.8.8.8/v1", True)),
        *(("https://models.example", False), ("http://127.0.0.1:9", False), ("http://10.0.0.7", False)),
        *(("http://vllm:8000", False), ("http://gpu.local", False)),
    ],
)
def test_keys_that_would_cross_the_internet_in_the_open_are_noticed(url, shown):
    assert Upstream(url).shows_keys is shown
