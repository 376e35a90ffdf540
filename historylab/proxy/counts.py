"""What the proxy did since it started, in numbers for its health answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from historylab.proxy.deciding import STORE, Decided
from historylab.proxy.exchange import Passing


@dataclass(slots=True)
class Counts:
    """Requests by what became of them. Those decided are trimmed, sent whole, only watched or untrimmed by reason."""

    requests: int = 0
    trimmed: int = 0
    sent_whole: int = 0
    watched: int = 0
    passed_through: int = 0
    untrimmed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    unrecorded: int = 0
    store_fails: bool = False

    def decided(self, decided: Decided, came: bytes, applies: bool) -> None:
        """Count what was decided on a request that came so."""
        if decided.untrimmed:
            self.untrimmed[decided.untrimmed] += 1
        elif not applies:
            self.watched += 1
        elif decided.content is came:
            self.sent_whole += 1
        else:
            self.trimmed += 1

    def passed(self, passing: Passing | None) -> None:
        """Count a request that was passed on; None: of no known API."""
        if passing is None:
            self.passed_through += 1
        else:
            self.unrecorded += bool(passing.unrecorded)
            self.store_fails = passing.unrecorded == STORE if passing.writing is not None else self.store_fails

    def as_json(self) -> dict[str, Any]:
        """By their names."""
        return {name: dict(n) if isinstance(n := getattr(self, name), Counter) else n for name in self.__slots__}
