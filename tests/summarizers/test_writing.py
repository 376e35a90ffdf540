"""One rule for every summary: its heading, its tokens, the messages it covers, and who wrote it."""

from __future__ import annotations

import pytest
from sketches import conv
from token_sketches import COUNTER

from historylab.conversation.message import Usage
from historylab.counters.base import count_text
from historylab.errors import InstrumentError
from historylab.summarizers.base import SummaryTask, Written
from historylab.summarizers.extractive import ExtractiveSummarizer
from historylab.summarizers.writing import write_summary

MESSAGES = list(conv("u:20 a:20 u:20"))
EXTRACTIVE = ExtractiveSummarizer()


class Gives:
    """A summarizer that gives the same each time."""

    name = "a test"

    def __init__(self, given):
        self.given = given

    def summarize(self, task):
        return self.given


def task(**changes) -> SummaryTask:
    return SummaryTask(MESSAGES, **{"max_tokens": 50, "counter": COUNTER} | changes)


def test_the_heading_comes_first_and_counts():
    summary = write_summary(task(), Gives("all of it"), made_at=9, heading="[Earlier]: ")
    assert (summary.text, summary.body, summary.heading) == ("[Earlier]: all of it", "all of it", "[Earlier]: ")
    assert summary.tokens == count_text(COUNTER, "[Earlier]: all of it")
    assert (summary.by, summary.note, summary.made_at) == ("a test", "", 9)


def test_it_covers_its_messages_and_those_of_the_summary_it_absorbs():
    assert write_summary(task(), Gives("x"), made_at=3).covers == 3
    assert write_summary(task(previous="old", previous_covers=7), Gives("x"), made_at=10).covers == 10


def test_a_text_of_any_length_is_taken_where_there_is_no_fallback():
    summary = write_summary(task(max_tokens=1), Gives(Written("far too long " * 9, Usage(5, 2), "noted")), made_at=3)
    assert (summary.by, summary.usage, summary.note) == ("a test", Usage(5, 2), "noted")


@pytest.mark.parametrize("given", ["", " \n", None, Written("", Usage(5, 2), "refused")])
def test_without_a_text_there_is_a_fallback_or_an_error(given):
    assert write_summary(task(), Gives(given), made_at=3, fallback=EXTRACTIVE).by == "extractive"
    with pytest.raises(InstrumentError, match=r"a test gave .* for 3 messages; nothing was changed"):
        write_summary(task(), Gives(given), made_at=3)


def test_a_fallback_says_why_it_stepped_in_and_keeps_what_the_failure_used():
    summary = write_summary(task(), Gives(Written("", Usage(5, 2), "refused")), made_at=3, fallback=EXTRACTIVE)
    assert (summary.note, summary.usage) == ("extractive stepped in: refused", Usage(5, 2))


def test_no_text_that_fits_is_an_error_even_with_a_fallback():
    with pytest.raises(InstrumentError, match="extractive gave ''"):
        write_summary(task(max_tokens=1), EXTRACTIVE, made_at=3, fallback=EXTRACTIVE)
