"""A request as it is counted, item by item; and the usage that a provider would bill for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from historylab.conversation.message import Usage
from historylab.costs.caches.base import open_cache
from historylab.counters.base import count_text, open_counter
from historylab.proxy.scripted_upstream.api import Body, WireApi
from historylab.proxy.scripted_upstream.prefixes import Prefixes, digests_of, is_marked


@dataclass(frozen=True)
class ReadRequest:
    """A request: its tools, its system prompt, its messages. `ends` are the tokens up to each."""

    items: Sequence[Any]
    digests: Sequence[bytes]
    ends: Sequence[int]
    messages: int

    @property
    def tokens(self) -> int:
        return self.ends[-1]

    def __str__(self) -> str:
        return f"{self.messages} message{'s' * (self.messages != 1)}, {self.tokens} tokens"


def read_request(api: WireApi, body: Body) -> ReadRequest:
    """Count a request that the API takes."""
    model, given, beside = str(body["model"]), body[api.field], api.beside(body)
    items = [*beside, *given]
    ends, total = [], open_counter("exact", model).per_request
    for k, item in enumerate(items):
        total += _count_tokens(api if k >= len(beside) else None, model, json.dumps(item))
        ends.append(total)
    return ReadRequest(items, digests_of(model, items), ends, len(given))


def billed_usage(api: WireApi, body: Body, read: ReadRequest, prefixes: Prefixes) -> Usage:
    """Usage as billed: tokens read from the cache and written to it, by the numbers of bills; the rest is input.

    Anthropic caches up to the last breakpoint of the request, others by themselves.
    """
    cache = open_cache("automatic" if api.caches_itself else "explicit")
    marked = api.caches_itself or "cache_control" in body
    marks = [len(read.items) - 1] if marked else [k for k, item in enumerate(read.items) if is_marked(item)]
    if not marks:
        return Usage(read.tokens)
    shared = prefixes.known(read.digests[: marks[-1] + 1])
    known, end = read.ends[shared - 1] if shared else 0, read.ends[marks[-1]]
    reads = known // cache.step * cache.step if known >= cache.minimum else 0
    writes = end - reads if cache.writes and end >= cache.minimum else 0
    return Usage(read.tokens - reads - writes, cache_reads=reads, cache_writes=writes)


@lru_cache(50_000)
def _count_tokens(api: WireApi | None, model: str, text: str) -> int:
    """Tokens of one item: of its messages, or of a text, as what stands beside the messages."""
    counter = open_counter("exact", model)
    if api is None:
        return count_text(counter, text)
    return int(counter.count(api.messages(json.loads(text))).sum())
