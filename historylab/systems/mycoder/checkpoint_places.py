"""Where checkpoints are kept: in memory, in a folder (a JSON file each), or as lines of a conversation's recording."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from historylab.errors import HistoryLabError
from historylab.formats.traces.recorded_lines import CHECKPOINT, KIND, parse_line
from historylab.recordings.exchange import make_line
from historylab.stores.base import Record, RecordStore

SAVED, GONE = "saved", "discarded"
LOOK_AT = 60  # characters of a line that show its kind


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An entry of `Checkpoints.list`: the id, the caller's label, how many messages, when (seconds since 1970)."""

    id: str
    label: str
    messages: int
    saved_at: float


class CheckpointPlace(Protocol):
    """Keeps the messages of checkpoints; ids come from `Checkpoints`, which asks only for those that are there."""

    def write(self, checkpoint: Checkpoint, messages: list[Any]) -> None: ...

    def read(self, id: str) -> list[Any]: ...

    def delete(self, id: str) -> None: ...

    def read_all(self) -> list[Checkpoint]:
        """All there are, the oldest first."""
        ...


class InMemory:
    """Gone with the process."""

    def __init__(self) -> None:
        self._messages: dict[str, list[Any]] = {}

    def write(self, checkpoint: Checkpoint, messages: list[Any]) -> None:
        self._messages[checkpoint.id] = copy.deepcopy(messages)

    def read(self, id: str) -> list[Any]:
        return copy.deepcopy(self._messages[id])

    def delete(self, id: str) -> None:
        del self._messages[id]

    def read_all(self) -> list[Checkpoint]:
        return []


class InFolder:
    """A JSON file each, written beside and moved into place, so that a crash leaves a whole one or none."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, checkpoint: Checkpoint, messages: list[Any]) -> None:
        try:
            text = json.dumps({**asdict(checkpoint), SAVED: messages}, ensure_ascii=False)
        except (TypeError, ValueError) as problem:
            raise HistoryLabError(f"these messages can't be saved in a folder, only in memory: {problem}") from None
        beside = self._folder / f"{checkpoint.id}.new"
        beside.write_text(text, encoding="utf-8", errors="surrogatepass")
        beside.replace(self._path(checkpoint.id))

    def read(self, id: str) -> list[Any]:
        messages: list[Any] = _read(self._path(id))[SAVED]
        return messages

    def delete(self, id: str) -> None:
        self._path(id).unlink(missing_ok=True)

    def read_all(self) -> list[Checkpoint]:
        return _in_order(map(_read, self._folder.glob("*.json")))

    def _path(self, id: str) -> Path:
        return self._folder / f"{id}.json"


class InRecording:
    """Lines of a conversation in a recording, which go with it. One that is discarded is only marked so until then."""

    def __init__(self, store: RecordStore, conversation: str):
        self._store, self._conversation = store, conversation

    def write(self, checkpoint: Checkpoint, messages: list[Any]) -> None:
        self._append(make_line(CHECKPOINT, **asdict(checkpoint), saved=messages))

    def read(self, id: str) -> list[Any]:
        found = next((line.get(SAVED) for line in self._lines() if line.get("id") == id), None)
        return found if isinstance(found, list) else []

    def delete(self, id: str) -> None:
        self._append(make_line(CHECKPOINT, id=id, discarded=True))

    def read_all(self) -> list[Checkpoint]:
        lines = list(self._lines())
        gone = {line["id"] for line in lines if line.get(GONE)}
        return _in_order(line for line in lines if line["id"] not in gone)

    def _append(self, line: str) -> None:
        self._store.append_records([Record(self._conversation, time.time(), line)])

    def _lines(self) -> Iterator[dict[str, Any]]:
        for record in self._store.read_records(conversation=self._conversation):
            line = parse_line(record.text) if CHECKPOINT in record.text[:LOOK_AT] else {}
            if line.get(KIND) == CHECKPOINT and isinstance(line.get("id"), str):
                yield line


def _read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    return record


def _in_order(records: Iterator[dict[str, Any]]) -> list[Checkpoint]:
    found = [
        Checkpoint(record["id"], record.get("label", ""), record.get("messages", 0), record["saved_at"])
        for record in records
        if isinstance(record.get("saved_at"), float | int)
    ]
    return sorted(found, key=lambda checkpoint: checkpoint.saved_at)
