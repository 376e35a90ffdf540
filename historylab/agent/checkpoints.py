"""Checkpoints make compaction reversible: the messages as they were before each one, restored by id.

In memory, or in a folder, where they outlive a crash: one JSON file each. A checkpoint is a copy, so nothing that
happens to the conversation afterwards reaches it.
"""

from __future__ import annotations

import copy
import json
import os
import time
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from historylab.errors import HistoryLabError, UnknownMember

MOST_KEPT = 50


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What `list` shows: the id, the caller's label, how many messages, when (seconds since 1970)."""

    id: str
    label: str
    messages: int
    saved_at: float


class Checkpoints:
    """Saves lists of messages and gives them back.

    Args:
        folder: where to keep them, made if need be; None keeps them in memory. Messages must then be JSON values.
        keep: how many stay; beyond that the oldest goes.
    """

    def __init__(self, folder: str | os.PathLike | None = None, *, keep: int = MOST_KEPT) -> None:
        self._folder, self._keep = Path(folder) if folder is not None else None, max(1, keep)
        self._saved: dict[str, tuple[Checkpoint, Any]] = {}  # id → checkpoint, and its messages if they are in memory
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._saved = {found.id: (found, None) for found in self._found()}

    def save(self, messages: Iterable[Any], *, label: str = "") -> str:
        """Keep a copy of the messages as they are now; the id restores it."""
        messages = list(messages)
        checkpoint = Checkpoint(uuid.uuid4().hex, label, len(messages), time.time())
        if self._folder:
            self._write(checkpoint, messages)
            messages = None
        self._saved[checkpoint.id] = checkpoint, copy.deepcopy(messages)
        for old in list(self._saved)[: -self._keep]:
            self.discard(old)
        return checkpoint.id

    def restore(self, id: str) -> list[Any]:
        """A fresh copy of the messages of that checkpoint. Raises UnknownMember listing the checkpoints there are."""
        if id not in self._saved:
            raise UnknownMember("checkpoint", id, list(self._saved))
        return copy.deepcopy(self._saved[id][1]) if self._folder is None else self._read(id)["saved"]

    def discard(self, id: str) -> None:
        """Forget a checkpoint; one that isn't there is no error."""
        if self._saved.pop(id, None) and self._folder:
            self._path(id).unlink(missing_ok=True)

    def list(self) -> list[Checkpoint]:
        """Every checkpoint, the oldest first."""
        return [checkpoint for checkpoint, _ in self._saved.values()]

    def __len__(self) -> int:
        return len(self._saved)

    def _path(self, id: str) -> Path:
        return self._folder / f"{id}.json"

    def _write(self, checkpoint: Checkpoint, messages: list[Any]) -> None:
        """Written beside and moved into place, so that a crash leaves a whole file or none."""
        try:
            text = json.dumps({**asdict(checkpoint), "saved": messages}, ensure_ascii=False)
        except (TypeError, ValueError) as problem:
            raise HistoryLabError(f"these messages can't be saved in a folder, only in memory: {problem}") from None
        beside = self._folder / f"{checkpoint.id}.new"
        beside.write_text(text, encoding="utf-8", errors="surrogatepass")
        beside.replace(self._path(checkpoint.id))

    def _read(self, id: str) -> dict[str, Any]:
        return json.loads(self._path(id).read_text(encoding="utf-8", errors="surrogatepass"))

    def _found(self) -> list[Checkpoint]:
        fields = Checkpoint.__slots__
        read = (self._read(path.stem) for path in self._folder.glob("*.json"))
        return sorted((Checkpoint(*(f[name] for name in fields)) for f in read), key=lambda found: found.saved_at)
