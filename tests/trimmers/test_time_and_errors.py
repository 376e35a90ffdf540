"""Faults of a trimmer that neither end us nor are quoted whole: keys in errors, endless lists, slow objects."""

from __future__ import annotations

import time
from itertools import repeat

import pytest
from sketches import conv

from historylab import replay

CHAT = conv("u a u")
KEY = "sk-proj-AbCdEf0123456789AbCdEf0123456789AbCdEf01"


def first_error(trimmer, **how):
    return next(iter(replay(CHAT, trimmer=trimmer, **how).errors.values()))


class SaysNothing(Exception):
    def __str__(self):
        raise KeyboardInterrupt


class Hung(dict):
    """A message that gives no answer when it is read."""

    def get(self, *_):
        time.sleep(60)


class Ends:
    """An object that ends the process when it is read."""

    def model_dump(self, **_):
        raise SystemExit(0)


def test_a_key_in_an_error_is_not_quoted():
    def refuse(messages):
        raise ValueError(f"bad key {KEY} for this host")

    assert first_error(refuse) == "it raised ValueError: bad key [redacted] for this host"


def test_a_key_in_what_cannot_be_read_is_not_quoted():
    assert KEY not in first_error(lambda messages: [{"role": KEY}, {"role": 3, "content": KEY}, KEY])


def test_an_error_without_words_has_its_kind():
    def fail(messages):
        raise SaysNothing

    assert first_error(fail) == "it raised SaysNothing"


async def endless(messages):
    while True:
        yield messages[0]


@pytest.mark.parametrize("trimmer", [lambda messages: repeat(messages[0]), endless])
def test_an_endless_list_ends(trimmer):
    assert first_error(trimmer) == "it returned more than 100,000 messages"


def test_a_message_that_is_slow_to_read_counts_towards_the_time():
    assert first_error(lambda messages: [Hung(role="user", content="x")], seconds=0.05) == "it gave no answer in 0.05 s"


def test_a_message_that_ends_the_process_is_an_error_of_its_request():
    assert first_error(lambda messages: [Ends()]).startswith("what it returned can't be read: SystemExit")


@pytest.mark.parametrize("seconds", ["x", 0, -1, float("nan"), None])
def test_seconds_are_a_number_above_zero(seconds):
    with pytest.raises(ValueError, match="seconds above 0"):
        replay(CHAT, trimmer=lambda messages: messages, seconds=seconds)


@pytest.mark.parametrize("seconds", [float("inf"), 1e10])
def test_a_trimmer_may_have_all_the_time(seconds):
    assert not replay(CHAT, trimmer=lambda messages: messages, seconds=seconds).errors
