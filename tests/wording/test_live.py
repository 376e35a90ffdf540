"""Sentences on a recording that is watched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from historylab.conversation.exchange import Exchange
from historylab.costs.cache_reads import CacheReads
from historylab.costs.lost_prefix import LostPrefix
from historylab.recordings.exchange import line_time
from historylab.recordings.watch import ProxyStart
from historylab.wording.live import cache_reads_sentence, check_in_words, clock_time, faults_in_words, proxy_sentence

NOON = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC).timestamp()


def request(**about) -> Exchange:
    return Exchange(ended=line_time(NOON), **{"status": 200, "mode": "trim", **about})


def test_a_time_of_today_has_no_date():
    now = datetime.now(UTC)
    assert clock_time(now.timestamp(), UTC) == f"{now:%H:%M:%S}"
    assert clock_time((now - timedelta(days=3)).timestamp(), UTC).startswith(f"{now - timedelta(days=3):%Y-%m-%d}")


def test_a_conversation_that_may_be_of_several_people_says_so():
    assert "may be of several people" in " ".join(faults_in_words([request(), request(ambiguous=True)], UTC))


@pytest.mark.parametrize(
    ("mode", "settings", "said"),
    [
        ("trim", {"policy": "all", "budget": 900}, "in front of https://x trims: FIFO to 900 over all messages."),
        ("audit", {"policy": "all", "budget": 900}, "only watches (audit) and would trim: FIFO to 900"),
        ("audit", {"policy": "all", "pruner": "off"}, "only watches (audit), keeping all messages."),
        ("trim", {"prunner": "x"}, "settings that this version can't read"),
    ],
)
def test_a_proxy_says_what_it_does(mode, settings, said):
    assert said in proxy_sentence(ProxyStart(NOON, mode, settings, "", "https://x"), UTC)


def test_faults_are_counted_and_the_newest_named_with_their_time():
    assert list(faults_in_words([request()], UTC)) == []
    (one,) = faults_in_words([request(status=503)], UTC)
    assert one == "The one request failed: at 2026-03-01 12:00 (status 503)."
    many = [request(), *(request(error=f"no. {k}") for k in range(5))]
    (said,) = faults_in_words(many, UTC)
    assert said.startswith("5 of 6 requests failed: the newest at 2026-03-01 12:00 (no. 2), ")


def test_each_cause_is_named_once_with_how_often_it_came():
    kept = "earlier items are with the provider, as previous_response_id says"
    found = [request(untrimmed="shape", because=kept), request(untrimmed="store"), request(because=kept), request()]
    assert list(faults_in_words(found, UTC)) == [
        "3 of 4 requests went through untrimmed: at 2026-03-01 12:00 (store), "
        f"2 times, last at 2026-03-01 12:00 ({kept})."
    ]


def test_what_was_only_watched_is_no_fault_of_its_own():
    found = list(faults_in_words([request(mode="audit", untrimmed="audit"), request(untrimmed="a fault")], UTC))
    assert found == [
        "1 of 2 requests went through untrimmed: at 2026-03-01 12:00 (a fault).",
        "1 of 2 requests was only watched (audit): it was sent whole.",
    ]


def test_it_is_said_how_much_was_left_out_as_secret():
    (said,) = faults_in_words([request(redacted=2), request(), request(redacted=1)], UTC)
    assert (
        said
        == "2 of 3 requests held keys or other secrets: they are not recorded, and 3 places say [redacted] instead."
    )


def test_cache_reads_are_said_with_what_was_lost():
    lost = LostPrefix(8, 9000, 0, "cut", 60, 300)
    said = cache_reads_sentence(CacheReads(19, 20, 41_200, 43_000, (lost,)))
    assert said.startswith("Read from the cache for 19 of 20 requests: 41,200 tokens as reported, 43,000 predicted.")
    assert said.endswith("1 of 20 requests lost the prefix it had in the cache: request 9 (the cut moved).")
    assert cache_reads_sentence(CacheReads(2, 2, 0, 0, ())) == (
        "Nothing was read from a cache, as reported and as predicted."
    )
    assert cache_reads_sentence(None) == "The provider reported no usage yet."


@pytest.mark.parametrize(
    ("otherwise", "of", "said"),
    [
        ((), 1, "the same at 1 request."),
        ((), 12, "the same at all 12 requests."),
        ((2,), 12, "otherwise at 1 request (3); what is drawn is what was recorded."),
        ((0, 2, 4, 6), 12, "otherwise at 4 requests (1, 3, 5, …); what is drawn is what was recorded."),
    ],
)
def test_a_check_says_where_a_new_plan_differs(otherwise, of, said):
    assert check_in_words(otherwise, of) == f"Planned again, this version decides {said}"
