"""Ids and values a summary lists: literals and short arguments of calls, ranked by how likely they are needed again.

The rank is age over use. Age is how many values were mentioned since; a long result ages the others by a few only. Use
counts the mentions in calls and by people and assistants, not in results: what was used is used again. A list shows
uses above one ("ORD-7 ×3"), so that the next summary, which has nothing but the text, goes on counting: a value of a
former summary stays as long as it was used more than newer ones, however many summaries ago it was said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import select_fitting
from historylab.summarizers.lines import find_literals

ALSO = "Also mentioned: "
SHORTEST = 3  # characters: a shorter value is everywhere: it comes last, and only if it was used
LONGEST = 60  # characters of an argument that is a value as a whole
LONGEST_COMMAND = 200  # characters of an argument whose literals count as used; those of a longer one are merely seen
AGED = 8  # by this many values at most does one message age those before it
USE = 2.0  # what a use is worth: n of them divide the age by 1 + USE × n
MOST_USES = 999
BETWEEN = ", "
OF_THE_TOOL = re.compile("[a-z]+")  # "open", "economy": a choice that its schema names
COUNTED = re.compile(r"(.+?)(?: ×([1-9]\d{0,2}))?")
ASCII_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)  # numbers stay the text they are


@dataclass(frozen=True, slots=True)
class Value:
    """A value and how often it was used."""

    text: str
    uses: int = 0

    @property
    def shown(self) -> str:
        return f"{self.text} ×{min(self.uses, MOST_USES)}" if self.uses > 1 else self.text


def message_values(message: Message, known: MutableMapping[Any, Any]) -> Mapping[str, bool]:
    """The values in a message, in order, and whether it uses them; found at the first call and cached in `known`."""
    cached: dict[Message, Mapping[str, bool]] = known.setdefault("values", {})
    values = cached.get(message)
    if values is None:
        values = cached[message] = _find(message)
    return values


def rank_values(task: SummaryTask, former: Iterable[Value]) -> list[Value]:
    """The values of the task's messages and of former summaries, the likeliest to be needed first."""
    before = {value.text: value.uses or 1 for value in former}
    uses, age = dict(before), 0
    ages: dict[str, int] = {}
    for message in reversed(task.messages):
        values = message_values(message, task.known)
        for place, (value, used) in enumerate(values.items()):
            ages[value] = min(ages.get(value, age + place), age + place)
            uses[value] = uses.get(value, 0) + used
        age += min(AGED, len(values))
    for place, value in enumerate(before):
        ages.setdefault(value, age + place)
    ranks = {
        text: (len(text) < SHORTEST, (1 + age) / (1 + USE * uses[text]))
        for text, age in ages.items()
        if len(text) >= SHORTEST or uses[text]
    }
    return [Value(text, uses[text]) for text in sorted(ranks, key=ranks.__getitem__)]


def list_values(
    values: Sequence[Value], above: str, task: SummaryTask, label_of: Callable[[Value], str] = lambda value: ALSO
) -> list[str]:
    """A line per label, of those of the values that `above` doesn't hold, as many as fit below it, in their order."""
    likeliest = [value for value in values[: max(0, task.max_tokens)] if not says(above, value.text)]
    labels = list(dict.fromkeys(map(label_of, likeliest)))
    room = task.max_tokens - task.count("\n".join(filter(None, (above, *labels))))
    shown = [likeliest[number] for number in select_fitting([value.shown + "," for value in likeliest], room, task)]
    while shown:
        by_label = {label: [value.shown for value in shown if label_of(value) == label] for label in labels}
        lists = [label + BETWEEN.join(texts) for label, texts in by_label.items() if texts]
        if task.fits("\n".join(filter(None, (above, *lists)))):
            return lists
        shown = shown[: len(shown) * 9 // 10]
    return []


def read_values(line: str, label: str = ALSO) -> Iterator[Value]:
    """The values of a line that `list_values` wrote under that label."""
    for item in line.removeprefix(label).split(BETWEEN):
        if found := COUNTED.fullmatch(item.strip()):
            yield Value(found[1], int(found[2] or 1))


def says(text: str, value: str) -> bool:
    """Whether `text` contains `value`, and no word of either runs on: "1234" doesn't contain "12"."""
    if value not in text:
        return False
    runs_on = value[-1:] in ASCII_WORD
    return any(not (runs_on and text[end : end + 1] in ASCII_WORD) for end in ends_of(text, value))


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
    """Whether it can be told from its neighbours in a list and from a count, and is more than a tool's own word."""
    return text.isprintable() and "," not in text and "×" not in text and not OF_THE_TOOL.fullmatch(text)


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{path}.{name}" if path else str(name))
