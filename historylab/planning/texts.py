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

    In place of a text a whole message may be given, which has fewer calls, too; `given` has them as they were.

    `messages` (int64[k], ascending) are their indices, `homes` their blocks, `saved` the tokens each saves. Images,
    sound and files stay beside a text, unless it stands for the whole (`media=False`). With `every` those that save
    nothing are held as well.
    """

    __slots__ = ("_given", "_made", "_rows", "_tokens", "homes", "media", "messages", "saved")

    def __init__(
        self,
        conversation: Conversation,
        counter: Counter,
        texts: Mapping[int, str | Message],
        *,
        media: bool = True,
        every: bool = False,
    ):
        self._made: dict[int, tuple[Message, str, Message]] = {}  # flat ones, by index: of which, with which text
        self._set(GrowingArray(np.zeros((4, 0), np.int64)), {}, media=media)
        self._set(*self._with_others(conversation, counter, texts, every=every), media=media)

    def followed_by(self, conversation: Conversation, counter: Counter, texts: Mapping[int, str]) -> Texts:
        """These and other texts, for a conversation that begins with this one's messages; counted by the same."""
        if not texts:
            return self
        return self._heir()._set(*self._with_others(conversation, counter, texts), media=self.media)

    def beginning(self, size: int) -> Texts:
        """Those of the first `size` messages."""
        rows = self._rows.beginning(int(self.messages.searchsorted(size)))
        return self._heir()._set(rows, self._given, media=self.media)

    def with_leading(self, before: int, now: int) -> Texts:
        """The same where `now` leading system messages are in place of `before`."""
        if more := now - before:
            rows = GrowingArray(self._rows.array + np.array([[more], [more], [0], [0]]))
            given = {i + more: self._given[i] for i in self.messages.tolist()}
            return self._heir()._set(rows, given, media=self.media)
        return self

    def _heir(self) -> Texts:
        heir = object.__new__(Texts)
        heir._made = self._made
        return heir

    def _set(self, rows: GrowingArray, given: dict[int, str | Message], *, media: bool) -> Texts:
        self._rows, self._given, self.media = rows, given, media
        self.messages, self.homes, self.saved, self._tokens = rows.array
        return self

    def tokens_of(self, messages: np.ndarray) -> np.ndarray:
        """int64: what the texts for these messages take, each with the message around it. All have to have one."""
        tokens: np.ndarray = self._tokens[self.messages.searchsorted(messages)]
        return tokens

    def with_text(self, i: int, message: Message) -> Message:
        """Message `i`, for which there is a text here, with it."""
        text = self._given[i]
        if isinstance(text, Message):
            return text
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
        given = self._given[i]
        return given.content if isinstance(given, Message) else given

    @property
    def given(self) -> dict[int, str | Message]:
        """The texts and messages as they were given."""
        return {i: self._given[i] for i in self}

    def __iter__(self) -> Iterator[int]:
        return iter(self.messages.tolist())

    def __len__(self) -> int:
        return len(self.messages)

    def _with_others(
        self, conversation: Conversation, counter: Counter, texts: Mapping[int, str | Message], *, every: bool = False
    ) -> tuple[GrowingArray, dict[int, str | Message]]:
        """The rows and texts that are known, and those of other messages."""
        rows, said, given = self._rows, self._given, np.array(sorted(texts), np.int64)
        dropped: Mapping[str, Any] = {} if self.media else {"media": ()}
        sent = {i: texts[i] for i in given.tolist()}
        shorter = [
            t if isinstance(t, Message) else replace(conversation[i], content=t, **dropped) for i, t in sent.items()
        ]
        whole, tokens = token_column(conversation, counter)[given], counter.count(shorter) if shorter else given
        saves = (tokens < whole) | every
        messages = given[saves]
        new = {i: texts[i] for i in messages.tolist()}
        with _adding:
            if len(said) != rows.size:  # a longer conversation has added its own
                said = {i: said[i] for i in rows.array[0].tolist()}
            said.update(new)
        of_new = np.array([messages, conversation.columns.block[messages], (whole - tokens)[saves], tokens[saves]])
        in_order = not rows.size or not len(messages) or messages[0] > rows.array[0, -1]
        rows = rows.followed_by(of_new)
        if not in_order:
            rows = GrowingArray(rows.array[:, np.argsort(rows.array[0], kind="stable")])
        return rows, said
