"""`exact`: tokens by the model's own encoding plus OpenAI's documented chat framing; an estimate for other models.

Source of the framing: OpenAI's cookbook ("How to count tokens with tiktoken"): 3 tokens per message, its role, its
text, 1 more for a name, and 3 per request for the start of the answer. Tool calls count their names and arguments; ids
do not count. The tables ship inside toktok-rs's wheel, so counting never needs the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message
from historylab.counters.base import media_tokens
from historylab.registry import register

PER_MESSAGE, PER_NAME, PER_REQUEST = 3, 1, 3
ONE_TOKEN_ROLES = frozenset(ROLE_CODES)
SHIPPED = frozenset({"o200k_base", "cl100k_base", "o200k_harmony"})
FALLBACK = "o200k_base"
MANY_CHARACTERS = 1_000_000  # below this, threads cost more than they save


@register("counter", "exact", title="Exact tokens", reads=("counter_factor",))
class ExactCounter:
    """The model's own encoding and OpenAI's framing; where no tokenizer is public, o200k_base as an estimate."""

    per_request = PER_REQUEST

    def __init__(self, model: str):
        self.encoding, self.exact = encoding_of(model)
        self.key = f"exact:{self.encoding}"
        self.label = self.encoding if self.exact else f"{self.encoding} in place of {model}'s own tokenizer"

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        texts: list[str] = []
        owners: list[int] = []
        totals = np.full(len(messages), PER_MESSAGE + 1, np.int64)  # every known role is one token
        for i, message in enumerate(messages):
            for text in _texts(message):
                texts.append(text)
                owners.append(i)
            if message.name or message.media or message.role not in ONE_TOKEN_ROLES:
                totals[i] += _rest(message)
        np.add.at(totals, owners, count_texts(texts, self.encoding))
        return totals


def _texts(message: Message) -> list[str]:
    texts = [message.content] if message.content else []
    for call in message.tool_calls:
        texts += (call.name, call.arguments)
    if message.name and message.role != "tool":
        texts.append(message.name)
    if message.role not in ONE_TOKEN_ROLES:
        texts.append(message.role)
    return texts


def _rest(message: Message) -> int:
    """Tokens besides text, for the few messages that have any: a name, media, a role that is not one token."""
    name = PER_NAME if message.name and message.role != "tool" else 0
    return name + media_tokens(message) - (message.role not in ONE_TOKEN_ROLES)


def count_texts(texts: Sequence[str], encoding: str) -> list[int]:
    """Tokens of each text. Lone surrogates, which UTF-8 cannot encode, count as their replacement character."""
    import toktok

    threads = 0 if sum(map(len, texts)) > MANY_CHARACTERS else 1
    counts: list[int]
    try:
        counts = toktok.batch_count(texts, encoding, threads)
    except UnicodeEncodeError:
        counts = toktok.batch_count([t.encode(errors="replace").decode() for t in texts], encoding, threads)
    return counts


@lru_cache(maxsize=512)  # links name models, too
def encoding_of(model: str) -> tuple[str, bool]:
    """The encoding for `model` and whether it is the model's own."""
    from tiktoken.model import encoding_name_for_model

    try:
        encoding = encoding_name_for_model(model.removeprefix("openai/").removeprefix("azure/"))
    except KeyError:
        return FALLBACK, False
    return (encoding, True) if encoding in SHIPPED else (FALLBACK, False)
