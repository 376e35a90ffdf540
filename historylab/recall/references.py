"""The needs of later requests: values in tool calls and literals in answers, with every message that mentions them.

A *reference* is a value in a tool call's arguments (an id, a path, the old text of an edit) that an earlier message
holds verbatim. A *link* is a literal (an id, a number, a path, an address) in the text of an answer that an earlier
message holds: no label says that the model looked it up there, so links are an estimate. Both are found once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.summarizers.lines import find_literals

SHORTEST, LONGEST = 3, 20_000  # characters of a value: a shorter one is everywhere, a longer one is data
WORD = re.compile(r"[A-Za-z0-9_]+|[^\x00-\x7f]")  # a letter outside ASCII is a word: Chinese has no spaces
AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)  # numbers stay the text they are
ASCII_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """Something request `step` (from 0) needs: `value`, which each of `mentions` (int64, ascending) holds.

    `kind` is reference, link, star or evidence; `message` is the one that uses it (None for a star), and `used_as` says
    where: "book_flight.number", "the answer", the question.
    """

    kind: str
    step: int
    value: str
    mentions: np.ndarray
    message: int | None = None
    used_as: str = ""


def find_needs(conversation: Conversation) -> tuple[tuple[Need, ...], ...]:
    """Per request its references and links, found at the first call and remembered with the conversation."""
    return conversation.remember("needs", lambda: _find(conversation))


def contains_value(text: str, value: str) -> bool:
    """Whether `text` contains `value` as whole words: "1234" doesn't contain "12"."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        inside = start and text[start - 1] in ASCII_WORD and value[0] in ASCII_WORD
        if not inside and not (end < len(text) and text[end] in ASCII_WORD and value[-1] in ASCII_WORD):
            return True
        start = text.find(value, start + 1)
    return False


def searchable_text(message: Message, content: str | None = None) -> str:
    """The text of a message to search: its content (or the one given in its place) and its calls' values, unescaped."""
    text = message.content if content is None else content
    if not message.tool_calls:
        return text
    return "\0".join([text, *(value for call in message.tool_calls for _, value in argument_values(call))])


def argument_values(call: ToolCall) -> list[tuple[str, str]]:
    """Every text and number in a call's arguments, with its path ("edits.0.old"); all of it where it is no JSON."""
    try:
        return list(_leaves(AS_WRITTEN.decode(call.arguments), ""))
    except (ValueError, RecursionError):
        return [("", call.arguments)] if call.arguments else []


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{path}.{name}" if path else str(name))


class Mentions:
    """Finds the messages that mention a value. Words are indexed once; a value is searched where its rarest word is."""

    def __init__(self, conversation: Conversation):
        self.texts = [searchable_text(message) for message in conversation]
        self._postings: dict[str, list[int]] = {}
        for i, text in enumerate(self.texts):
            for word in set(WORD.findall(text)):
                self._postings.setdefault(word, []).append(i)
        self._found: dict[str, np.ndarray] = {}

    def of(self, value: str) -> np.ndarray:
        """int64, ascending: the messages that hold `value` verbatim, as whole words."""
        found = self._found.get(value)
        if found is None:
            found = self._found[value] = np.array(self._search(value), np.int64)
        return found

    def _search(self, value: str) -> Sequence[int]:
        words = set(WORD.findall(value))
        candidates = min((self._postings.get(word, ()) for word in words), key=len, default=())
        if words == {value}:
            return candidates
        return [i for i in candidates if contains_value(self.texts[i], value)]


def index_mentions(conversation: Conversation) -> Mentions:
    """The conversation's index of words, made once."""
    return conversation.remember("mentions", lambda: Mentions(conversation))


def _find(conversation: Conversation) -> tuple[tuple[Need, ...], ...]:
    columns, mentions = conversation.columns, index_mentions(conversation)
    steps: list[tuple[Need, ...]] = [() for _ in columns.requests]
    for i in np.setdiff1d(np.flatnonzero(columns.role == ASSISTANT), columns.stand_ins).tolist():
        step = int(columns.requests.searchsorted(i, side="right")) - 1
        if step < 0:  # a greeting: no request led to it
            continue
        size = columns.requests.item(step)
        needed = (_need(mentions, *use, step, i, size) for use in _uses(conversation[i]))
        steps[step] += tuple(need for need in needed if need)
    return tuple(steps)


def _need(mentions: Mentions, kind: str, value: str, used_as: str, step: int, message: int, size: int) -> Need | None:
    found = mentions.of(value)
    earlier = found[: found.searchsorted(size)]
    return Need(kind, step, value, earlier, message, used_as) if len(earlier) else None


def _uses(message: Message) -> Iterable[tuple[str, str, str]]:
    """(kind, value, used as), each value once: one that a call uses is not a link as well."""
    uses: dict[str, tuple[str, str, str]] = {}
    for call in message.tool_calls:
        for path, leaf in argument_values(call):
            if _counts(value := leaf.strip()):
                uses.setdefault(value, ("reference", value, f"{call.name}.{path}" if path else call.name))
    for literal in find_literals(message.content):
        if _counts(literal):
            uses.setdefault(literal, ("link", literal, "the answer"))
    return uses.values()


def _counts(value: str) -> bool:
    return SHORTEST <= len(value) <= LONGEST and WORD.search(value) is not None
