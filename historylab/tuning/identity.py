"""Digests of what a row is measured from: equal digests, equal rows, so that nothing is measured twice."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.pricing import prices_of
from historylab.settings.model import Settings
from historylab.tuning.corpus import Source
from historylab.tuning.lanes import effective_key
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions


def source_digest(source: Source) -> str:
    """A digest of a source as it is now: of a conversation's content, of a file's size and time of change."""
    if isinstance(source, Conversation):
        said = [dict(source.metadata), *(dict(m.metadata) for m in source)]
        return _digest((source.digest, source.title, said))
    unseen = "" if any(source.stamp) else secrets.token_hex()  # only workers can see whether it has changed
    return _digest((source.path, source.start, source.stop, source.stamp, repr(source.shape), unseen))


def settings_digest(candidates: Sequence[Lane], candidate: int, options: MeasureOptions) -> str:
    """A digest of what one of the candidates does beside the others, of prices, questions and code."""
    lane = candidates[candidate]
    prices = options.prices or (prices_of(lane.model) if isinstance(lane, Settings) else None)
    return _digest((effective_key(lane), repr(options), repr(prices), AS_SENT in candidates, _code()))


@cache
def _code() -> str:
    """A digest of this package: another version measures anew."""
    package = Path(__file__).parents[1]
    hasher = hashlib.blake2b(digest_size=12)
    for path in sorted(package.rglob("*.py")):
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def _digest(value: Any) -> str:
    return hashlib.blake2b(repr(value).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
