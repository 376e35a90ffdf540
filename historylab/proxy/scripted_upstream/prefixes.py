"""Prompt caching: which beginnings of requests were sent before, as far as this process remembers."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

MARK = "cache_control"
MOST = 200_000


def digests_of(model: str, items: Iterable[Any]) -> list[bytes]:
    """Of the request up to each of its items, as that model reads it. Marks for the cache are no content."""
    found, running = [], hashlib.blake2b(model.encode(errors="replace") + b"\n", digest_size=16)
    for item in items:
        text = json.dumps(item)
        running.update((json.dumps(_without_marks(item)) if MARK in text else text).encode() + b"\n")
        found.append(running.digest())
    return found


def is_marked(item: Any) -> bool:
    """Whether a breakpoint stands in it."""
    return f'"{MARK}"' in json.dumps(item)


def _without_marks(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: _without_marks(value) for key, value in item.items() if key != MARK}
    return [_without_marks(value) for value in item] if isinstance(item, list) else item


class Prefixes:
    """The beginnings of requests that were sent, the latest of them."""

    def __init__(self) -> None:
        self._sent: OrderedDict[bytes, None] = OrderedDict()

    def known(self, digests: Sequence[bytes]) -> int:
        """How many of these items begin a request that was sent before; and they are sent now."""
        length = next((k for k in range(len(digests), 0, -1) if digests[k - 1] in self._sent), 0)
        for digest in digests:
            self._sent[digest] = None
            self._sent.move_to_end(digest)
        while len(self._sent) > MOST:
            self._sent.popitem(last=False)
        return length
