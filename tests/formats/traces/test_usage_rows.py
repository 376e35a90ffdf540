"""Usage rows: tables of requests and their tokens, under many names and in two ways of counting."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import Usage
from historylab.errors import LoadError
from historylab.formats.files.content import Content
from historylab.formats.load import load
from historylab.formats.traces.usage_rows import IMPOSSIBLE, has_usage_rows


def usage(text: str) -> list[Usage | None]:
    return [found for conversation in load(text.encode()) for found in conversation.recorded.usage]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("prompt_tokens,completion_tokens,cached_tokens", Usage(20, 5, 80)),  # within the input, as OpenAI counts
        ("input_tokens,output_tokens,cache_read_input_tokens", Usage(100, 5, 80)),  # beside it, as Anthropic does
        ("tokens_in,tokens_out,cache_reads", Usage(20, 5, 80)),
        ("Input Tokens;Output Tokens;Cache Read", Usage(20, 5, 80)),
    ],
)
def test_a_column_is_known_by_its_name_and_so_is_what_input_includes(header, expected):
    separator = ";" if ";" in header else ","
    assert usage(f"{header}\n{separator.join(('100', '5', '80'))}\n") == [expected]


def test_where_more_was_cached_than_sent_input_is_counted_beside_it_in_every_row():
    assert usage("prompt_tokens,completion_tokens,cached_tokens\n10,5,80\n100,5,80\n") == [
        Usage(10, 5, 80),
        Usage(100, 5, 80),
    ]


def test_one_row_with_more_cached_than_sent_is_refused_and_changes_no_other():
    text = "prompt_tokens,completion_tokens,cached_tokens\n10,5,80\n" + "100,5,80\n" * 3
    assert usage(text) == [Usage(20, 5, 80)] * 3


def test_numbers_may_have_separators_and_writes_for_an_hour_are_told_apart():
    text = 'input_tokens,output_tokens,cache_creation_input_tokens,ephemeral_1h_input_tokens\n"1,000",5,20,30\n'
    assert usage(text) == [Usage(1000, 5, 0, 50, 30)]


def test_an_object_with_usage_is_a_row_too():
    assert usage(json.dumps([{"model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 1}}])) == [Usage(9, 1)]


@pytest.mark.parametrize(
    "count", [-5, 1e20, "-1,000", 10**400, "oops", True, 1.5, "1.5", "1.234", "1,5"], ids=lambda count: str(count)[:6]
)
def test_a_row_whose_tokens_cannot_be_is_counted_and_not_read(count):
    rows = [{"model": "m", "input_tokens": each, "output_tokens": 1} for each in (9, count)]
    found = load(json.dumps(rows).encode())
    assert (len(found), len(found[0]), list(found.report.skipped)) == (1, 2, [IMPOSSIBLE])


def test_rows_that_sum_up_requests_are_refused_as_such():
    with pytest.raises(LoadError, match="sums up several requests"):
        load(b"date,num_model_requests,input_tokens,output_tokens\n2026-01-05,40,1000,50\n", "usage_rows")


@pytest.mark.parametrize(
    "text",
    [
        '{"prompt_tokens": 5, "completion_tokens": 2, "messages": [{"role": "user", "content": "hi"}]}',
        '{"role": "user", "content": "hi", "input_tokens": 1, "output_tokens": 1}',
        "name,age\nann,5\n",
        "date,product,input,output,cost\n2026-01-05,bolts,100,90,3\n",
        '{"input_tokens": 5}',
    ],
)
def test_what_has_text_or_no_counts_is_not_claimed(text):
    assert has_usage_rows(Content(text.encode())) == 0


@pytest.mark.parametrize(
    "text",
    [
        "date,model,input_tokens,output_tokens\n2026-01-05,a,9,1\n2026-01-05,b,9,1\n2026-01-06,a,9,1\n",
        "date,input_tokens,output_tokens\n1/5/2026,9,1\nTOTAL,9,1\n",
    ],
)
def test_totals_of_days_are_no_requests(text):
    with pytest.raises(LoadError, match="sums up several requests"):
        load(text.encode(), "usage_rows")


def test_a_total_below_requests_is_passed_over():
    rows = "2026-01-05,m,9,1\n" * 2
    assert usage(f"date,model,input_tokens,output_tokens\n{rows}TOTAL,,18,2\n") == [Usage(9, 1)] * 2


@pytest.mark.parametrize("header", ["timestamp,model,input,output", "host,cached,input,output"])
def test_input_and_output_with_one_more_column_may_be_of_a_machine(header):
    assert has_usage_rows(Content(f"{header}\nPress-9,5,100,90\nPress-9,5,100,90\n".encode())) == 0
