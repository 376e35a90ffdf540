"""Only the session room assigns the tab's state, so that no component forgets to note its click."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = "historylab/ui/session"
CHANGING = {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add", "discard"}
STREAMLITS_OWN = {"session_state", "query_params", "fragment"}
"""Streamlit's state, and its fragments: `session.fragment` knows when the whole page must be redrawn."""


def screens(root: Path) -> list[Path]:
    files = [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "historylab" / "ui").rglob("*.py")]
    return [file for file in files if (root / ROOM) not in file.parents]


def writes(source: str) -> list[int]:
    """Lines that assign, delete or change in place something of `session.tab()`, or of a name bound to a part of it."""
    found: set[int] = set()
    for scope in _scopes(ast.parse(source)):
        bound = {name for node in scope for name in _names_bound_to_state(node)}
        found |= {node.lineno for node in scope if any(_is_state(target, bound) for target in _changed(node))}
    return sorted(found)


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """The module outside its functions, then what is in each function and method."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = [list(ast.walk(function)) for function in functions]
    within = {id(node) for nodes in inside for node in nodes}
    yield [node for node in ast.walk(tree) if id(node) not in within]
    yield from inside


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement or a call changes."""
    if isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        yield node.target
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        yield node.func
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
        yield ast.Attribute(node.args[0], "any")


def _is_state(target: ast.expr, bound: set[str]) -> bool:
    """Whether it is a field of the tab's state, or lies in one: not the name itself that is bound to it."""
    return isinstance(target, ast.Attribute | ast.Subscript) and _begins_in_state(target.value, bound)


def _begins_in_state(node: ast.expr, bound: set[str] = frozenset()) -> bool:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        called = node.func
        return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "tab"
    return isinstance(node, ast.Name) and node.id in bound


def _names_bound_to_state(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        yield from (t.id for t, value in pairs if isinstance(t, ast.Name) and _begins_in_state(value))


def test_nothing_outside_the_session_room_assigns_the_tabs_state(root):
    found = {f.relative_to(root).as_posix(): writes(f.read_text("utf-8")) for f in screens(root)}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_nothing_outside_the_session_room_uses_streamlits_own_state_or_fragments(root):
    named = {
        file.relative_to(root).as_posix()
        for file in screens(root)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in STREAMLITS_OWN and ast.unparse(node.value) == "st"
    }
    assert named == set()


@pytest.mark.parametrize(
    "source",
    [
        "session.tab().message = 3",
        "session.tab().picks += 1",
        "session.tab().search, other = '', None",
        "state = session.tab()\nstate.show = ''",
        "found, tuning = 1, session.tab().tuning\ntuning.words = ''",
        "setattr(session.tab().tuning, name, value)",
        "session.tab().what_if['you'] = {}",
        "session.tab().tuning.musts.clear()",
        "del session.tab().you['budget']",
        "tab().touched = True",
        "def choose():\n    session.tab().you['budget'] = 3",
    ],
)
def test_the_check_finds_every_way_to_write(source):
    assert writes(source) == [len(source.splitlines())]


SAME_NAME_ELSEWHERE = (
    "def read():\n    musts = session.tab().tuning.musts\n\ndef collect():\n    musts = {}\n    musts['a'] = 1"
)


@pytest.mark.parametrize("source", ["state = session.tab()", "show = session.tab().show", SAME_NAME_ELSEWHERE])
def test_reading_is_free(source):
    assert writes(source) == []
