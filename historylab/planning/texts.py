"""Shorter texts that are sent in place of messages, counted once; they grow with the conversation."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import GrowingArray
from historylab.conversation.message import Message
from historylab.counters.base import Counter, token_column
from historylab.formats.messages.rewritten import is_flat, with_text

_adding = threading.Lock()


class Texts(Mapping[int, str]):
    """Texts for some messages, by index, counted once; only those that take fewer tokens than the original.

    `messages` (int64[k], ascending) are their indices, `homes` their blocks, `saved` the tokens each saves; `tokens` is
    int64[n], the original's where there is no text. Images, sound and files stay beside a text, unless it stands for
    the whole (`media=False`). With `every` those that save nothing are held as well.
    """

    __slots__ = ("_given", "_made", "_rows", "_tokens", "homes", "media", "messages", "saved", "tokens")

    def __init__(
        self,
        conversation: Conversation,
        counter: Counter,
        texts: Mapping[int, str],
        *,
        media: bool = True,
        every: bool = False,
    ):
        rows, none = GrowingArray(np.zeros((3, 0), np.int64)), GrowingArray(np.zeros(0, np.int64))
        self._made: dict[int, tuple[Message, str, Message]] = {}  # flat ones, by index: of which, with which text
        self._set(*_with_others(conversation, counter, texts, (rows, none, {}), media=media, every=every), media=media)

    def followed_by(self, conversation: Conversation, counter: Counter, texts: Mapping[int, str]) -> Texts:
        """These and other texts, for a conversation that begins with this one's messages; counted by the same."""
        known = self._rows, self._tokens, self._given
        new = _with_others(conversation, counter, texts, known, media=self.media, every=False)
        return self._heir()._set(*new, media=self.media)

    def beginning(self, size: int) -> Texts:
        """Those of the first `size` messages."""
        rows = self._rows.beginning(int(self.messages.searchsorted(size)))
        return self._heir()._set(rows, self._tokens.beginning(size), self._given, media=self.media)

    def with_leading(self, conversation: Conversation, counter: Counter, before: int, now: int) -> Texts:
        """The same with `now` leading system messages of `conversation` in place of `before`."""
        tokens = np.append(token_column(conversation.beginning(now), counter), self.tokens[before:])
        rows, given, more = self._rows, self._given, now - before
        if more:
            rows = GrowingArray(rows.array + np.array([[more], [more], [0]]))
            given = {i + more: given[i] for i in self.messages.tolist()}
        return self._heir()._set(rows, GrowingArray(tokens), given, media=self.media)

    def _heir(self) -> Texts:
        heir = object.__new__(Texts)
        heir._made = self._made
        return heir

    def _set(self, rows: GrowingArray, tokens: GrowingArray, given: dict[int, str], *, media: bool) -> Texts:
        self._rows, self._tokens, self._given, self.media = rows, tokens, given, media
        self.messages, self.homes, self.saved = rows.array
        self.tokens = tokens.array
        return self

    def shortened(self, i: int, message: Message) -> Message:
        """Message `i`, for which there is a text here, with it."""
        text = self._given[i]
        known = self._made.get(i)
        if known and known[0] is message and known[1] is text:
            return known[2]
        made = with_text(message, text, media=self.media)
        if is_flat(made.source):  # a form copies it, so that no request shares anything with another
            self._made[i] = message, text, made
        return made

    def __getitem__(self, i: int) -> str:
        place = int(self.messages.searchsorted(i))
        if place == len(self.messages) or self.messages[place] != i:
            raise KeyError(i)  # what the dictionary has under it is a longer conversation's
        return self._given[i]

    def __iter__(self) -> Iterator[int]:
        return iter(self.messages.tolist())

    def __len__(self) -> int:
        return len(self.messages)


_Known = tuple[GrowingArray, GrowingArray, dict[int, str]]


def _with_others(
    conversation: Conversation,
    counter: Counter,
    texts: Mapping[int, str],
    known: _Known,
    *,
    media: bool,
    every: bool,
) -> _Known:
    """The rows, tokens and texts that are known, and those of other messages, for the whole conversation."""
    rows, tokens, said = known
    whole, given = token_column(conversation, counter), np.array(sorted(texts), np.int64)
    dropped: Mapping[str, Any] = {} if media else {"media": ()}
    shorter = [replace(conversation[i], content=texts[i], **dropped) for i in given.tolist()]
    counted = counter.count(shorter) if shorter else given
    saves = (counted < whole[given]) | every
    messages, saved = given[saves], (whole[given] - counted)[saves]
    start, column = tokens.size, whole[tokens.size :].copy()
    earlier = messages < start
    column[messages[~earlier] - start] -= saved[~earlier]
    if earlier.any():
        tokens = tokens.changed(messages[earlier], whole[messages[earlier]] - saved[earlier])
    new = {i: texts[i] for i in messages.tolist()}
    with _adding:
        if len(said) != rows.size:  # a longer conversation has added its own
            said = {i: said[i] for i in rows.array[0].tolist()}
        said.update(new)
    rows_of_new = np.array([messages, conversation.columns.block[messages], saved])
    in_order = not rows.size or not len(messages) or messages[0] > rows.array[0, -1]
    rows = rows.followed_by(rows_of_new)
    if not in_order:
        rows = GrowingArray(rows.array[:, np.argsort(rows.array[0], kind="stable")])
    return rows, tokens.followed_by(column), said
