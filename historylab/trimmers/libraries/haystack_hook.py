"""Haystack's `CompactionHook`, driven as an agent drives it before each call of the model: with the state it left."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from historylab.trimmers.forms.haystack import import_haystack


class HaystackCompaction:
    """The hook with one of its compactors."""

    form = "haystack"
    system_inside = True
    carries = True
    asked = "request"
    summarizes = False

    def __init__(self, compactor: str, options: Mapping[str, Any], **hook: Any):
        compaction = import_haystack("hooks.compaction")
        self._state = import_haystack("components.agents.state").State
        with warnings.catch_warnings():  # each says that it is experimental
            warnings.simplefilter("ignore")
            self._hook = compaction.CompactionHook(getattr(compaction, compactor)(**options), **hook)

    def __call__(self, items: list[Any]) -> list[Any]:
        state = self._state({"context_tokens": {"type": int}}, {"messages": list(items), "context_tokens": 0})
        self._hook.run(state)
        left: list[Any] = state.data["messages"]
        return left
