"""`tiktoken`: the same tokens and framing as `exact`, counted by OpenAI's own library.

It isn't installed with HistoryLab, and downloads each encoding's table once, where a cache folder of its own
(`TIKTOKEN_CACHE_DIR`) doesn't hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from historylab.counters.exact import ExactCounter
from historylab.errors import InstrumentError, needs
from historylab.registry import register

if TYPE_CHECKING:
    from tiktoken import Encoding


@register("counter", "tiktoken", title="Exact tokens, by tiktoken", reads=("counter_factor",))
class TiktokenCounter(ExactCounter):
    """As Exact tokens, but by OpenAI's tiktoken, which is installed apart and downloads its tables once."""

    def __init__(self, model: str):
        super().__init__(model)
        self.key = f"tiktoken:{self.encoding}"
        self.label = self.label.replace(self.encoding, f"{self.encoding} by tiktoken", 1)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text. Raises InstrumentError where the encoding's table can't be had."""
        return [len(tokens) for tokens in open_encoding(self.encoding).encode_ordinary_batch(list(texts))]


@cache
def open_encoding(name: str) -> Encoding:
    """The encoding of that name. Raises MissingLibrary without tiktoken, InstrumentError without its table."""
    with needs("tiktoken", "the counter tiktoken"):
        import tiktoken
    try:
        return tiktoken.get_encoding(name)
    except Exception as problem:  # whatever its download meets
        raise InstrumentError(
            f"tiktoken has no table of {name} here and could not download it ({type(problem).__name__}: "
            f"{problem!s:.200}); set TIKTOKEN_CACHE_DIR to a folder that holds it, or use counter=exact"
        ) from problem
