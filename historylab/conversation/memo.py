"""Values derived from an immutable object, kept with it so that they are computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
taking_turns = threading.Lock()  # a sample is shared by all sessions' threads


class Memo:
    """Values derived from an immutable object alone, kept with it so that they are computed once.

    A key is a name, or a tuple of a name and what the value depends on besides (options, a counter). Options take any
    number of values, and a conversation may live as long as the process: of such a name only the latest used are kept.
    """

    derived: dict[Hashable, Any]

    def remember(self, key: Hashable, make: Callable[[], T], *, most: int = 16) -> T:
        """The value kept under `key`; `make()` computes it. `most`: values kept of a name that comes with options."""
        if not isinstance(key, tuple):
            if key not in self.derived:
                self.derived[key] = make()
            found: T = self.derived[key]
            return found
        kept: dict[Hashable, T] = self.derived.setdefault(key[:1], {})  # the least recently used first
        with taking_turns:
            if key in kept:
                found = kept[key] = kept.pop(key)
                return found
        found = make()
        with taking_turns:
            kept[key] = found
            while len(kept) > most:
                del kept[next(iter(kept))]
        return found
