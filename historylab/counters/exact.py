"""`exact`: tokens by the model's own encoding plus OpenAI's documented chat framing; an estimate for other models.

Source of the framing: OpenAI's cookbook ("How to count tokens with tiktoken"): 3 tokens per message, its role, its
text, 1 more for a name, and 3 per request for the start of the answer. Tool calls count their names and arguments; ids
do not count. The tables ship inside toktok-rs's wheel, so counting never needs the network.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message
from historylab.counters.base import media_tokens
from historylab.registry import register

PER_MESSAGE, PER_NAME, PER_REQUEST = 3, 1, 3
ONE_TOKEN_ROLES = frozenset(ROLE_CODES)
FALLBACK = "o200k_base"
NAMES = {
    "o200k_base": "o1 o3 o4-mini gpt-4.1 gpt-4o",
    "cl100k_base": "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 "
    "text-embedding-ada-002 text-embedding-3-small text-embedding-3-large",
}
"""Encoding → the models that have it, as tiktoken knows them."""
BEGINNINGS = {
    "o200k_base": "gpt-5 o1- o3- o4-mini- gpt-4.5- gpt-4.1- gpt-4o- chatgpt-4o- ft:gpt-4o",
    "o200k_harmony": "gpt-oss-",
    "cl100k_base": "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002",
}
"""Encoding → how the names of other models that have it begin; the first that fits."""
FEW_TEXTS = 32
UNCUT = 10**12  # tokens: more than any text has
MANY_CHARACTERS = 1_000_000  # below this, threads cost more than they save


@register("counter", "exact", title="Exact tokens", reads=("counter_factor",))
class ExactCounter:
    """The model's own encoding and OpenAI's formatting; where no tokenizer is public, o200k_base as an estimate."""

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
        np.add.at(totals, owners, self.count_texts(texts))
        return totals

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text. Lone surrogates, which UTF-8 cannot encode, count as their replacement character."""
        try:
            return _count_texts(texts, self.encoding)
        except UnicodeEncodeError:
            return _count_texts([text.encode(errors="replace").decode() for text in texts], self.encoding)


def _count_texts(texts: Sequence[str], encoding: str) -> list[int]:
    """Tokens of each text: a few one by one, as a batch takes as long to set up as forty short texts to count."""
    import toktok

    many = sum(map(len, texts)) > MANY_CHARACTERS
    if len(texts) <= FEW_TEXTS and not many:
        return [toktok.truncate(text, UNCUT, encoding)[1] for text in texts]
    counts: list[int] = toktok.batch_count(texts, encoding, 0 if many else 1)
    return counts


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


@lru_cache(maxsize=512)  # links name models, too
def encoding_of(model: str) -> tuple[str, bool]:
    """The encoding for `model` and whether it is the model's own."""
    model = model.removeprefix("openai/").removeprefix("azure/")
    named = (encoding for encoding, names in NAMES.items() if model in names.split())
    begun = (encoding for encoding, names in BEGINNINGS.items() if model.startswith(tuple(names.split())))
    encoding = next(itertools.chain(named, begun), "")
    return (encoding, True) if encoding else (FALLBACK, False)
