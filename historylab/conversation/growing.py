"""Values that grow with a conversation: a longer one takes over what its beginning knew and adds what is new.

A growing value is immutable, as the conversation is. Its arrays share memory with those of the value it follows
(`GrowingArray`), so that adding to the newest costs what is added, and whoever holds an older one goes on reading it.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sized
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

C = TypeVar("C", bound=Sized)
LEAST_ROOM = 16
NOTES_PER_MESSAGE = 64
_appending = threading.Lock()


class Growing(ABC, Generic[C]):
    """A value derived from a conversation's messages alone, which `conversation.growing(key, make)` carries on.

    `C` is what it takes for a conversation: a `Conversation`, or a sequence of messages where that is enough.

    It must hold no conversation: each would hold the one before it. A method that returns None has the value made anew,
    which is always right and may be slow; arrays are cheap to make again, counts and texts are dear.
    """

    __slots__ = ()

    @abstractmethod
    def followed_by(self, conversation: C, start: int) -> Self:
        """The value for all of `conversation`, whose first `start` messages this one is for."""

    def beginning(self, conversation: C, size: int) -> Self | None:
        """The value for the first `size` of its messages, which `conversation` begins with."""
        return None

    def with_leading(self, conversation: C, before: int, now: int) -> Self | None:
        """The value for these messages with the first `before` replaced by the first `now` of `conversation`.

        All of those are system messages. What follows them is the same.
        """
        return None


class Grown(NamedTuple):
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

    def brought_to(self, conversation: Sized) -> Any:
        """The value for the whole conversation; None if it has to be made anew."""
        value, more = self.value, self.now - self.before
        if self.before or self.now:
            value = value.with_leading(conversation, self.before, self.now)
        start = self.stop + more
        if value is not None and self.stop < self.size:
            value = value.beginning(conversation, start)
        return value.followed_by(conversation, start) if value is not None and start < len(conversation) else value


class _Buffer:
    """Memory of several arrays: of its last axis, the first `used` places are taken."""

    __slots__ = ("data", "readable", "used")

    def __init__(self, data: np.ndarray, used: int):
        self.data, self.used, self.readable = data, used, data[...]
        self.readable.flags.writeable = False


class GrowingArray:
    """A read-only `array` that a longer one may share memory with, as Go's slices do; or some rows of equal length.

    The newest is followed in place while there is room; following an older one, or changing entries, copies.
    """

    __slots__ = ("_buffer", "array", "size")

    def __init__(self, values: np.ndarray):
        self._buffer, self.size = _Buffer(values, values.shape[-1]), values.shape[-1]
        self.array = self._buffer.readable

    def followed_by(self, values: Any) -> GrowingArray:
        """These entries and others after them, a list or an array; of rows an array with as many."""
        more = values.shape[-1] if isinstance(values, np.ndarray) else len(values)
        if not more:
            return self
        end = self.size + more
        with _appending:
            buffer = self._buffer
            if buffer.used != self.size or end > buffer.data.shape[-1]:
                room = max(LEAST_ROOM, self.size // 2) if self.size else 0
                buffer = _Buffer(np.empty((*self.array.shape[:-1], end + room), self.array.dtype), self.size)
                buffer.data[..., : self.size] = self.array
            buffer.data[..., self.size : end] = values
            buffer.used = end
        return self._view(buffer, end)

    def beginning(self, size: int) -> GrowingArray:
        """The first `size` entries; the same memory."""
        return self if size == self.size else self._view(self._buffer, size)

    def changed(self, places: Any, values: Any) -> GrowingArray:
        """A copy with other values at these places."""
        copy = self.array.copy()
        copy[places] = values
        return GrowingArray(copy)

    def _view(self, buffer: _Buffer, size: int) -> GrowingArray:
        view = object.__new__(GrowingArray)
        view._buffer, view.size, view.array = buffer, size, buffer.readable[..., :size]
        return view


class MessageColumn(Growing[C]):
    """A number of every message, in `array`; `of(conversation, start, stop)` finds those of some messages.

    It may look at nothing but these messages, and must hold no conversation.
    """

    __slots__ = ("_of", "_values", "array")

    def __init__(self, of: Callable[[C, int, int], np.ndarray], dtype: Any, values: GrowingArray | None = None):
        self._of, self._values = of, GrowingArray(np.zeros(0, dtype)) if values is None else values
        self.array = self._values.array

    def followed_by(self, conversation: C, start: int) -> Self:
        return self._with(self._values.followed_by(self._of(conversation, start, len(conversation))))

    def beginning(self, conversation: C, size: int) -> Self | None:
        return self._with(self._values.beginning(size))

    def with_leading(self, conversation: C, before: int, now: int) -> Self:
        return self._with(GrowingArray(np.concatenate((self._of(conversation, 0, now), self.array[before:]))))

    def _with(self, values: GrowingArray) -> Self:
        return type(self)(self._of, self.array.dtype, values)


class Notes(Growing[Sized]):
    """A dictionary for what was found about single messages and texts, under keys that tell these from all others.

    So it holds for every conversation with some of them. One that holds far more than a shorter conversation needs is
    left to the longer.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: dict[Any, Any] = {}

    def followed_by(self, conversation: Sized, start: int) -> Notes:
        return self

    def beginning(self, conversation: Sized, size: int) -> Notes | None:
        of_messages = max(map(len, self.found.values()), default=0)
        return self if of_messages <= NOTES_PER_MESSAGE * (size + 1) else None

    def with_leading(self, conversation: Sized, before: int, now: int) -> Notes:
        return self
