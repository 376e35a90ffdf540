"""Generators: one file per kind of conversation, made reproducibly from a seed.

A generator is a registered function whose keyword-only parameters are its options:

    @register("generator", title="Small talk")
    def small_talk(*, turns: Turns = 10, seed: Seed = 0) -> Conversation:
        dice = Dice(seed)
        return Conversation([Message("user", dice.pick(GREETINGS)) for _ in range(turns)], "small talk")

It ends in a user message, so that there is a next request to plan; every call has its result. Randomness comes
from `Dice`. Options that several members have (`turns`, `words`, `output_lines`, `calls`, `seed`) have one name and one
meaning, and stand here.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import SettingsError, TooLarge
from historylab.registry import member

T = TypeVar("T")


Turns = Annotated[int, Field(ge=1, le=5000, title="Turns", description="User messages; the last one is unanswered.")]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1, title="Seed", description="The same seed, the same text.")]
Words = Annotated[int, Field(ge=5, le=500, title="Words", description="About how long an answer is, in words.")]
Lines = Annotated[int, Field(ge=1, le=2000, title="Output lines", description="About how long a tool's output is.")]
Calls = Annotated[int, Field(ge=1, le=8, title="Calls at once", description="The most tools called in parallel.")]

MOST_LINES = 250_000
"""Turns (or rounds of calls) × output lines a conversation may have: some 100 MB of text."""


class Generator(Protocol):
    """A member: makes the conversation of its options, `seed` among them."""

    def __call__(self, **options: Any) -> Conversation: ...


def generate(name: str, **options: Any) -> Conversation:
    """Make a conversation with the generator of that name. Options may be text, as from a URL.

    Raises UnknownMember for an unknown name, and SettingsError for an unknown option or an invalid value.
    """
    chosen = member("generator", name)
    known = {option.name: option for option in chosen.options}
    read = {}
    for option, raw in options.items():
        if option not in known:
            raise SettingsError(f"{name} has no option {option!r}; choose of {', '.join(known)}")
        try:
            read[option] = known[option].parse(raw)
        except SettingsError as problem:
            raise SettingsError(f"{name}.{option} {problem}") from None
    make: Generator = chosen.target
    return make(**read)


def check_size(times: int, output_lines: int, what: str) -> None:
    """Raises TooLarge where so many turns or rounds with so many output lines are more than memory should hold."""
    if times * output_lines > MOST_LINES:
        raise TooLarge(f"{what} with {output_lines} output lines are over {MOST_LINES:,} lines; ask for fewer")


class Dice:
    """Random choices that are equal in every process and Python version, as only `random()` guarantees."""

    def __init__(self, seed: int):
        self._random = random.Random(seed).random

    def below(self, limit: int) -> int:
        """A random integer from 0 up to, but not including, `limit`."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """A random integer from `low` to `high`, inclusive."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """A random item."""
        return items[self.below(len(items))]

    def several(self, items: Sequence[T], count: int) -> list[T]:
        """`count` distinct items (at most all), in random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]


def lengthen(dice: Dice, words: int, text: str, sentences: Sequence[str], further: Callable[[], str]) -> str:
    """The text, followed by whole sentences to about that many words: by each of these once, then by further ones."""
    missing = words - len(text.split())
    found = [text]
    for sentence in dice.several(sentences, len(sentences)):
        if (missing := missing - len(sentence.split())) < -5:
            break
        found.append(sentence)
    while missing > 12:
        found.append(further())
        missing -= len(found[-1].split())
    return " ".join(found)


class FailedResult(str):
    """A tool's result that is an error."""


class Script:
    """A conversation under construction: messages and tool calls, with consecutive ids."""

    def __init__(self, system: str):
        self.messages = [Message("system", system)]
        self._calls = 0

    def user(self, text: str) -> None:
        self.messages.append(Message("user", text))

    def assistant(self, text: str) -> None:
        self.messages.append(Message("assistant", text))

    def call(self, text: str, *uses: tuple[str, dict[str, Any], str]) -> None:
        """The assistant calls tools in parallel, each given as (name, arguments, result), followed by their results."""
        calls = []
        for name, arguments, _ in uses:
            self._calls += 1
            calls.append(ToolCall(f"call_{self._calls:05d}", name, json.dumps(arguments, ensure_ascii=False)))
        self.messages.append(Message("assistant", text, tool_calls=tuple(calls)))
        for call, (name, _, result) in zip(calls, uses, strict=True):
            failed = {"is_error": True} if isinstance(result, FailedResult) else {}
            self.messages.append(Message("tool", str(result), name=name, tool_call_id=call.id, metadata=failed))
