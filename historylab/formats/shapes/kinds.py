"""Kinds: the files of `formats/kinds/`, each registered as a format that is nothing more than a shape.

A file is a shape with a few more fields: `title` (the path of a conversation's is `titled`); `joined`, a `list` beside
the items, of which each record stands as `joined` in the item whose `id` its `key` names; `beside`, the files beside it
that tell more of the session (`*`: this one's name up to its first dot), each with a key that is in it; `continued`,
the `file` beside it with more of the items, of which those that are `copied` were sent in place of all before; `about`,
what is read, in a line; `source`, where the form is defined, and `checked`, the published file that it was checked
against, if any; `group`, the heading it stands under; and by what it is recognised: `marks`, paths that lead to
something in a sample of the file (or path → values, of which one is there), and how `sure` they make us, 0 to 1.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.archives import values_beside
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, list_in, objects_under
from historylab.formats.messages.paths import Located, each_path, holds, lists_at, value_at
from historylab.formats.messages.walker import text_at
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

OF_KIND = ("title", "about", "source", "checked", "group", "marks", "sure", "titled", "joined", "beside", "continued")
"""Keys of such a file that are no fields of its shape."""
MOST_CONTINUED = 200
"""Files that one goes on in."""
ITEMS = 40
"""Records of a sample that marks are looked for in."""

COMMON = {"role", "type", "content", "text", "message", "messages", "id", "timestamp"}
"""Keys that tell no kind from another."""

Mark = Mapping[str, tuple[Any, ...]]
"""Paths, of which one leads to one of its values, or to anything where it has none."""


def register_kind(name: str, given: dict[str, Any]) -> None:
    """Make a format of what one file says. Raises LoadError where it is no shape."""
    fields = {key: value for key, value in given.items() if key not in OF_KIND}
    shape = Shape.of({**fields, "title": given.get("titled", "")}, name)
    marks, items = [_mark_of(each) for each in given["marks"]], each_path(shape.items)[0]

    def read(content: Content, report: Report) -> Iterator[Conversation]:
        values, beside = content.values, _told_beside(content, given.get("beside", {}))
        if joined := given.get("joined"):
            values = [_join(each, items, joined) for each in values]
        if continued := given.get("continued"):
            value, beside = _continue(content, values[0], items, str(shape.id), continued, report)
            values = [value, *values[1:]]
        yield from read_shaped(shape, values, report, beside)

    read.__name__, read.__doc__ = name, given["about"]
    read.__module__ = f"historylab.formats.{given['group']}.{name}"
    register(
        "format",
        name,
        title=given["title"],
        recognise=_recogniser(shape, marks, given.get("sure", 0.8)),
        marks=" ".join(
            {path.rpartition(".")[2] for mark in marks for path, values in mark.items() if not values} - COMMON
        ),
        source=given["source"],
        checked=given.get("checked", ""),
        shape=shape,
    )(read)


def _told_beside(content: Content, names: Mapping[str, str]) -> tuple[Any, ...]:
    """The objects in files beside that one, by name, which have the key named; other files are left to be read."""
    stem, told = glob.escape(PurePosixPath(content.name).name.partition(".")[0]), list[Any]()
    for name, key in names.items():
        for file, value in values_beside(content, name.replace("*", stem)):
            if isinstance(value, dict) and key in value:
                told.append(value)
            else:
                content.taken.discard(file)
    return tuple(told)


def _continue(
    content: Content, located: Located, items: str, id: str, how: Mapping[str, str], report: Report
) -> tuple[Located, tuple[Any, ...]]:
    """A value with the items of the files that it goes on in, and the histories sent there in place of all before."""
    (where, value), told, seen = located, list[Any](), {PurePosixPath(content.name).name, ""}
    if not isinstance(value, dict):
        return located, ()
    whole, last = [*list_in(value, items)], value
    while (name := PurePosixPath(text_at(last, how["file"])).name) not in seen:
        if len(seen) > MOST_CONTINUED + 1:
            report.warn(f"a conversation that goes on in more than {MOST_CONTINUED} files, the others not read", where)
            break
        seen.add(name)
        found = (each for _, each in values_beside(content, glob.escape(name)))
        last = next((each for each in found if isinstance(each, dict)), {})
        if not last:
            report.warn("the file that a conversation goes on in can't be read beside it", name[:80])
        more = [{key: held for key, held in each.items() if key != id} for each in objects_under(last, items)]
        copied = [each for each in more if each.get(how["copied"])]
        told += [{"history": copied, "size": len(whole)}] if copied else []
        whole += [each for each in more if not each.get(how["copied"])]
    return (where, {**value, items: whole}) if len(seen) > 2 else located, tuple(told)


def _join(located: Located, items: str, joined: Mapping[str, str]) -> Located:
    """A value in whose items stands what is told of each elsewhere."""
    where, value = located
    if not isinstance(value, dict) or not isinstance(value.get(items), list):
        return located
    beside = as_list(value_at(value, joined["list"]))
    told = {named: each for each in beside if (named := text_at(each, joined["key"]))}
    found = ((item, told.get(text_at(item, joined["id"]))) for item in value[items])
    return where, {**value, items: [{**item, "joined": more} if more else item for item, more in found]}


def _mark_of(given: Any) -> Mark:
    return {given: ()} if isinstance(given, str) else {path: tuple(values) for path, values in given.items()}


def _recogniser(shape: Shape, marks: list[Mark], sure: float) -> Callable[[Content], float]:
    first = {path.split(".")[0] for path in (*each_path(shape.items), *(path for mark in marks for path in mark))}

    def recognise(content: Content) -> float:
        values = content.values
        if first.isdisjoint(content.once("keys", lambda: _keys(values))):
            return 0
        found = [value for _, value in values[:ITEMS]]
        found += [item for _, items, _ in lists_at(values, shape.items) for _, item in items[:ITEMS]]
        return sure if all(any(holds(value, mark) for value in found) for mark in marks) else 0

    return recognise


def _keys(values: list[tuple[str, Any]]) -> set[str]:
    """The keys of the values, and of the items of lists: a mark, or the list, begins with one."""
    items = (each for _, value in values[:ITEMS] for each in (value[:ITEMS] if isinstance(value, list) else (value,)))
    return {key for each in items if isinstance(each, dict) for key in each}


def _register_files() -> None:
    for file in sorted(files("historylab.formats").joinpath("kinds").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            register_kind(file.name.removesuffix(".json"), json.loads(file.read_text("utf-8")))


_register_files()
