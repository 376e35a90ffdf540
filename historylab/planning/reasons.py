"""Actions on messages, and the reasons for them, whose sentences are written only when they are read.

A reason is defined once, at import, beside its rule. It names the setting to raise for another decision (`setting`), or
the settings to change (`remedy`); `explain` finds the values by planning again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from functools import cache
from hashlib import blake2b
from string import Formatter
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from historylab.registry import STAGE_FAMILIES, members


class Action(IntEnum):
    """The decision about a message: one byte in the map; one word, glyph and colour on screen."""

    KEPT = 0
    PINNED = 1
    TRUNCATED = 2
    SUMMARIZED = 3
    DROPPED = 4


KEPT, PINNED, SENT, DROPPED = (Action[name].value for name in ("KEPT", "PINNED", "TRUNCATED", "DROPPED"))
"""Plain numbers, which numpy compares five times as fast as members of an enum; what is sent has `SENT` or less."""

LOST, BY_MESSAGE, BY_SUMMARY = range(3)
"""Holders of something in a request: none, a message that it sends, or a summary alone."""


class Reason(NamedTuple):
    """A rule, and the sentence that states its decision; `{names}` in it are filled from the decision's numbers.

    `{keep:newest turns}` counts: "newest 3 turns", "newest turn"; `{pause:span}` is so many seconds in words, and
    `{at:clock}` the time of day of a timestamp.

    Raising `setting` would change the decision; so would the settings in `remedy`.
    """

    code: int
    rule: str
    sentence: str
    setting: str
    remedy: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one message is treated as it is: the action, the rule's name, its sentence and its numbers."""

    action: Action
    rule: str
    sentence: str
    numbers: Mapping[str, Any]
    setting: str = ""
    remedy: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sent(self) -> bool:
        return self.action <= Action.TRUNCATED


class StageTrace(NamedTuple):
    """The effect of one stage: tokens before and after, and the number of messages it decided on."""

    stage: str
    before: int
    after: int
    changed: int


class EachMessage:
    """A text or number per message, few of them different, for a sentence about each.

    `of` (int64[n]) says which of the `values`; the first is that of a message of which nothing is said. Where a
    sentence speaks of several messages at once it is `together`, unless all say the same.
    """

    __slots__ = ("_together", "_values", "of")

    def __init__(self, of: np.ndarray, values: Sequence[Any], together: str):
        self.of, self._values, self._together = of, values, together

    def __repr__(self) -> str:
        said = "\0".join(map(str, self._values)).encode("utf-8", "backslashreplace")
        return f"EachMessage({blake2b(said + self.of.tobytes(), digest_size=16).hexdigest()})"  # of long lists, often

    def __getitem__(self, i: int) -> Any:
        number: int = self.of.item(i)
        return self._values[number]

    def __str__(self) -> str:
        return str(self._values[1]) if len(self._values) == 2 else self._together


def numbers_of(numbers: Mapping[str, Any], message: int) -> Mapping[str, Any]:
    """The numbers of a sentence about one message."""
    return {name: n[message] if isinstance(n, EachMessage) else n for name, n in numbers.items()}


_reasons: list[Reason] = []
_defining = Lock()  # stages are imported when they are first chosen, in whichever thread


def reason(rule: str, sentence: str, *, setting: str = "", remedy: Mapping[str, Any] | None = None) -> Reason:
    """Define a reason once, at import: `OLD = reason("last_n", "Older than the {n:last turns}.", setting="length")`."""
    with _defining:
        known = next((r for r in _reasons if r.rule == rule), None)
        if known is None:
            known = Reason(len(_reasons), rule, sentence, setting, remedy or {})
            _reasons.append(known)
    return known


FITS = reason("fits", "Sent whole: nothing asks for it to go.")
SYSTEM = reason("system", "A system message: always sent.")
PIN = reason("pin", "Always sent: you pinned it.")
REPLACED = reason("replaced", "Since its turn ended it is part of one text, at the turn's end.")
SHOWN = reason("shown_only", "Only shown: a command, or an answer that broke off, is not sent to a model.")
INVALID = reason("invalid", "Left out because an API would refuse it: a tool call and its result do not match up.")


def counted_noun(number: float, nouns: str) -> str:
    """ "3 turns", "1 turn"; with "last" or "newest" before the noun "last 3 turns", "last turn"."""
    first, _, rest = nouns.partition(" ")
    lead, nouns = (first, rest) if first in ("last", "newest") else ("", nouns)
    if number == 1:
        return f"{lead or 1} {nouns[:-1]}"
    written = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{lead} {written} {nouns}".lstrip()


def in_percent(share: float) -> str:
    """A share as it was set: "50%", "12.5%", "0.8%"."""
    return f"{100 * share:.3g}%"


def span(seconds: float) -> str:
    """ "11 minutes", "3 hours"."""
    minutes = int(seconds // 60)
    return counted_noun(minutes, "minutes") if minutes < 60 else counted_noun(minutes // 60, "hours")


def fill_sentence(why: Reason, numbers: Mapping[str, Any]) -> str:
    """The reason's sentence with the decision's numbers in it."""
    return "".join(
        text if name is None else text + _format_number(numbers[name], how) for text, name, how in _parts(why.sentence)
    )


@cache
def _parts(sentence: str) -> tuple[tuple[str, str | None, str], ...]:
    """What stands before each name, the name, and how its number is written."""
    return tuple((text, name, how or "") for text, name, how, _ in Formatter().parse(sentence))


def _format_number(number: Any, how: str) -> str:
    """As that format says; one that is a noun in the plural counts it."""
    if how == "span":
        return span(number)
    if how == "clock":
        return datetime.fromisoformat(number).strftime("%H:%M")
    return counted_noun(number, how) if len(how) > 1 and how.endswith("s") else format(number, how)


def reason_of(code: int) -> Reason:
    """The reason a plan's byte stands for."""
    return _reasons[code]


def reason_named(rule: str) -> Reason | None:
    """The reason of that rule; None if no stage has it."""
    known = {why.rule: why for why in _reasons}
    if rule not in known:  # a stage that was never chosen isn't imported
        for family in STAGE_FAMILIES:
            members(family)
    return next((why for why in _reasons if why.rule == rule), None)
