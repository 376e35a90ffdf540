"""What the proxy says of itself: its counts as Prometheus reads them, and in sentences what is wrong now."""

from __future__ import annotations

import httpx2
import pytest
from chat_server import ChatServer, body, status
from prometheus_client.parser import text_string_to_metric_families
from proxy_process import write_settings
from proxy_server import chat, running_proxy

from historylab.proxy.counts import BOUNDS
from historylab.settings.model import Settings

CHAT = "/v1/chat/completions"


def metrics_of(client: httpx2.Client) -> dict[str, float]:
    """The value of each sample, by its name and labels."""
    answer = client.get("/metrics").raise_for_status()
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        sample.name + "".join(f" {name}={value}" for name, value in sample.labels.items()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """The metrics after six requests of which each goes another way."""
    file = write_settings(tmp_path_factory.mktemp("settings") / "s.json", Settings(policy="lastN", length=1))
    with (
        ChatServer(*[body("{}")] * 3, status(429), body("{}")) as upstream,
        running_proxy(upstream.url, file) as proxy,
        httpx2.Client(base_url=proxy.url, timeout=30) as client,
    ):
        client.post(CHAT, json=chat("a", "b", "c"))
        client.post(CHAT, json=chat("a"))
        client.post(CHAT, json={"messages": 7})
        client.post(CHAT, json=chat("a"))
        client.get("/v1/models")
        client.get("/admin")
        yield metrics_of(client)


def test_each_request_is_counted_under_one_outcome(counted):
    outcomes = {
        name.partition("=")[2]: n for name, n in counted.items() if name.startswith("historylab_requests_total")
    }
    assert outcomes == {"trimmed": 1, "whole": 2, "watched": 0, "untrimmed": 1, "passed_through": 1, "refused": 1}


def test_causes_and_errors_are_counted_by_what_they_are(counted):
    assert counted["historylab_untrimmed_total cause=shape"] == 1
    assert counted["historylab_refused_total cause=path"] == 1
    assert counted["historylab_upstream_errors_total status=4xx"] == 1
    assert counted["historylab_upstream_errors_total status=none"] == 0
    assert counted["historylab_store_up"] == 1


def test_tokens_are_counted_before_and_after(counted):
    assert counted["historylab_tokens_before_total"] > counted["historylab_tokens_sent_total"] > 0


def test_the_time_of_each_decision_is_in_one_bucket(counted):
    buckets = [n for name, n in counted.items() if name.startswith("historylab_decision_seconds_bucket")]
    assert len(buckets) == len(BOUNDS) + 1 and buckets == sorted(buckets)
    assert buckets[-1] == counted["historylab_decision_seconds_count"] == 4
    assert counted["historylab_decision_seconds_sum"] > 0


def test_metrics_are_for_those_who_have_the_token(upstream):
    with running_proxy(upstream.url, tokens=["first-token"]) as proxy:
        assert httpx2.get(f"{proxy.url}/metrics").status_code == 401
        assert httpx2.get(f"{proxy.url}/metrics", headers={"historylab-token": "first-token"}).status_code == 200


def test_an_upstream_that_gives_no_answer_is_counted_as_such():
    with running_proxy("http://127.0.0.1:9") as proxy, httpx2.Client(base_url=proxy.url) as client:
        assert client.post(CHAT, json=chat("a")).status_code == 502
        assert metrics_of(client)["historylab_upstream_errors_total status=none"] == 1


def test_health_says_in_a_sentence_what_is_wrong(client, settings):
    assert client.get("/historylab/health").json()["problems"] == []
    good = settings.read_text("utf-8")
    settings.write_text("{", encoding="utf-8")
    try:
        client.post(CHAT, json=chat("a"))
        (problem,) = client.get("/historylab/health").json()["problems"]
    finally:
        settings.write_text(good, encoding="utf-8")
    assert problem.startswith("The settings stay as they were: ") and str(settings) in problem
