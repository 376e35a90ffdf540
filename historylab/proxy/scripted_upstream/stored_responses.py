"""Responses that the API keeps for later requests to refer to, the latest of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.proxy.scripted_upstream.api import Body, RefusedByApi

MOST = 500


class StoredResponses:
    """The items of requests and their answers, by the id of the response; and each item of an answer by its own."""

    def __init__(self) -> None:
        self._histories: OrderedDict[str, list[Any]] = OrderedDict()
        self._items: OrderedDict[str, tuple[Body, str | None]] = OrderedDict()

    def keep(self, id: str, given: Sequence[Any], output: Sequence[Body]) -> None:
        """Store a response, with the items that led to it."""
        reasoning = next((item["id"] for item in output if item["type"] == "reasoning"), None)
        for item in output:
            self._items[item["id"]] = (item, None if item["id"] == reasoning else reasoning)
        self._histories[id] = [*given, *output]
        while len(self._histories) > MOST:
            self._histories.popitem(last=False)
        while len(self._items) > 3 * MOST:
            self._items.popitem(last=False)

    def history(self, id: str) -> list[Any]:
        """All items up to the end of that response. Raises RefusedByApi if it isn't stored."""
        if id not in self._histories:
            said = f"Previous response with id '{id}' not found."
            raise RefusedByApi(said, "previous_response_id", "previous_response_not_found")
        return self._histories[id]

    def resolve(self, item: Any) -> Any:
        """The item that a reference means; any other item is itself. Raises RefusedByApi if it isn't stored."""
        if not isinstance(item, Mapping) or item.get("type") != "item_reference":
            return item
        if item.get("id") not in self._items:
            raise RefusedByApi(f"Item with id '{item.get('id')}' not found.", "input", status=404)
        return self._items[item["id"]][0]

    def is_stored(self, id: Any) -> bool:
        """Tell whether an item of that id is stored."""
        return id in self._items

    def reasoning_of(self, id: Any) -> str | None:
        """The id of the reasoning that led to a stored item."""
        return self._items[id][1] if id in self._items else None
