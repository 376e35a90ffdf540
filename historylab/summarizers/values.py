"""Ids and values a summary lists: literals and short arguments of calls, ranked by how likely they are needed again.

The rank is age over use. Age is how many values were mentioned since; a long result ages the others by a few only. Use
counts the mentions in calls and by people and assistants, not in results: what was used is used again. A list begins
with its likeliest values and doesn't say how often each was used: the next summary needs the room more than the count.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import costs_of
from historylab.summarizers.lines import find_literals

ALSO = "Also mentioned: "
SHORTEST = 3  # characters: a shorter value is everywhere: it comes last, and only if it was used
LONGEST = 60  # characters of an argument that is a value as a whole
LONGEST_COMMAND = 200  # characters of an argument whose literals count as used; those of a longer one are merely seen
AGED = 8  # by this many values at most does one message age those before it
USE = 2.0  # the worth of a use: n of them divide the age by 1 + USE × √n, as each says less than the one before
LARGEST = 10  # tokens of most values
BETWEEN = ", "
ITEM = re.compile(r"(?:`[^`]*`|[^`,]|`|,(?! ))+")  # what stands between commas; in backticks there may be some
ASCII_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
WORDS_APART = bytes(byte if chr(byte) in ASCII_WORD else 32 for byte in range(256))
AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)  # numbers stay the text they are


@dataclass(frozen=True, slots=True)
class Value:
    """A value and how often it was used."""

    text: str
    uses: int = 0

    @property
    def shown(self) -> str:
        return f"`{self.text}`" if BETWEEN in self.text else self.text


def message_values(message: Message, known: MutableMapping[Any, Any]) -> Mapping[str, bool]:
    """The values in a message, in order, and whether it uses them; found at the first call and cached in `known`."""
    cached: dict[Message, Mapping[str, bool]] = known.setdefault("values", {})
    values = cached.get(message)
    if values is None:
        values = cached[message] = _find(message)
    return values


def rank_values(
    task: SummaryTask, former: Iterable[Value], doubt: Callable[[str], float] = lambda text: 1.0
) -> list[Value]:
    """The values of the task's messages and of former summaries, the likeliest to be needed first.

    `doubt` is the factor on the age of a value that nobody used.
    """
    before: dict[str, int] = {}
    for value in former:
        before.setdefault(value.text, value.uses)
    uses, age = dict(before), 0
    ages: dict[str, int] = {}
    for message in reversed(task.messages):
        values = message_values(message, task.known)
        for here, (text, used) in enumerate(values.items(), age):
            if ages.get(text, here) >= here:
                ages[text] = here
            uses[text] = uses.get(text, 0) + used
        age += min(AGED, len(values))
    for place, text in enumerate(before):
        ages.setdefault(text, age + place)
    ranks = {
        text: (len(text) < SHORTEST, (1 + age) * (1 / (1 + USE * sqrt(uses[text])) if uses[text] else doubt(text)))
        for text, age in ages.items()
        if len(text) >= SHORTEST or uses[text]
    }
    return [Value(text, uses[text]) for text in sorted(ranks, key=ranks.__getitem__)]


@lru_cache(maxsize=10_000)
def is_number(text: str) -> bool:
    """Tell whether a value has no letter: a line number, an amount, a date."""
    return not any(map(str.isalpha, text))


def list_values(
    values: Sequence[Value],
    above: str,
    task: SummaryTask,
    label_of: Callable[[Value], str] = lambda value: ALSO,
    said: Callable[[str], bool] | None = None,
) -> list[str]:
    """A line per label, of those of the values that `above` doesn't hold, as many as fit below it, in their order.

    `said` tells whether it holds one, where that is known.
    """
    held = said or SaidText(above).says
    likeliest = [value for value in values[: max(0, task.max_tokens)] if not held(value.text)]
    fitting = _take_fitting(
        [(label_of(value), value.shown) for value in likeliest], task.max_tokens - task.count(above), task
    )
    lists, shown = _ValueLists(fitting), len(fitting)
    while shown:
        lines = lists.of_first(shown)
        excess = task.count("\n".join(filter(None, (above, *lines)))) - task.max_tokens
        if excess <= 0:
            return lines
        shown -= max(1, excess // LARGEST)  # counted one by one before, and now as a whole
    return []


class _ValueLists:
    """Values in one line per label; `of_first` are those of the first so many."""

    __slots__ = ("_by_label",)

    def __init__(self, shown: Iterable[tuple[str, str]]) -> None:
        self._by_label: dict[str, tuple[list[int], list[str]]] = {}  # places, and texts
        for place, (label, text) in enumerate(shown):
            places, texts = self._by_label.setdefault(label, ([], []))
            places.append(place)
            texts.append(text)

    def of_first(self, count: int) -> list[str]:
        several = ((label, texts, bisect_left(places, count)) for label, (places, texts) in self._by_label.items())
        return [label + BETWEEN.join(texts[:number]) for label, texts, number in several if number]


def _take_fitting(offered: Sequence[tuple[str, str]], room: int, task: SummaryTask) -> list[tuple[str, str]]:
    """Those of the values, with their labels, that fit in their order; each label takes room once."""
    labels = list(dict.fromkeys(label for label, _ in offered))
    costs = costs_of([label.rstrip() for label in labels], task)
    of_label = {label: cost - 1 for label, cost in zip(labels, costs, strict=True)}  # no comma before its first value
    fitting: list[tuple[str, str]] = []
    for offer, alone in zip(offered, costs_of([text for _, text in offered], task), strict=True):
        cost = alone + of_label.get(offer[0], 0)
        if cost <= room:
            room -= cost
            of_label.pop(offer[0], 0)
            fitting.append(offer)
    return fitting


def read_values(line: str, label: str = ALSO, uses: int = 1) -> Iterator[Value]:
    """The values of a line that `list_values` wrote under that label, as used so often each."""
    for item in map(str.strip, ITEM.findall(line.removeprefix(label))):
        if item:
            yield Value(item.strip("`") or item, uses)


def says(text: str, value: str) -> bool:
    """Whether `text` contains `value`, and no word of either runs on: "1234" doesn't contain "12"."""
    if value not in text:
        return False
    runs_on = value[-1:] in ASCII_WORD
    return any(not (runs_on and text[end : end + 1] in ASCII_WORD) for end in ends_of(text, value))


class SaidText:
    """A text that is asked for many values, and may have lines added: it `says` what the function of that name finds.

    The words of a value are words of the text, as neither runs on; so only lines that have one of them are searched.
    """

    __slots__ = ("_at", "_lines")

    def __init__(self, text: str = "") -> None:
        self._lines: list[str] = []
        self._at: dict[bytes, list[int]] = {}  # the lines that each word is in
        for line in text.split("\n") if text else ():
            self.add(line)

    def add(self, line: str) -> None:
        """One more line at the end."""
        for word in set(ascii_words(line)):
            self._at.setdefault(word, []).append(len(self._lines))
        self._lines.append(line)

    def says(self, value: str, among: Set[int] | None = None) -> bool:
        """Tell whether one of the lines says the value, itself one line; `among`: one of these, by number."""
        words, at = _words_of_value(value), self._at
        for word in words:
            if word not in at:
                return False
        if len(words) == 1 and len(words[0]) == len(value):
            return among is None or not among.isdisjoint(at[words[0]])
        lines = min([at[word] for word in words], key=len, default=range(len(self._lines)))
        return any((among is None or k in among) and says(self._lines[k], value) for k in lines)


@lru_cache(maxsize=10_000)
def _words_of_value(value: str) -> tuple[bytes, ...]:
    """The words of a value, found once."""
    return tuple(ascii_words(value))


def is_one_word(value: str) -> bool:
    """Tell whether a value is a word and nothing else, so that it says no other value."""
    words = _words_of_value(value)
    return len(words) == 1 and len(words[0]) == len(value)


def ascii_words(text: str) -> list[bytes]:
    """The words of a text, in the sense in which none may run on."""
    return text.encode("ascii", "replace").translate(WORDS_APART).split()


def ends_of(text: str, value: str) -> Iterator[int]:
    """Where `value` ends in the text, if no word runs into its beginning."""
    start = text.find(value)
    while start >= 0:
        if not (start and text[start - 1] in ASCII_WORD and value[0] in ASCII_WORD):
            yield start + len(value)
        start = text.find(value, start + 1)


def argument_values(call: ToolCall) -> list[tuple[str, str]]:
    """Every text and number in a call's arguments, with its path ("edits.0.old"); all of it where it is no JSON."""
    try:
        return list(_leaves(AS_WRITTEN.decode(call.arguments), ""))
    except (ValueError, RecursionError):
        return [("", call.arguments)] if call.arguments else []


def _find(message: Message) -> dict[str, bool]:
    values: dict[str, bool] = {}
    for leaf in (leaf.strip() for call in message.tool_calls for _, leaf in argument_values(call)):
        if SHORTEST <= len(leaf) <= LONGEST and _can_be_listed(leaf):
            values[leaf] = True
        for literal in find_literals(leaf):
            values[literal] = values.get(literal, False) or len(leaf) <= LONGEST_COMMAND
    for literal in find_literals(message.content):
        values[literal] = values.get(literal, False) or message.role != "tool"
    return values


def _can_be_listed(text: str) -> bool:
    """Tell whether it can be told from its neighbours in a list."""
    return text.isprintable() and "`" not in text


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{path}.{name}" if path else str(name))
