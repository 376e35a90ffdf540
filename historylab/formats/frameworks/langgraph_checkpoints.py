"""LangGraph's snapshots of a thread: from the tables of a database, and in the ways in which a state becomes JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import JsonParser, containers_of
from historylab.formats.messages.fields import object_in, text_in
from historylab.formats.messages.paths import Located, value_at
from historylab.formats.messages.record_groups import located_items

TABLES = {
    "checkpoints": {"thread_id", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint"},
    "writes": {"thread_id", "checkpoint_id", "channel", "value"},
}
READ = ("thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint")
"""Columns of checkpoints that are read; older tables have no `checkpoint_ns`."""
INSTALL = 'LangGraph checkpoints are msgpack, which needs a library: pip install "historylab[formats]"'
FIRST_CONSTRUCTOR, LAST_CONSTRUCTOR, ARRAY, DELTA = 0, 5, 6, 7
"""Codes of msgpack extensions: (module, class, fields …) of an object, a numpy array, messages since a snapshot."""

HELD = ("values", "channel_values", "checkpoint.values", "checkpoint.channel_values")
MOST_NESTED = 50  # objects within objects


@dataclass(frozen=True)
class Snapshot:
    """One checkpoint; `age` sorts those of a thread from old to new. Its values are decoded when asked for."""

    where: str
    thread: str
    namespace: str
    id: str
    parent: str | None
    age: tuple[Any, ...]
    state: Any
    encoding: str
    report: Report

    @property
    def size(self) -> int:
        """The size of its contents, without decoding them: of several encoded alike."""
        if isinstance(self.state, dict):
            return max((len(held) for held in self.state.values() if isinstance(held, list)), default=0)
        return len(self.state) if isinstance(self.state, bytes | str) else 0

    @cached_property
    def values(self) -> Any:
        """The channels by name; empty if it can't be read, which the report says."""
        if self.encoding == "decoded":
            return self.state
        try:
            held = decode_column(self.encoding, self.state)
        except LoadError as problem:
            if str(problem) == INSTALL:
                raise
            self.report.skip(str(problem), self.where)
            return {}
        values = held.get("channel_values") if isinstance(held, dict) else None
        return values if isinstance(values, dict) else {}


def in_database(content: Content, report: Report) -> Iterator[Snapshot]:
    """The checkpoints of an SQLite database."""
    columns = ", ".join(name for name in READ if name in content.tables["checkpoints"])
    query = f"SELECT {columns} FROM checkpoints ORDER BY thread_id, checkpoint_id"
    for number, row in enumerate(content.rows(query), 1):
        thread, space, id = _names(row)
        age, parent = (id, number), text_in(row, "parent_checkpoint_id")
        state, encoding, where = row.get("checkpoint"), text_in(row, "type") or "", f"checkpoint {id[:40]}"
        yield Snapshot(where, thread, space, id or str(number), parent, age, state, encoding, report)


def in_json(values: list[tuple[str, Any]], report: Report) -> Iterator[Snapshot]:
    """The states in a JSON document or in its lines, alone or in a list; `get_state_history` has the newest first."""
    for number, (where, value) in enumerate(item for given in values for item in _items(*given)):
        found = _fields(value)
        if found is None:
            report.skip(f"{kind_of(value)} that is no state", where)
            continue
        state, config, parent, time = found
        thread, space, id = _names(config)
        alone = thread if thread or id else f"state {number + 1}"
        age, above = (id, str(time or ""), -number), text_in(parent, "checkpoint_id")
        yield Snapshot(where, alone, space, id or f"state {number}", above, age, state, "decoded", report)


def _names(ids: Mapping[str, Any]) -> tuple[str, str, str]:
    """The thread of a checkpoint, its namespace and its own id."""
    thread, space, id = (text_in(ids, key) or "" for key in ("thread_id", "checkpoint_ns", "checkpoint_id"))
    return thread, space, id


def decode_column(encoding: str, data: Any) -> Any:
    """The value of a checkpoint's column. Raises LoadError, which says how to install what is missing."""
    if encoding not in ("msgpack", "json"):
        raise LoadError(f"a checkpoint stored as {encoding[:20] or 'something unnamed'}, which isn't opened")
    data = data.encode() if isinstance(data, str) else data
    if not isinstance(data, bytes):
        raise LoadError(f"a checkpoint that is {kind_of(data)}")
    try:
        return JsonParser().value(data.decode(errors="replace")) if encoding == "json" else _unpack(data)
    except LoadError:
        raise
    except (ValueError, RecursionError):
        raise LoadError(f"a checkpoint that is no valid {encoding}") from None


def _unpack(data: bytes) -> Any:
    """The value of msgpack bytes. Raises ValueError for any that are none."""
    try:
        import msgpack
    except ImportError:
        raise LoadError(INSTALL) from None
    depth = 0

    def to_plain(code: int, inner: bytes) -> Any:
        """An extension as plain values: the fields of an object, whatever its class."""
        nonlocal depth
        if depth == MOST_NESTED or not FIRST_CONSTRUCTOR <= code <= DELTA or code == ARRAY:
            return None
        depth += 1
        held = unpack(inner)
        depth -= 1
        if code == DELTA:
            return held
        return held[2] if isinstance(held, list) and len(held) > 2 else None

    def unpack(data: bytes) -> Any:
        return msgpack.unpackb(
            data, ext_hook=to_plain, object_pairs_hook=_object, strict_map_key=False, unicode_errors="replace"
        )

    try:
        value = unpack(data)
        containers_of(value)  # refuses what is nested too deeply
        return value
    except (TypeError, OverflowError, msgpack.exceptions.UnpackException) as problem:
        raise ValueError(str(problem)) from None


def _object(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """An object as JSON has it, whose keys are texts."""
    return {key if isinstance(key, str) else str(key): value for key, value in pairs}


def _items(where: str, value: Any) -> Iterator[Located]:
    yield from [(where, value)] if _fields(value) else located_items([(where, value)], _holder(value))


def _holder(value: Any) -> str:
    """The key under which an object holds a list of states."""
    held = value.items() if isinstance(value, dict) else ()
    return next((key for key, states in held if isinstance(states, list) and any(map(_fields, states))), "")


def _fields(value: Any) -> tuple[Any, Mapping[str, Any], Mapping[str, Any], Any] | None:
    """Of a state its values, what names it and the one before it, and its time; None for anything else.

    A StateSnapshot that was dumped as the tuple it is, an object of the API, or a checkpoint with its config.
    """
    if isinstance(value, list):  # values, next, config, metadata, created_at, parent_config, …
        named = len(value) >= 6 and isinstance(value[0], dict) and isinstance(value[2], dict)
        return (value[0], _config(value[2]), _config(value[5]), value[4]) if named and _config(value[2]) else None
    if not isinstance(value, dict):
        return None
    value = object_in(value, "state") or value
    inner, state = object_in(value, "checkpoint"), value_at(value, HELD)
    if not isinstance(state, dict):
        return None
    config = _config(value.get("config")) or _config(inner) or _config(value)
    above = _config(value.get("parent_config")) or _config(value.get("parent_checkpoint"))
    return state, config, above, value.get("created_at") or inner.get("ts")


def _config(given: Any) -> Mapping[str, Any]:
    """The ids of a checkpoint: under `configurable`, or in the object itself."""
    found = given.get("configurable", given) if isinstance(given, dict) else None
    return found if isinstance(found, dict) and ("thread_id" in found or "checkpoint_id" in found) else {}
