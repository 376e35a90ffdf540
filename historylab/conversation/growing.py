"""Values that grow with a conversation: a longer one takes over what its beginning knew and adds what is new.

A growing value is immutable, as the conversation is. Its arrays share memory with those of the value it follows
(`GrowingArray`), so that adding to the newest costs what is added, and whoever holds an older one goes on reading it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation

Of = Callable[["Conversation", int, int], np.ndarray]
LEAST_ROOM = 16
_appending = threading.Lock()


class Growing:
    """A value derived from a conversation's messages alone, which `conversation.growing(key, make)` carries on.

    It must hold no conversation: each would hold the one before it. A method that returns None has the value made anew,
    which is always right and may be slow; arrays are cheap to make again, counts and texts are dear.
    """

    __slots__ = ()

    def followed_by(self, conversation: Conversation, start: int) -> Self:
        """The value for all of `conversation`, whose first `start` messages this one is for."""
        raise NotImplementedError

    def beginning(self, size: int) -> Self | None:
        """The value for the first `size` of its messages."""
        return None

    def with_leading(self, conversation: Conversation, before: int, now: int) -> Self | None:
        """The value for these messages with the first `before` replaced by the first `now` of `conversation`.

        All of those are system messages. What follows them is the same.
        """
        return None


@dataclass(frozen=True, slots=True)
class Grown:
    """A value as a later conversation inherits it: of the messages it is for, `stop` still stand.

    The first `before` of them have become `now` others.
    """

    value: Any
    size: int  # messages the value is for
    stop: int
    before: int = 0
    now: int = 0

    def is_for(self, size: int) -> bool:
        """Whether it needs nothing done to it in a conversation of so many messages."""
        return self.size == size == self.stop and not (self.before or self.now)

    def up_to(self, size: int) -> Grown | None:
        """As the first `size` messages of its heir inherit it; None if nothing of it is left."""
        stop = min(self.stop, size - self.now + self.before)
        return Grown(self.value, self.size, stop, self.before, self.now) if stop > self.before else None

    def led_by(self, replaced: int, others: int) -> Grown | None:
        """As it is inherited where the first `replaced` messages of its heir become so many others."""
        before = self.before + max(0, replaced - self.now)
        now = others + max(0, self.now - replaced)
        return Grown(self.value, self.size, self.stop, before, now) if self.stop >= before else None

    def brought_to(self, conversation: Conversation) -> Any:
        """The value for the whole conversation; None if it has to be made anew."""
        value = self.value if self.stop == self.size else self.value.beginning(self.stop)
        if value is not None and (self.before or self.now):
            value = value.with_leading(conversation, self.before, self.now)
        start = self.stop - self.before + self.now
        return value.followed_by(conversation, start) if value is not None and start < len(conversation) else value


class _Buffer:
    __slots__ = ("data", "used")

    def __init__(self, data: np.ndarray, used: int):
        self.data, self.used = data, used


class GrowingArray:
    """A read-only `array` that a longer one may share memory with, as Go's slices do.

    The newest is followed in place while there is room; following an older one, or changing entries, copies.
    """

    __slots__ = ("_buffer", "array")

    def __init__(self, values: np.ndarray):
        self._view(_Buffer(values, len(values)), len(values))

    def _view(self, buffer: _Buffer, size: int) -> Self:
        self._buffer, self.array = buffer, buffer.data[:size]
        self.array.flags.writeable = False
        return self

    def __len__(self) -> int:
        return len(self.array)

    def followed_by(self, values: np.ndarray | list[Any]) -> GrowingArray:
        """These entries and others after them."""
        size, more = len(self.array), len(values)
        if not more:
            return self
        if not size and isinstance(values, np.ndarray) and values.dtype == self.array.dtype:
            return GrowingArray(values)
        with _appending:
            buffer = self._buffer
            if buffer.used != size or size + more > len(buffer.data):
                buffer = _Buffer(np.empty(size + more + max(LEAST_ROOM, size // 2), self.array.dtype), size)
                buffer.data[:size] = self.array
            buffer.data[size : size + more] = values
            buffer.used = size + more
        return object.__new__(GrowingArray)._view(buffer, size + more)

    def beginning(self, size: int) -> GrowingArray:
        """The first `size` entries; the same memory."""
        return self if size == len(self.array) else object.__new__(GrowingArray)._view(self._buffer, size)

    def changed(self, places: Any, values: Any) -> GrowingArray:
        """A copy with other values at these places."""
        copy = self.array.copy()
        copy[places] = values
        return GrowingArray(copy)


class MessageColumn(Growing):
    """A number of every message, in `array`; `of(conversation, start, stop)` finds those of some messages.

    It may look at nothing but these messages, and must hold no conversation.
    """

    __slots__ = ("_of", "_values", "array")

    def __init__(
        self, of: Callable[[Conversation, int, int], np.ndarray], dtype: Any, values: GrowingArray | None = None
    ):
        self._of, self._values = of, GrowingArray(np.zeros(0, dtype)) if values is None else values
        self.array = self._values.array

    def followed_by(self, conversation: Conversation, start: int) -> MessageColumn:
        return self._with(self._values.followed_by(self._of(conversation, start, len(conversation))))

    def beginning(self, size: int) -> MessageColumn:
        return self._with(self._values.beginning(size))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> MessageColumn:
        return self._with(GrowingArray(np.concatenate((self._of(conversation, 0, now), self.array[before:]))))

    def _with(self, values: GrowingArray) -> MessageColumn:
        return MessageColumn(self._of, self.array.dtype, values)
