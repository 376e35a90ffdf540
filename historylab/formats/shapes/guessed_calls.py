"""Guessed calls: places in records where tools are called, and where the results are.

Names make a field a candidate and values decide: a call has a tool's name beside its arguments, and its id comes again
in what answers it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from historylab.formats.messages.paths import value_at
from historylab.formats.shapes.named_fields import FieldValues, is_within, list_fields, path_named, paths_named

CALLS = (
    "tool_calls toolcalls tool_requests toolrequests tool_uses tooluses function_calls functioncalls tool_invocations"
    " toolinvocations invocations calls actions"
)
"""Names of lists of calls, the surest first; below, those of what is in a call and in a result."""
OF_CALL = {
    "id": "id tool_call_id toolcallid call_id callid tool_use_id tooluseid uid uuid",
    "name": "name tool_name toolname function_name functionname tool function fn func action method verb tool_id",
    "arguments": "arguments args input parameters params tool_input kwargs payload",
}
OF_RESULT = {
    "id": "tool_call_id toolcallid call_id callid tool_use_id tooluseid source_call_id id uid uuid",
    "text": "content output result text response value",
}
INNER = "result output response observation"  # of a call, in itself
MOST_OF_WORD, MOST_OF_ID = 100, 200
MOST_PATHS = 100  # at which ids are looked for
AGREE = 0.8
"""Share of the values of a field that are ids of calls, each of another, where its holders answer them."""


def guess_calls(
    items: Sequence[Any], fields: FieldValues, spoken: tuple[str, str], lists: Mapping[str, FieldValues]
) -> dict[str, Any]:
    """Calls in a list of each record, or that are records, and where their results are.

    Their place is known by its name, any other by results: in the calls, or where the id of each comes again.
    """
    known = path_named(lists, CALLS)
    for path in (*sorted(lists, key=lambda path: path != known), ""):
        held = lists[path] if path else fields
        if not (at := find_call_fields(held, spoken, alone=not path)):
            continue
        calls, others = held, items
        if not path:
            others = [item for item in items if value_at(item, at["arguments"]) is None]
            calls = list_fields(item for item in items if value_at(item, at["arguments"]) is not None)
        beside = {other: lists[other] for other in lists if other != path}
        id, found = guess_answers(calls, [*at.values()], others, spoken, beside)
        known_place = path == known if path else path_named([f"{at['arguments'].rpartition('.')[0]}s"], CALLS)
        inner = "" if found else _inner_result(calls, spoken[1])
        if found or inner or known_place:
            at |= {"id": id} if id else paths_named(calls, {"id": OF_CALL["id"]})
            place = {"items": path} if path else {}
            found |= {"results": {**place, "id": at.get("id", ""), "text": inner}} if inner else {}
            return {"calls": {**place, **at}, **found}
    return {}


def _inner_result(calls: FieldValues, text: str) -> str:
    """The path of a result in the call itself; empty if there is none."""
    said = (path for path, values in calls.items() if not any(isinstance(value, int | float) for value in values))
    return path_named((path for path in said if not is_within(text, path)), INNER)


def guess_answers(
    calls: FieldValues,
    said: Sequence[str],
    others: Sequence[Any],
    spoken: tuple[str, str],
    lists: Mapping[str, FieldValues],
) -> tuple[str, dict[str, Any]]:
    """The path of an id in calls, and the fields for records, or lists in them, where it comes again."""
    id, answers = find_answers(calls, said, list_fields(others), len(others))
    if answers:
        answering = [each for each in others if value_at(each, answers) is not None]
        if any(value_at(each, spoken[1]) for each in answering):
            return id, {"answers": answers}
        return id, {"answers": answers, "text": find_result_words(list_fields(answering), answers, *spoken)}
    for path, held in lists.items():
        id, answers = find_answers(calls, said, held)
        if answers:
            return id, {"results": {"items": path, "id": answers, "text": find_result_words(held, answers)}}
    return "", {}


def find_answers(calls: FieldValues, said: Sequence[str], others: FieldValues, among: int = 0) -> tuple[str, str]:
    """The paths of an id in calls, beside what is said in them, and of where it comes again; empty if nowhere.

    What stands in each `among` so many others is none, as the number of a turn.
    """
    ids, given = _ids_in(calls), _ids_in(others)
    for id, named in ids.items():
        if any(is_within(id, path) for path in said):
            continue
        for path, found in given.items():
            again = set(named).intersection(found)
            several = len(found) if path == id else len(found) + len(ids.get(path, ()))
            if again and len(again) >= AGREE * several and (not among or len(found) < among):
                return id, path
    return "", ""


def find_result_words(results: FieldValues, *known: str) -> str:
    """The path of the words in results, of which these are known to say something else."""
    others = (path for path in results if path not in known)
    named = path_named(results, OF_RESULT["text"])
    return named or max(others, key=lambda path: sum(len(str(value)) for value in results[path]), default="")


def _ids_in(fields: FieldValues) -> FieldValues:
    """The values that may be ids, by their paths."""
    found = {path: kept for path, values in fields.items() if (kept := [value for value in values if _is_id(value)])}
    return dict(islice(found.items(), MOST_PATHS))


def _is_id(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and len(value) <= MOST_OF_ID)


def find_call_fields(fields: FieldValues, said: Sequence[str] = (), alone: bool = False) -> dict[str, str]:
    """The paths of the tool's name and of the arguments, side by side; empty if these are the fields of no calls."""
    given = (path for path, values in fields.items() if path not in said and all(_is_given(v, alone) for v in values))
    arguments = path_named(given, OF_CALL["arguments"])
    beside = (path for path in fields if path.rpartition(".")[0] == arguments.rpartition(".")[0] and path not in said)
    name = path_named((path for path in beside if all(map(_is_word, fields[path]))), OF_CALL["name"])
    return {"name": name, "arguments": arguments} if name and arguments else {}


def _is_given(value: Any, alone: bool) -> bool:
    """Tell whether a value may be the arguments of a call; of a call that is no part of a list, by what it holds."""
    if isinstance(value, str):
        return not alone or value.lstrip()[:1] == "{"
    return isinstance(value, dict if alone else dict | list)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_OF_WORD and "\n" not in value
