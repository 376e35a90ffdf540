"""A request, placed in the history that it goes on from: what it holds of it, and what it adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from historylab.formats.messages.threads import Thread

NOWHERE = -1
ALIKE = 12
"""Characters at the beginning or the end that two texts of one message have in common."""

LAST = 4
"""Messages before what is new that show that a request goes on from there."""


@dataclass
class Alignment:
    """A request, placed in a thread.

    Attributes:
        thread: the history it goes on from.
        known: how many of the thread's messages it goes on from: all of them, or it is a branch or came late.
        places: per message that the thread may have its index there; NOWHERE for one that isn't in it.
        others: those (by their index in the request) that have another text than the thread's.
        unlike: those with a text that isn't known yet, of a message in the thread or of none.
        leading: how many of them are the system prompt.
        again: how many are like one that the request before held beside the thread's: a summary, say.
        doubt: words for what can't be told.
    """

    thread: Thread
    known: int
    places: Sequence[int]
    others: set[int] = field(default_factory=set)
    unlike: set[int] = field(default_factory=set)
    leading: int = 0
    again: int = 0
    doubt: str = ""

    @property
    def new(self) -> int:
        """The index in the request of the first message that comes after those."""
        return len(self.places)

    @property
    def goes_on(self) -> bool:
        """Tell whether the request goes on from all of the thread."""
        return self.known == len(self.thread.messages)

    def equal(self) -> list[int]:
        """The messages beside the system prompt that the thread has, with a text that is known."""
        return [i for i in range(self.leading, self.new) if i not in self.unlike]

    @property
    def foreign(self) -> int:
        """The number of messages before the new ones that the thread doesn't have."""
        return sum(place == NOWHERE for place in self.places[self.leading :]) - self.again

    @property
    def is_newest(self) -> bool:
        """Tell whether its last messages are the thread's, one after another, and all others are known, too."""
        last = self.places[max(self.leading, self.new - LAST) :]
        return self.foreign == 0 and all(b - a == 1 for a, b in pairwise(last)) and NOWHERE not in last

    @property
    def is_complete(self) -> bool:
        """Tell whether it holds the newest messages up to there, and nothing else."""
        said = self.places[self.leading :]
        return not self.unlike and all(b - a == 1 for a, b in pairwise(said))

    def up_to(self, known: int) -> Alignment:
        """The same, as far as it goes on from the first so many messages."""
        new = next((i + 1 for i in range(self.new - 1, -1, -1) if NOWHERE < self.places[i] < known), 0)
        others, unlike = ({i for i in each if i < new} for each in (self.others, self.unlike))
        return replace(self, known=known, places=self.places[:new], others=others, unlike=unlike)


def whole(thread: Thread, known: int) -> Alignment:
    """A request that begins with the first so many messages of a thread."""
    return Alignment(thread, known, range(known), leading=min(thread.prompt, known))


def are_alike(one: str, other: str) -> bool:
    """Tell whether two texts may be of one message: one holds the other, or they begin or end alike."""
    short, long = sorted((one.strip(), other.strip()), key=len)
    if long.startswith(f"{short}\n") or long.endswith(f"\n{short}") or short == long:
        return True
    enough = max(ALIKE, len(short) // 4)
    return len(short) >= ALIKE and (
        short in long or short[:enough] == long[:enough] or short[-enough:] == long[-enough:]
    )
