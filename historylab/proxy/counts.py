"""What the proxy did since it started, in numbers for its health answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.proxy.deciding import STORE
from historylab.proxy.pending import PendingExchange


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

    def count_decision(self, exchange: Exchange, came: bytes, applies: bool) -> None:
        """Count the decision about a request that came so."""
        if exchange.untrimmed:
            self.untrimmed[exchange.untrimmed] += 1
        elif not applies:
            self.watched += 1
        elif exchange.sent is came:
            self.sent_whole += 1
        else:
            self.trimmed += 1

    def count_passed(self, pending: PendingExchange | None) -> None:
        """Count a request that was passed on; None: of no known API."""
        if pending is None:
            self.passed_through += 1
        else:
            self.unrecorded += bool(pending.unrecorded)
            self.store_fails = pending.unrecorded == STORE if pending.writing is not None else self.store_fails

    def as_json(self) -> dict[str, Any]:
        """By their names."""
        return {name: dict(n) if isinstance(n := getattr(self, name), Counter) else n for name in self.__slots__}
