"""Guesses of a shape's fields by their names and by the values they hold: parts, calls, results, time, model, usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from historylab.formats.files.row_table import COLUMNS
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import MEDIA
from historylab.formats.messages.paths import value_at
from historylab.formats.shapes.guessed_calls import (
    OF_CALL,
    OF_RESULT,
    find_answers,
    find_call_fields,
    find_result_words,
    guess_answers,
    guess_calls,
)
from historylab.formats.shapes.named_fields import FieldValues, list_fields, parts_at, path_named, paths_named

NAMES = {
    "name": COLUMNS["name"],
    "id": COLUMNS["id"],
    "conversation": COLUMNS["group"],
    "model": "model model_id model_name modelid modelname",
    "answers": "tool_call_id toolcallid tool_use_id tooluseid call_id callid",
    "thinking": "reasoning_content reasoning thinking thought thoughts",
    "usage": "usage usage_metadata usagemetadata token_usage tokens metrics",
}
"""Field of a shape → the names it goes by, the surest first."""

TIMES = f"{COLUMNS['time']} created timestamp_ms createdat_ms at when"
RESULTS = "tool_results toolresults tool_responses results"
KINDS_OF_RECORD = "type kind event event_type action"
KINDS_OF_PART = "type kind sort category tag"
MOST_LISTS = 20  # of a record, in which calls and results are looked for
WORDS_OF_PART = "text content value thinking reasoning summary"
WORDS_OF_RESULT = ("result", "response", "output")  # but "output_text"
WORDS_OF_THINKING = ("think", "reason", "thought")


def guess_fields(items: Sequence[Any], role: str, text: str) -> dict[str, Any]:
    """The fields of a shape for items in which these two say who speaks and what: the others by names and values."""
    fields = list_fields(items)
    beside = [path for path in fields if path not in (role, text)]
    listed = [path for path in beside if any(map(_has_objects, fields[path]))][:MOST_LISTS]
    lists = {path: list_fields(parts_at(items, path)) for path in listed}
    times = [path for path in beside if _are_times(fields[path])]
    found: dict[str, Any] = {"role": role, **paths_named(beside, NAMES), **paths_named(times, {"time": TIMES})}
    results = path_named(lists, RESULTS)
    if (within := paths_named(lists.get(results, ()), OF_RESULT)).keys() == OF_RESULT.keys():
        found["results"] = {"items": results, **within}
    if any(isinstance(value, list) for value in fields.get(text, ())):
        found |= {"parts": text, **_guess_parts(items, (role, text), lists)}
    if not any("call" in holds for holds in found.get("kinds", {}).values()):
        found |= guess_calls(items, fields, (role, text), lists)
    elif any("result" in holds for holds in found["kinds"].values()):
        found.pop("answers", None)
    at = [path for path in (found.get("answers"), found.get("calls", {}).get("arguments")) if path]
    silent = [item for item in items if value_at(item, role) is None and any(value_at(item, path) for path in at)]
    if kind := path_named(list_fields(silent), KINDS_OF_RECORD):
        found["role"] = (role, kind)
    if "parts" not in found:
        found["text"] = (text, found["text"]) if "text" in found else text
    return found


def _has_objects(value: Any) -> bool:
    return isinstance(value, list) and isinstance(value[0], dict)


def _are_times(values: Iterable[Any]) -> bool:
    """Tell whether every value is a time of the years in which models have been talked to."""
    return all("1990" <= (iso_time(value) or "") < "2100" for value in values)


def _guess_parts(items: Sequence[Any], spoken: tuple[str, str], lists: Mapping[str, FieldValues]) -> dict[str, Any]:
    """The field that names the kinds of parts, a table of those whose names and fields tell, and what answers calls."""
    parts = parts_at(items, spoken[1])
    common = set(parts[0] if parts else ()).intersection(*parts)
    kind = path_named(common, KINDS_OF_PART) or ("" if parts and all(len(part) == 1 for part in parts) else "type")
    by_kind: dict[str, list[Any]] = {}
    for part in parts:
        if isinstance(named := part.get(kind) if kind else next(iter(part)), str):
            by_kind.setdefault(named, []).append(part)
    fields = {named: list_fields(held) for named, held in by_kind.items()}
    kinds = {named: holds for named, held in fields.items() if (holds := _guess_kind(named, held))}
    found: dict[str, Any] = {"kinds": kinds, **({} if kind == "type" else {"kind": kind})}
    calling = {named: holds["call"] for named, holds in kinds.items() if "call" in holds}
    if not calling:
        return found
    said = [path for at in calling.values() for path in (at["name"], at["arguments"])]
    calls = list_fields(part for named in calling for part in by_kind[named])
    others = [named for named in by_kind if named not in calling]
    id, answers = find_answers(calls, said, list_fields(part for named in others for part in by_kind[named]))
    for named in others if answers else ():
        if answers in fields[named]:
            kinds[named] = {"result": {"id": answers, "text": find_result_words(fields[named], answers, kind)}}
    if not answers:
        id, answering = guess_answers(calls, said, items, spoken, lists)
        found |= answering
    for at in calling.values() if id else ():
        at["id"] = id
    return found


def _guess_kind(kind: str, fields: FieldValues) -> dict[str, Any] | None:
    word = kind.casefold()
    call, result = find_call_fields(fields), paths_named(fields, OF_RESULT)
    if kind in MEDIA:
        return {"media": "type", **paths_named(fields, {"media": "mimetype mime_type media_type url data"})}
    if any(part in word for part in WORDS_OF_RESULT) and not word.endswith("text") and "text" in result:
        return {"result": result}
    if call:
        return {"call": paths_named(fields, {"id": OF_CALL["id"]}) | call}
    texts = {path: said for path, values in fields.items() if (said := [v for v in values if isinstance(v, str)])}
    spaced = (path for path, said in texts.items() if any(" " in each for each in said))
    if not (text := path_named(texts, WORDS_OF_PART) or next(spaced, "")):
        return None
    return {"thinking" if any(part in f"{word} {text}" for part in WORDS_OF_THINKING) else "text": text}
