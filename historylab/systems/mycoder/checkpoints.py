"""Checkpoints make compaction reversible: the messages as they were before each one, restored by id.

In memory; in a folder or a recording, where they outlive a crash. A checkpoint is a copy, so nothing that happens to
the conversation afterwards reaches it.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from historylab.errors import UnknownMember
from historylab.systems.mycoder.checkpoint_places import Checkpoint, CheckpointPlace, InFolder, InMemory

MOST_KEPT = 50


class Checkpoints:
    """Saves lists of messages and gives them back.

    Args:
        folder: where to keep them, made if need be; None keeps them in memory. Messages must then be JSON values.
        keep: how many stay; beyond that the oldest is deleted.
        place: another place, such as `InRecording`.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        keep: int = MOST_KEPT,
        place: CheckpointPlace | None = None,
    ) -> None:
        self._place = place or (InFolder(Path(folder)) if folder is not None else InMemory())
        self._keep = max(1, keep)
        self._saved = {checkpoint.id: checkpoint for checkpoint in self._place.read_all()}

    def save(self, messages: Iterable[Any], *, label: str = "") -> str:
        """Keep a copy of the messages as they are now; the id restores it."""
        given = list(messages)
        checkpoint = Checkpoint(uuid.uuid4().hex, label, len(given), time.time())
        self._place.write(checkpoint, given)
        self._saved[checkpoint.id] = checkpoint
        for old in list(self._saved)[: -self._keep]:
            self.discard(old)
        return checkpoint.id

    def restore(self, id: str) -> list[Any]:
        """A fresh copy of the messages of that checkpoint. Raises UnknownMember listing the checkpoints there are."""
        if id not in self._saved:
            raise UnknownMember("checkpoint", id, list(self._saved))
        return self._place.read(id)

    def discard(self, id: str) -> None:
        """Forget a checkpoint; one that isn't there is no error."""
        if self._saved.pop(id, None):
            self._place.delete(id)

    def list(self) -> list[Checkpoint]:
        """Every checkpoint, the oldest first."""
        return [*self._saved.values()]

    def __len__(self) -> int:
        return len(self._saved)
