"""Sessions of the Agent Development Kit: sessions and lists of events, whatever stands in them."""

from __future__ import annotations

import json

import pytest

from historylab.formats.load import load

SAID = {"author": "user", "invocationId": "e", "content": {"parts": [{"text": "hi"}]}}
DONE = {"author": "pilot", "invocation_id": "e", "content": {"role": "model", "parts": [{"text": "hello"}]}}


def loaded(value: object):
    return load(json.dumps(value).encode(), name="session.json")


@pytest.mark.parametrize("file", [[SAID, DONE], {"id": "s", "events": [SAID, DONE]}], ids=["list", "session"])
def test_events_are_messages_by_their_author_where_no_role_is_named(file):
    (conversation,) = loaded(file)
    assert [(m.role, m.content) for m in conversation] == [("user", "hi"), ("assistant", "hello")]


def test_an_event_that_says_nothing_is_passed_over_and_what_is_none_is_skipped():
    found = loaded({"events": [SAID, {**DONE, "partial": True}, {**DONE, "content": None}, 7, DONE]})
    assert (len(found[0]), found.report.skips, found.report.passed) == (2, 3, 2)


@pytest.mark.parametrize("wrong", [3, [], "x", None, {"parts": 4}, {"role": 5, "parts": [3, None, {"text": 2}]}])
def test_wrong_kinds_of_values_are_counted(wrong):
    found = loaded([SAID, {**DONE, "content": wrong, "usageMetadata": wrong, "timestamp": wrong, "id": wrong}])
    assert found[0][0].content == "hi"
