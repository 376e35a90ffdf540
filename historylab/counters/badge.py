"""The badge: how tokens are counted, and whether the count is exact, calibrated or an estimate."""

from __future__ import annotations

from collections.abc import Iterable

from historylab.conversation.conversation import Conversation
from historylab.conversation.usage import is_textless, recorded_models
from historylab.counters.base import Counter, ScaledCounter, has_media, model_counter
from historylab.counters.calibration import Calibration, measured

OPENAI = ("openai", "azure")
"""Names of the provider of the models whose own encodings count exactly."""


def count_badge(
    counter: Counter, model: str, conversations: Iterable[Conversation] = (), overhead: int | None = None
) -> str:
    """ "o200k_base, exact for gpt-5.5": how tokens of these are counted, and whether `model` counts them just so.

    The only words for it: a count is no more exact in one place than in another. With the `overhead` of a request it
    says "calibrated" where overhead and token factor are those measured on every one of the conversations.
    """
    counted = list(conversations)
    if counted and all(map(is_textless, counted)):
        return "the provider's own count"
    if counted and (fits := [_calibrated(counter, one, overhead) for one in counted]) and all(fits):
        return f"{counter.label}, {max((fit for fit in fits if fit), key=lambda fit: fit.error).words}"
    if not counter.exact:
        return f"{counter.label}, an estimate"
    if other := next((name for one in counted for name in recorded_otherwise(counter, one)), ""):
        return f"{counter.label}, an estimate: recorded with {other:.60}"
    media = any(has_media(one) for one in counted)
    return f"{counter.label}, exact for {model}{' but for images and other media' if media else ''}"


def _calibrated(counter: Counter, conversation: Conversation, overhead: int | None) -> Calibration | None:
    """The conversation's own calibration, if this counter and overhead are those of it."""
    factor = counter.factor if isinstance(counter, ScaledCounter) else 1.0
    found = None if overhead is None or counter.exact else measured(conversation, counter)
    return found if found and (found.overhead, found.factor) == (overhead, factor) else None


def recorded_otherwise(counter: Counter, conversation: Conversation) -> list[str]:
    """The models of the transcript whose tokens this exact counter does not count; of unnamed ones the provider."""
    if named := recorded_models(conversation):
        return [name for name in named if not _is_the_same(counter, model_counter(name))]
    provider = conversation.recorded.provider or OPENAI[0]
    return [] if any(own in provider.casefold() for own in OPENAI) else [f"a model of {provider}"]


def _is_the_same(one: Counter, other: Counter) -> bool:
    return one.key == other.key and other.exact
