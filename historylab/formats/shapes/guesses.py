"""Guesses of a shape's fields by their names and by the values they hold: parts, calls, results, time, model, usage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.formats.files.row_table import COLUMNS
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import MEDIA
from historylab.formats.messages.paths import value_at

NAMES = {
    "name": COLUMNS["name"],
    "time": f"{COLUMNS['time']} created timestamp_ms createdat_ms at when",
    "id": COLUMNS["id"],
    "conversation": COLUMNS["group"],
    "model": "model model_id model_name modelid modelname",
    "answers": "tool_call_id toolcallid tool_use_id tooluseid call_id callid",
    "thinking": "reasoning_content reasoning thinking thought thoughts",
    "usage": "usage usage_metadata usagemetadata token_usage tokens metrics",
}
"""Field of a shape → the names it goes by, the surest first."""

CALLS = "tool_calls toolcalls tool_requests toolrequests tool_uses calls"
RESULTS = "tool_results toolresults tool_responses results"
OF_CALL = {
    "id": "id tool_call_id toolcallid call_id callid tool_use_id tooluseid",
    "name": "name tool_name toolname function_name functionname tool function",
    "arguments": "arguments args input parameters params tool_input",
}
OF_RESULT = {
    "id": "tool_call_id toolcallid call_id callid tool_use_id tooluseid source_call_id id",
    "text": "content output result text response value",
}
WORDS_OF_PART = "text content value thinking reasoning summary"
WORDS_OF_THINKING = ("think", "reason", "thought")
LEVELS = 3


def guess_fields(items: Sequence[Any], role: str, text: str) -> dict[str, Any]:
    """The fields of a shape for items in which these two say who speaks and what: what else is known by its name."""
    leaves = Counter(path for item in items for path, _ in _fields_in(item))
    beside = [path for path in leaves if path not in (role, text)]
    found: dict[str, Any] = {}
    for field, names in NAMES.items():
        fitting = [path for path in beside if field != "time" or _has_times(items, path)]
        if path := _by_name(fitting, names):
            found[field] = path
    if any(isinstance(value_at(item, text), list) for item in items):
        found["parts"], found["kinds"] = text, _guess_kinds(part for item in items for part in _parts_at(item, text))
    else:
        found["text"] = text
    for field, names, known in (("calls", CALLS, OF_CALL), ("results", RESULTS, OF_RESULT)):
        path = _by_name(beside, names)
        held = [each for item in items for each in _parts_at(item, path)] if path else []
        if held and (within := _paths_of(held, known)).keys() == known.keys():
            found[field] = {"items": path, **within}
    return found


def _fields_in(item: Any, path: str = "", levels: int = LEVELS) -> Iterator[tuple[str, Any]]:
    """Every field of an object, also of the objects in it, with its path."""
    for key, value in item.items() if isinstance(item, dict) else ():
        at = f"{path}.{key}".lstrip(".")
        if value not in (None, "", [], {}):
            yield at, value
        if levels > 1:
            yield from _fields_in(value, at, levels - 1)


def _has_times(items: Sequence[Any], path: str) -> bool:
    """Tell whether every value there is a time of the years in which models have been talked to."""
    found = [value for item in items if (value := value_at(item, path)) is not None]
    return all("1990" <= (iso_time(value) or "") < "2100" for value in found)


def _parts_at(item: Any, path: str) -> list[dict[str, Any]]:
    found = value_at(item, path)
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def _by_name(paths: Iterable[str], names: str) -> str:
    """The path whose last key is the surest of these names, the shortest of several."""
    spelt = {name: place for place, name in enumerate(names.split())}
    known = [(spelt[key], path.count("."), path) for path in paths if (key := _spelt(path)) in spelt]
    return min(known, default=(0, 0, ""))[2]


def _spelt(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", path.rpartition(".")[2].casefold()).strip("_")


def _paths_of(held: Sequence[Any], known: Mapping[str, str]) -> dict[str, str]:
    """Content → the path in these objects that goes by one of its names."""
    paths = list(dict.fromkeys(path for each in held for path, _ in _fields_in(each)))
    return {content: path for content, names in known.items() if (path := _by_name(paths, names))}


def _guess_kinds(parts: Iterable[Any]) -> dict[str, Any]:
    """A table of the kinds of these parts, of those whose names and fields tell."""
    by_kind: dict[str, list[Any]] = {}
    for part in parts:
        kind = part.get("type")
        if isinstance(kind, str):
            by_kind.setdefault(kind, []).append(part)
    return {kind: holds for kind, held in by_kind.items() if (holds := _guess_kind(kind, held))}


def _guess_kind(kind: str, held: Sequence[Any]) -> dict[str, Any] | None:
    word = kind.casefold()
    call, result = _paths_of(held, OF_CALL), _paths_of(held, OF_RESULT)
    if kind in MEDIA:
        return {"media": "type", **_paths_of(held, {"media": "mimetype mime_type media_type url data"})}
    if any(part in word for part in ("result", "response", "output")) and "text" in result:
        return {"result": result}
    if {"name", "arguments"} <= call.keys():
        return {"call": call}
    texts = [path for each in held for path, value in _fields_in(each) if isinstance(value, str)]
    if not (text := _by_name(texts, WORDS_OF_PART)):
        return None
    return {"thinking" if any(part in word for part in WORDS_OF_THINKING) else "text": text}
