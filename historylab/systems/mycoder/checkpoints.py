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
    """An entry of `list`: the id, the caller's label, how many messages, when (seconds since 1970)."""

    id: str
    label: str
    messages: int
    saved_at: float


class Checkpoints:
    """Saves lists of messages and gives them back.

    Args:
        folder: where to keep them, made if need be; None keeps them in memory. Messages must then be JSON values.
        keep: how many stay; beyond that the oldest is deleted.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, keep: int = MOST_KEPT) -> None:
        self._folder, self._keep = Path(folder) if folder is not None else None, max(1, keep)
        self._saved: dict[str, Checkpoint] = {}
        self._in_memory: dict[str, list[Any]] = {}  # id → messages, where there is no folder
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._saved = {checkpoint.id: checkpoint for checkpoint in _read_all(self._folder)}

    def save(self, messages: Iterable[Any], *, label: str = "") -> str:
        """Keep a copy of the messages as they are now; the id restores it."""
        given = list(messages)
        checkpoint = Checkpoint(uuid.uuid4().hex, label, len(given), time.time())
        if self._folder:
            _write(self._folder, checkpoint, given)
        else:
            self._in_memory[checkpoint.id] = copy.deepcopy(given)
        self._saved[checkpoint.id] = checkpoint
        for old in list(self._saved)[: -self._keep]:
            self.discard(old)
        return checkpoint.id

    def restore(self, id: str) -> list[Any]:
        """A fresh copy of the messages of that checkpoint. Raises UnknownMember listing the checkpoints there are."""
        if id not in self._saved:
            raise UnknownMember("checkpoint", id, list(self._saved))
        if self._folder is None:
            return copy.deepcopy(self._in_memory[id])
        messages: list[Any] = _read(_path(self._folder, id))["saved"]
        return messages

    def discard(self, id: str) -> None:
        """Forget a checkpoint; one that isn't there is no error."""
        self._in_memory.pop(id, None)
        if self._saved.pop(id, None) and self._folder:
            _path(self._folder, id).unlink(missing_ok=True)

    def list(self) -> list[Checkpoint]:
        """Every checkpoint, the oldest first."""
        return [*self._saved.values()]

    def __len__(self) -> int:
        return len(self._saved)


def _path(folder: Path, id: str) -> Path:
    return folder / f"{id}.json"


def _write(folder: Path, checkpoint: Checkpoint, messages: list[Any]) -> None:
    """Written beside and moved into place, so that a crash leaves a whole file or none."""
    try:
        text = json.dumps({**asdict(checkpoint), "saved": messages}, ensure_ascii=False)
    except (TypeError, ValueError) as problem:
        raise HistoryLabError(f"these messages can't be saved in a folder, only in memory: {problem}") from None
    beside = folder / f"{checkpoint.id}.new"
    beside.write_text(text, encoding="utf-8", errors="surrogatepass")
    beside.replace(_path(folder, checkpoint.id))


def _read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    return record


def _read_all(folder: Path) -> list[Checkpoint]:
    """Every checkpoint of a folder, the oldest first."""
    records = map(_read, folder.glob("*.json"))
    checkpoints = [Checkpoint(*(record[name] for name in Checkpoint.__slots__)) for record in records]
    return sorted(checkpoints, key=lambda checkpoint: checkpoint.saved_at)
