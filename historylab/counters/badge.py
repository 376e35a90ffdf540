"""The badge: how tokens are counted, and whether the count is exact, calibrated or an estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.counters.base import Counter, ScaledCounter, guessed_parts, model_counter
from historylab.counters.calibration import Calibration, good_calibration

OPENAI = ("openai", "azure")
"""Names of the provider of the models whose own encodings count exactly."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What decides how a conversation's tokens are counted: what is left of it where it isn't kept itself."""

    textless: bool
    calibration: Calibration | None
    otherwise: str  # the model it was recorded with, if that counts otherwise
    guessed: str  # what of it no counter counts exactly


def counting_of(counter: Counter, conversation: Conversation, overhead: int | None = None) -> Counted:
    """How a conversation's tokens are counted, in requests with that overhead."""
    otherwise = next(iter(recorded_otherwise(counter, conversation)), "")
    fit = _own_calibration(counter, conversation, overhead)
    return Counted(conversation.recorded.textless, fit, otherwise, guessed_parts(conversation))


def count_badge(
    counter: Counter, model: str, conversations: Iterable[Conversation] = (), overhead: int | None = None
) -> str:
    """ "o200k_base, exact for gpt-5.5": how tokens of these are counted, and whether `model` counts them just so.

    The only words for it: a count is no more exact in one place than in another. With the `overhead` of a request it
    says "calibrated" where overhead and token factor are those measured on every one of the conversations.
    """
    return badge_of(counter, model, [counting_of(counter, one, overhead) for one in conversations])


def badge_of(counter: Counter, model: str, conversations: Sequence[Counted]) -> str:
    """The badge of conversations of which that is known."""
    if conversations and all(one.textless for one in conversations):
        return "the provider's own count"
    fits = [one.calibration for one in conversations if one.calibration]
    if fits and len(fits) == len(conversations):
        return f"{counter.label}, {max(fits, key=lambda fit: fit.error).words}"
    if not counter.exact:
        return f"{counter.label}, an estimate"
    if other := next((one.otherwise for one in conversations if one.otherwise), ""):
        return f"{counter.label}, an estimate: recorded with {other:.60}"
    guessed = " and ".join(dict.fromkeys(one.guessed for one in conversations if one.guessed))
    return f"{counter.label}, exact for {model}{f' but for {guessed}' if guessed else ''}"


def _own_calibration(counter: Counter, conversation: Conversation, overhead: int | None) -> Calibration | None:
    """The conversation's own calibration, if this counter and overhead are those of it."""
    factor = counter.factor if isinstance(counter, ScaledCounter) else 1.0
    found = None if overhead is None or counter.exact else good_calibration(conversation, counter)
    return found if found and (found.overhead, found.factor) == (overhead, factor) else None


def recorded_otherwise(counter: Counter, conversation: Conversation) -> list[str]:
    """The models of the transcript whose tokens this exact counter does not count; of unnamed ones the provider."""
    if named := conversation.recorded.models:
        return [name for name in named if not _is_the_same(counter, model_counter(name))]
    provider = conversation.recorded.provider or OPENAI[0]
    return [] if any(own in provider.casefold() for own in OPENAI) else [f"a model of {provider}"]


def _is_the_same(one: Counter, other: Counter) -> bool:
    """Whether both count by the same encoding, and that is the one of the other's model."""
    return other.exact and getattr(one, "encoding", one.key) == getattr(other, "encoding", other.key)
