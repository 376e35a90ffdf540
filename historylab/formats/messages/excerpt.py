"""Where a message came from, if it is not an item of the caller's by itself: a part of one, or several together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


class Excerpt(dict[str, Any]):
    """One message of what may be several in an item, as Chat Completions would have it: the `source` of that message.

    `origin` are the caller's own objects that hold it (one, or the items of a model's turn), empty for a part of a
    body's system field; `place` of `of` messages in them. `changed` once its text is another than theirs.
    """

    __slots__ = ("changed", "of", "origin", "place")

    def __init__(
        self, fields: Mapping[str, Any], origin: tuple[Any, ...], place: int = 0, of: int = 1, changed: bool = False
    ):
        super().__init__(fields)
        self.origin, self.place, self.of, self.changed = origin, place, of, changed

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (dict(self), self.origin, self.place, self.of, self.changed)

    def rewritten(self, fields: Mapping[str, Any]) -> Excerpt:
        """The same part with other fields."""
        return Excerpt(fields, self.origin, self.place, self.of, changed=True)
