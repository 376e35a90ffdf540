"""`tiktoken`: the same tokens and framing as `exact`, counted by OpenAI's own library.

It downloads each encoding's table once, where a cache folder of its own (`TIKTOKEN_CACHE_DIR`) doesn't hold it. A table
that can't be had is asked for once per process, said once, and counted by `exact`, which brings its tables along.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from threading import Lock, Thread
from typing import TYPE_CHECKING

from historylab.counters.exact import ExactCounter
from historylab.registry import register

if TYPE_CHECKING:
    from tiktoken import Encoding

log = logging.getLogger("historylab")
PATIENCE = 10.0
"""Seconds that a download may take; it goes on in the background, for the next process."""
_opening = Lock()


@register("counter", "tiktoken", title="Exact tokens, by tiktoken", reads=("counter_factor",))
class TiktokenCounter(ExactCounter):
    """As Exact tokens, but by OpenAI's tiktoken, which downloads its tables once; without them, by Exact tokens."""

    def __init__(self, model: str):
        super().__init__(model)
        by = "(by toktok, as tiktoken's table can't be had)"
        if open_encoding(self.encoding):
            self.key, by = f"tiktoken:{self.encoding}", "by tiktoken"
        self.label = self.label.replace(self.encoding, f"{self.encoding} {by}", 1)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        encoding = open_encoding(self.encoding)
        if encoding is None:
            return super().count_texts(texts)
        return [len(tokens) for tokens in encoding.encode_ordinary_batch(list(texts))]


def open_encoding(name: str) -> Encoding | None:
    """The encoding of that name; None, after one notice, where its table can't be had. Asked for once per process."""
    with _opening:
        return _open(name)


@cache
def _open(name: str) -> Encoding | None:
    found: list[Encoding] = []
    problems = [f"no answer within {PATIENCE:g} seconds"]

    def download() -> None:
        try:
            import tiktoken

            found.append(tiktoken.get_encoding(name))
        except Exception as problem:  # whatever its download meets
            problems[:] = [type(problem).__name__]

    asked = Thread(target=download, name=f"tiktoken's table of {name}", daemon=True)
    asked.start()
    asked.join(PATIENCE)
    if not found:
        log.warning(
            "tiktoken has no table of %s here and could not download it (%s): tokens are counted by toktok instead, "
            "which has the same one; TIKTOKEN_CACHE_DIR may name a folder that holds it",
            name,
            problems[0],
        )
    return next(iter(found), None)
