"""Usage rows: a table of requests with their tokens, cache reads and writes, model and time, and no text.

As CSV, JSON lines or a list: exports of gateways, proxies and editors, or an application's own log. Each becomes a
request of known size. Rows that sum up several requests, as those of a day, say nothing of any one, and are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import MOST_TOKENS
from historylab.conversation.usage import AGENT_TYPE
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.files.row_table import COLUMNS as TALK_COLUMNS
from historylab.formats.messages.usage import to_usage
from historylab.formats.traces.calls import conversations_of, model_of, provider_of, read_count
from historylab.formats.traces.logged import usage_given
from historylab.formats.traces.rows import LOOKED_AT, rows_in, sampled_rows
from historylab.formats.traces.spans import time_of
from historylab.registry import register

INPUT = "input_tokens prompt_tokens tokens_prompt tokens_in in_tokens native_tokens_prompt input_token_count input"
WITHOUT_CACHE = "uncached_input_tokens input_tokens_no_cache usage_input_tokens_no_cache input_w_o_cache_write"
NAMES = {
    "input": f"{INPUT} prompt_token_count tokens_input context_tokens {WITHOUT_CACHE}",
    "output": "output_tokens completion_tokens tokens_completion tokens_out out_tokens native_tokens_completion"
    " output_token_count completion_token_count tokens_output usage_output_tokens generated_tokens output",
    "reads": "cache_read_input_tokens cache_read_tokens cached_tokens cached_input_tokens input_cached_tokens"
    " cache_read cache_reads tokens_cached native_tokens_cached prompt_cache_hit_tokens usage_input_tokens_cache_read"
    " prompt_cache_read_tokens cached",
    "writes": "cache_creation_input_tokens cache_creation_tokens cache_write_tokens cache_writes cache_write"
    " input_w_cache_write usage_input_tokens_cache_write_5m cache_creation_5m_input_tokens prompt_cache_write_tokens",
    "writes_1h": "ephemeral_1h_input_tokens cache_creation_1h_input_tokens usage_input_tokens_cache_write_1h",
    "group": f"{TALK_COLUMNS['group']} trace_id run_id",
    "agent": "agent agent_type agent_name subagent_type subagent sub_agent agent_role agent_id",
    "time": "timestamp created_at request_created_at started_at start_time starttime createdat time date datetime ts",
    "ended": "completed_at finished_at ended_at end_time endtime",
    "model": "model model_name response_model request_model model_id",
    "provider": "provider provider_name vendor custom_llm_provider",
}
"""Content of a column → the names it goes by, in snake case."""
COUNTED = ("input", "output", "reads", "writes", "writes_1h")

SUMS = "num_model_requests num_requests n_requests requests request_count number_of_requests requests_total"
IMPOSSIBLE = "a row with a cell that can't be a number of tokens"
MORE_CACHED = "a row with more tokens from a cache than were sent"
SUM = "a row that sums up several requests, of which none has a known size"
TOTALS = {"total", "totals", "grand total", "sum"}
DATE = re.compile(r"\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\s*")
OF_A_REQUEST = {"model", "reads", "writes", "writes_1h"}
NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.0{0,2})?")  # "1.000" is a thousand in some countries
NO_NUMBER = {"", "-", "null", "none", "n/a"}
BESIDE = {"cache_read_input_tokens", "cache_creation_input_tokens", *WITHOUT_CACHE.split()}
"""Columns beside which `input_tokens` leaves out what was cached."""

TEXT = "content messages message text prompt completion response request choices output input body contents parts"
TEXTS = frozenset(TEXT.split())


@dataclass(frozen=True)
class UsageColumns:
    """The columns of a table by what they hold; `beside`: whether input is counted without what was cached."""

    names: Mapping[str, str]
    beside: bool = False

    def __bool__(self) -> bool:
        return {"input", "output"} <= self.names.keys()

    @cached_property
    def counting(self) -> tuple[str, ...]:
        """The columns that count tokens."""
        return tuple(name for kind, name in self.names.items() if kind in COUNTED)


def has_usage_rows(content: Content) -> float:
    """0.6 for rows that count the tokens of requests, and hold no text."""
    rows = sampled_rows(content)
    if not rows or any(map(_says_something, rows)):
        return 0
    reported = sum(to_usage(usage_given(row)) is not None for row in rows)
    return 0.6 if _of_tokens(_columns(rows)) or reported * 2 > len(rows) else 0


@register("format", title="Usage rows without text", recognise=has_usage_rows, marks="prompt_tokens completion_tokens")
def usage_rows(content: Content, report: Report) -> Iterator[Conversation]:
    """A table of requests and their tokens, without what was said: requests of known size."""
    rows = list(rows_in(content))
    columns = _columns([row for _, row in rows if isinstance(row, dict)])
    spelt = {name: _snake(name) for name in dict.fromkeys(n for _, row in rows if isinstance(row, dict) for n in row)}
    for name in spelt:
        if name not in (*columns.names.values(), "usage"):
            report.keep(str(name), "")
    requests = []
    daily = _are_daily(rows, columns)
    for where, row in rows:
        if not isinstance(row, dict):
            report.skip(f"{kind_of(row)}, not a row", where)
        elif daily or _is_sum({spelt[name]: value for name, value in row.items()}):
            report.pass_over(SUM, where)
        elif not _is_possible(row, columns):
            report.skip(IMPOSSIBLE, where)
        elif not columns.beside and _count_cached(row, columns) > _count(row, columns, "input"):
            report.skip(MORE_CACHED, where)
        elif usage := _usage(row, columns):
            requests.append(_request(row, columns, usage, where))
        else:
            report.skip("a row without tokens", where)
    yield from conversations_of(requests, report)


def _of_tokens(columns: UsageColumns) -> bool:
    """Tell whether they count tokens: `input` and `output` may be of anything, unless two others are of requests."""
    said = any("token" in name.casefold() for name in columns.names.values())
    return bool(columns) and (said or len(columns.names.keys() & OF_A_REQUEST) > 1)


def _columns(rows: list[dict[str, Any]]) -> UsageColumns:
    given = {_snake(name): name for row in rows[:LOOKED_AT] for name in row}
    found = {kind: next((given[n] for n in names.split() if n in given), "") for kind, names in NAMES.items()}
    columns = UsageColumns({kind: name for kind, name in found.items() if name})
    if not columns:
        return columns
    cached = [(many, _count(row, columns, "input")) for row in rows if (many := _count_cached(row, columns))]
    more = bool(cached) and sum(many > taken for many, taken in cached) * 2 >= len(cached)
    return UsageColumns(columns.names, more or bool(BESIDE & given.keys()))


def _count_cached(row: dict[str, Any], columns: UsageColumns) -> int:
    return _count(row, columns, "reads") + _count(row, columns, "writes")


def _usage(row: dict[str, Any], columns: UsageColumns) -> dict[str, int] | None:
    if not columns:
        return to_usage(usage_given(row))
    taken, output, reads, writes, hour = (_count(row, columns, kind) for kind in COUNTED)
    fresh = taken if columns.beside else max(0, taken - reads - writes - hour)
    usage = {"input": fresh, "output": output, "cache_reads": reads, "cache_writes": writes + hour}
    return usage | ({"cache_writes_1h": hour} if hour else {}) if any(usage.values()) else None


def _request(row: dict[str, Any], columns: UsageColumns, usage: dict[str, int], where: str) -> Exchange:
    cells = {kind: row.get(name) for kind, name in columns.names.items()}
    key, agent = cells.get("group"), cells.get("agent")
    named = {AGENT_TYPE: str(agent)} if isinstance(agent, str | int) and agent != "" else {}
    return Exchange(
        conversation=str(key) if isinstance(key, str | int) else "",
        usage=usage,
        about={**model_of(cells.get("model")), **provider_of(cells.get("provider")), **named},
        started=time_of(cells.get("time")),
        ended=time_of(cells.get("ended")),
        where=where,
    )


def _is_sum(named: dict[str, Any]) -> bool:
    """Tell whether a row counts its requests, is called a total, or stands for a span of time as reports do."""
    if any(isinstance(value, str) and value.strip().casefold() in TOTALS for value in named.values()):
        return True
    counted = next((named[name] for name in SUMS.split() if name in named), None)
    return read_count(counted) > 1 or {"starting_at", "ending_at"} <= named.keys()


def _are_daily(rows: list[tuple[str, Any]], columns: UsageColumns) -> bool:
    """Tell whether there is one row for each day, or each model on it, and nothing tells one request from another."""
    if "time" not in columns.names or "group" in columns.names:
        return False
    counts = {*columns.counting}
    said = [{name: v for name, v in row.items() if name not in counts} for _, row in rows if isinstance(row, dict)]
    if any(_snake(name).endswith("id") for row in said[:1] for name in row):
        return False
    days = [(str(row.get(columns.names["time"])), str(row.get(columns.names.get("model", "")))) for row in said]
    return all(DATE.fullmatch(day) for day, _ in days if day.casefold() not in TOTALS) and len({*days}) == len(days)


def _says_something(row: dict[str, Any]) -> bool:
    return any(
        isinstance(value, list | dict | str) and value not in NOTHING and not str(value).replace(",", "").isdecimal()
        for name, value in row.items()
        if _snake(name) in TEXTS
    )


def _count(row: dict[str, Any], columns: UsageColumns, kind: str) -> int:
    return _number(row.get(columns.names.get(kind, ""))) or 0


def _number(cell: Any) -> int | None:
    """The number of tokens that a cell gives, 0 if it is empty; None for anything that is none."""
    text = "" if cell is None else str(cell).strip() if isinstance(cell, str | float) else cell
    if isinstance(text, str):
        if text.casefold() in NO_NUMBER:
            return 0
        text = int(text.partition(".")[0].replace(",", "")) if len(text) < 20 and NUMBER.fullmatch(text) else None
    return text if type(text) is int and 0 <= text <= MOST_TOKENS else None


def _is_possible(row: dict[str, Any], columns: UsageColumns) -> bool:
    """Tell whether every column that counts tokens holds a number of them, or nothing."""
    return all(_number(row.get(name)) is not None for name in columns.counting)


@lru_cache(maxsize=4_096)  # rows have the same few names
def _snake(name: object) -> str:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    return re.sub(r"[^a-z0-9]+", "_", apart.casefold()).strip("_")
