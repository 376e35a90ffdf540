"""What is sent in the form of an API is counted: it has no more tokens than the Trimmer's plan says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from conversation_strategies import conversations, settings
from every_way import every_way
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from request_forms import FIELDS, FORMATS, WRITERS, items_in
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, plan_history
from historylab.conversation.message import Message
from historylab.counters.base import counter_for
from historylab.errors import NothingToSend
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.requests import open_request
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.returned import read_summary

WAYS = every_way()
TIGHT = [name for name in WAYS if name.endswith("tight")]


def as_sent(form: str, given: Any, heading: str) -> list[Message]:
    """The messages of a list or body with all their words: read again, but for what marks a summary."""

    def is_summary(text: str) -> bool:
        return read_summary(Message("system", text), heading) is not None

    request = open_request(given, FORMATS[form.partition(" ")[0]], is_summary=is_summary)
    said = [message for _, group in request.form.groups(request.items) for message in group]
    if form.startswith(("anthropic", "gemini")):
        said = [replace(m, content=mark_summary(m.content)) if m.role == "system" else m for m in said]
    instructions = given.get("instructions") if isinstance(given, dict) else None
    return [*([Message("system", instructions)] if instructions else request.systems), *said]


def sent_in_turn(form: str, chosen: Settings, reassigned: bool) -> Iterator[tuple[HistoryPlan, Any]]:
    """Of each request in the thirty turns its plan, and what is sent; which takes the list's place if `reassigned`."""
    trimmer, write = Trimmer(chosen, format=FORMATS[form.partition(" ")[0]]), WRITERS[form]
    sent: Any = None
    answer: list[Any] = []
    known = 0
    for history, answered in requests_of(thirty_turns()):
        given = write(history)
        if reassigned and known:
            items = [*items_in(sent), *answer, *items_in(given)[known:]]
            given = items if isinstance(given, list) else {**sent, FIELDS[form.partition(" ")[0]]: items}
        sent = trimmer.trim(given)
        yield trimmer.plan(given), sent
        asked, items = len(items_in(write(history))), items_in(write([*history, answered]))
        answer, known = items[asked:], len(items)


def tokens_of(form: str, sent: Any, chosen: Settings) -> int:
    counter = counter_for(chosen)
    return int(counter.count(as_sent(form, sent, chosen.summary_heading)).sum()) + counter.per_request


def assert_all_is_counted(form: str, chosen: Settings, reassigned: bool) -> int:
    """That no request has more tokens than its plan says; how many have more than replay shows."""
    added = 0
    for plan, sent in sent_in_turn(form, chosen, reassigned):
        assert tokens_of(form, sent, chosen) <= plan.tokens
        added += plan.added > 0
    return added


@pytest.mark.parametrize("reassigned", [False, True], ids=["kept", "re-assigned"])
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("anthropic list", "pruner summarize"),  # a mark
        ("anthropic body", "toolpack, tight"),  # a user's turn before the first answer
        ("responses body", "pruner summarize"),  # a mark, in the instructions
    ],
)
def test_what_the_form_of_an_api_adds_is_counted(form, name, reassigned):
    assert assert_all_is_counted(form, WAYS[name].replace(counter="chars/4"), reassigned) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "name"),
    list(zip(cycle(("anthropic list", "anthropic body", "responses body")), TIGHT, strict=False)),
)
def test_and_so_it_is_under_every_preset_where_what_was_sent_takes_the_lists_place(form, name):
    assert_all_is_counted(form, WAYS[name].replace(counter="characters"), reassigned=True)


@examples(max_examples=60)
@given(conversations(), settings(), st.sampled_from(list(WRITERS)), st.sampled_from(["characters", "chars/4", "exact"]))
def test_of_any_history_no_request_has_more_tokens_than_its_plan_says(conversation, chosen, form, counter):
    chosen, given_now = chosen.replace(counter=counter), WRITERS[form]([to_record(message) for message in conversation])
    trimmer = Trimmer(chosen, format=FORMATS[form.partition(" ")[0]])
    with suppress(NothingToSend):  # as of an orphaned result alone
        for _ in range(2):
            plan, sent = trimmer.plan(given_now), trimmer.trim(given_now)
            assert tokens_of(form, sent, chosen) <= plan.tokens
            given_now = sent


def test_what_the_form_of_an_api_adds_changes_no_decision_and_is_said(caplog, monkeypatch):
    monkeypatch.setattr("historylab.trimming.warn._said", set())
    said = [("user", "a" * 50), ("assistant", "b" * 40), ("user", "c" * 10)]
    history = [{"role": role, "content": text} for role, text in said]
    chosen = Settings(policy="all", budget=50, min_turns=0, counter="characters", **{"pruner.fifo.unit": "block"})
    shown = plan_history(Conversation(to_messages(history)), chosen)
    trimmer = Trimmer(chosen, format="anthropic")
    plan, sent = trimmer.plan(history), trimmer.trim(history)
    assert sent == [{"role": "user", "content": "[…]"}, *history[1:]]
    assert (plan.sketch(), plan.tokens, plan.over_budget) == (shown.sketch(), 53, True) == ("DKK", 53, True)
    assert (shown.tokens, shown.over_budget) == (50, False)
    assert "though the request is over the budget" in plan.reason(1).sentence
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "53 tokens for a budget of 50" in warning
    assert "3 in what the form of this API adds" in warning
    assert "A budget of 53 would do" in warning
    assert not Trimmer(chosen.replace(budget=53), format="anthropic").plan(history).over_budget
