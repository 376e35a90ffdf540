"""What a recording says of the store that its requests were planned with: a store that only reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import NOTED_STATE


class ReadOnlyState:
    """A store of state that has these values, and keeps nothing else."""

    def __init__(self, values: Mapping[str, str]):
        self._values = values

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        return {key: self._values[key] for key in keys if key in self._values}

    def write_state(self, key: str, value: str) -> str:
        return self._values.get(key, value)

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        return {key: self.write_state(key, value) for key, value in values.items()}

    def delete_state(self, older_than: float) -> int:
        return 0


def noted_state(conversation: Conversation) -> ReadOnlyState | None:
    """The state that a recording noted, so that replaying it sends the summaries that were sent; None without one."""
    found = conversation.metadata.get(NOTED_STATE)
    if not isinstance(found, Mapping):
        return None
    values = {key: value for key, value in found.items() if isinstance(key, str) and isinstance(value, str)}
    return ReadOnlyState(values) if values else None
