"""Shape: where a file holds its messages, and which of their fields says what, as a value that JSON can hold.

A path names keys from the outside in, joined by dots: `chat.history`. Lists on the way need no mention. Where several
paths are given, the first that leads to something counts. Each list at the end of `items` is a conversation, unless
`conversation` names a field that tells them apart; without `items` the file's own list, lines or rows are read.
`model`, `tools` and `title` may stand in a record, in the objects around its list, or in a header.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.paths import Paths
from historylab.formats.messages.walker import CALL

MAX_SHAPE = 1_000_000
MOST_KEYS, MOST_CHARACTERS = 50, 1_000  # of a path
ROLES = ("user", "assistant", "system", "tool")
THINKING = "thinking"
"""Besides these, the role of a record whose words are what the assistant thinks."""
SAID = ("text", "thinking", "media", "label")
"""Things that a part can be besides a call or a result: each names the path of its words."""
RESULT = ("id", "text")
OBJECTS = {
    "usage": ("input", "output", "cache_reads", "cache_writes"),
    "calls": ("items", *CALL),
    "results": ("items", *RESULT),
    "cuts": ("summary", "kept", "before", "sent", "history", "size"),
}
"""Field that is an object of paths → the names in it."""
WORDS = ("text", "parts", "calls", "results")
"""Fields of which a shape has at least one."""


@dataclass(frozen=True)
class Shape:
    """A kind of file as data: paths to the records, and to what each of their fields says.

    `roles`: a word for a speaker ("": every other) → user, assistant, system, tool, or thinking of the assistant.
    `only` (path → values): which records are messages; as `only`, `first`: which of them come before all others,
    `injected`: which of a user's a program put there, and `unsent`: which answers broke off and were sent no more; a
    path without values: any that says something.
    `parts` is the path of a message's parts, `kind` the field that names a part's kind ("": its only key), and `kinds`
    says what each holds: `{"text": path}`, thinking, media or label likewise, `{"call": {"id", "name", "arguments"}}`,
    `{"result": {"id", "text"}}`, or both; None if nothing is said in it. `calls` and `results` stand beside the words,
    or are the record where they name no `items`; `answers` is the path of a call's id in a record that is itself a
    result. `parent` names the record that one follows. `usage` is the path of the provider's counts, or has a path for
    each. `cuts`: where a record that is no message has the summary that was sent from there on, the id of the first
    record kept beside it, and the tokens before; without such an id, where a message has the summary that stands for it
    and all before; or the path of a mark that is false in a message no longer sent, whose summary is `injected` and
    answered; or where an object around the list has the `history` that was sent in place of its first `size` records.
    """

    role: Paths = ""
    text: Paths = ""
    items: Paths = ""
    name: Paths = ""
    time: Paths = ""
    id: Paths = ""
    conversation: Paths = ""
    roles: Mapping[str, str] = field(default_factory=dict, hash=False)
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    thinking: Paths = ""
    parts: Paths = ""
    kind: str = "type"
    kinds: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict, hash=False)
    calls: Mapping[str, Paths] = field(default_factory=dict, hash=False)
    results: Mapping[str, Paths] = field(default_factory=dict, hash=False)
    answers: Paths = ""
    model: Paths = ""
    parent: Paths = ""
    tools: Paths = ""
    title: Paths = ""
    first: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    injected: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    unsent: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    usage: Paths | Mapping[str, Paths] = field(default="", hash=False)
    cuts: Mapping[str, Paths] = field(default_factory=dict, hash=False)

    @property
    def worded(self) -> tuple[Paths, ...]:
        """The paths of words, calls and results: a record in which none leads to anything says nothing."""
        calls = self.calls.get("items") or self.calls.get("arguments", "")
        results = self.results.get("items") or self.results.get("text", "")
        return tuple(filter(None, (self.text, self.parts, self.thinking, calls, results)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, to be used again."""
        Path(path).write_text(self.as_json, encoding="utf-8")

    @property
    def as_json(self) -> str:
        """The text of its file."""
        usual = Shape()
        said = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != getattr(usual, f.name)}
        return json.dumps(said, ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Shape:
        """Read a saved one. Raises LoadError for anything that is none."""
        try:
            with open(path, "rb") as file:
                saved = file.read(MAX_SHAPE)
        except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
            reason = getattr(problem, "strerror", None) or str(problem)
            raise LoadError(f"{_name_of(str(path))} can't be read: {reason[0].lower()}{reason[1:]}") from None
        return cls.of_json(saved, str(path))

    @classmethod
    def of_json(cls, saved: bytes, name: str) -> Shape:
        """The shape in the bytes of a saved one, whose name is for errors. Raises LoadError for anything else."""
        try:
            given = json.loads(saved)
        except (ValueError, RecursionError):
            raise LoadError(f"{_name_of(name)} can't be read: it is no JSON") from None
        return cls.of(given, name)

    @classmethod
    def of(cls, given: Any, name: str = "") -> Shape:
        """The shape that a JSON value describes. Raises LoadError saying what is wrong with it."""
        if fault := _fault(given):
            raise LoadError(f"{_name_of(name)} can't be used: {fault}")
        return cls(**{key: _freeze(value) for key, value in given.items()})


def _name_of(name: str) -> str:
    return f"the shape {name[:80]!r}" if name else "this shape"


def _freeze(value: Any) -> Any:
    """The value with tuples for its lists."""
    if isinstance(value, list):
        return tuple(value)
    return {key: _freeze(held) for key, held in value.items()} if isinstance(value, dict) else value


def _fault(given: Any) -> str:
    """The reason that a JSON value is no shape; empty if it is one."""
    if not isinstance(given, dict):
        return f"it is {kind_of(given)}, not an object"
    known = [f.name for f in fields(Shape)]
    if unknown := [name for name in given if name not in known]:
        return f"it has a field {unknown[0][:40]!r}; known are {', '.join(known)}"
    for name, value in given.items():
        if fault := _CHECKS.get(name, _path_fault)(value, name):
            return fault
    if not given.get("role"):
        return "it names no field for role"
    return "" if any(map(given.get, WORDS)) else f"it names no field for {', '.join(WORDS[:-1])} or {WORDS[-1]}"


def _path_fault(value: Any, name: str) -> str:
    each = [value] if isinstance(value, str) else value
    if not isinstance(each, list) or not each or not all(isinstance(path, str) for path in each):
        return f"{name} is {kind_of(value)}, not the name of a field"
    if any(len(path) > MOST_CHARACTERS or path.count(".") >= MOST_KEYS for path in each):
        return f"{name} is a path of more than {MOST_KEYS} keys or {MOST_CHARACTERS:,} characters"
    return ""


def _roles_fault(value: Any, name: str) -> str:
    if not isinstance(value, dict) or not all(isinstance(role, str) and role for role in value.values()):
        return f"{name} is no object of speakers and their roles"
    known = (*ROLES, THINKING)
    other = next((role for role in value.values() if role not in known), "")
    return f"{name} has a role {other[:40]!r}; known are {', '.join(known)}" if other else ""


def _values_fault(value: Any, name: str) -> str:
    if not isinstance(value, dict) or not all(isinstance(values, list) for values in value.values()):
        return f"{name} is no object of fields, each with a list of its values"
    return _path_fault([*value], name) if value else ""


def _kinds_fault(value: Any, name: str) -> str:
    if not isinstance(value, dict):
        return f"{name} is {kind_of(value)}, not an object of kinds of parts"
    for kind, holds in value.items():
        if holds is None:
            continue
        if not isinstance(holds, dict) or not holds or holds.keys() - {*SAID, "call", "result"}:
            return f"{name} {kind[:40]!r} says none of {', '.join((*SAID, 'call', 'result'))}"
        for what, path in holds.items():
            within = {"call": CALL, "result": RESULT}.get(what)
            fault = _names_fault(path, what, within) if within else _path_fault(path, what)
            if fault:
                return f"in {name} {kind[:40]!r}, {fault}"
    return ""


def _object_fault(value: Any, name: str) -> str:
    alone = name == "usage" and isinstance(value, str)
    return _path_fault(value, name) if alone else _names_fault(value, name, OBJECTS[name])


def _names_fault(value: Any, name: str, known: tuple[str, ...]) -> str:
    if not isinstance(value, dict):
        return f"{name} is {kind_of(value)}, not an object of fields"
    if unknown := [each for each in value if each not in known]:
        return f"{name} has a field {unknown[0][:40]!r}; known are {', '.join(known)}"
    return next((fault for each, path in value.items() if (fault := _path_fault(path, each))), "")


_CHECKS: Mapping[str, Callable[[Any, str], str]] = {
    "roles": _roles_fault,
    "kinds": _kinds_fault,
    **dict.fromkeys(("only", "first", "injected", "unsent"), _values_fault),
    **dict.fromkeys(OBJECTS, _object_fault),
}
