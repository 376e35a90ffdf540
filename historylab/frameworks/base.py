"""The parts that hooks share: the Trimmer behind each, and messages that are converted once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from historylab.settings.model import Settings
from historylab.settings.names import STORE
from historylab.trimming.trimmer import Trimmer

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

Record = dict[str, Any]
MOST = 50_000
"""Messages whose records are held."""


def open_trimmer(settings: Settings | None, store: StateStore | str | None, form: str) -> Trimmer:
    """The Trimmer of a hook; where no store is given, with the one that the environment names in HISTORYLAB_STORE."""
    return Trimmer(settings, store=store or os.environ.get(STORE) or None, format=form)


class Converted:
    """A framework's messages as chat messages. Each is converted once, for as long as its `content` is the same object.

    Records and messages are found by the ids of messages, which are held here.
    """

    def __init__(self, convert: Callable[[Any], list[Record]], content: Callable[[Any], object]):
        self._convert, self._content = convert, content
        self._known: dict[int, tuple[Any, object, list[Record]]] = {}

    def __call__(self, message: Any) -> list[Record]:
        held, content, records = self._known.get(id(message), (None, None, []))
        if held is not message or content is not self._content(message):
            if len(self._known) >= MOST:
                self._known.clear()
            records = self._convert(message)
            self._known[id(message)] = message, self._content(message), records
        return records
