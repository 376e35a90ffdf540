"""One meaning for each name, and functions that are named by what they do."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("names")  # one process parses the tree, once

SHARED = {
    "add_to": "each subcommand adds its own parser under this name",
    "run": "each subcommand is run under this name",
    "main": "each of the two programs that are started as modules begins with it",
    "phrase": "a stage names its cut in a sentence; given to `register`",
    "differs": "an exporter says what it cannot carry; given to `register`",
    "rule": "a preset says its rule in a sentence; given to `Preset`",
    "assumes": "a preset says what it takes for granted; given to `Preset`",
    "is_answer": "an API knows its own answers; given to `Api`. And an app's items, of any API",
    "migrate": "each of the two databases is brought to today's schema",
    "needs": "what a conversation needs, in public; and the library that an import needs",
    "history_processor": "each framework's hook is made under this name",
    "write_summary": "a task's summary by any summarizer; and a text's, in place of a library's model",
    "differing_requests": "the screens ask the cache for what `compare` finds",
}
"""Public names that stand in several modules, and why."""

NOUNS = {"beginning", "encoding", "heading", "listing", "opening", "posting", "recording"}
"""Participles in form, but the plain nouns for what these functions return."""

PARTICIPLE = re.compile(
    r"[a-z]+(?:ed|ing)|been|begun|bound|built|chosen|drawn|found|given|gone|held|hidden|kept|known|left|lost|made|meant"
    r"|met|said|seen|sent|shown|spent|spoken|taken|thought|told|understood|worn|written"
)
AUXILIARY = re.compile(
    r"is|are|was|has|had|may|might|can|could|must|shall|should|will|would|do|does|did|stay|go(?:es|ing)_on"
)
VERBS = {"embed", "exceed", "feed", "need", "proceed"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules(root: Path) -> dict[str, ast.Module]:
    package = root / "historylab"
    return {f.relative_to(package).as_posix(): ast.parse(f.read_text("utf-8")) for f in package.rglob("*.py")}


def is_member(definition: ast.AST) -> bool:
    """Whether it is registered, so that its name is the one in settings, files and links."""
    return any("register(" in ast.unparse(each) for each in getattr(definition, "decorator_list", ()))


def public_definitions(root: Path) -> Iterator[tuple[str, str, bool]]:
    """Name and module of every public function and class, and whether it is a member of a family."""
    for file, module in modules(root).items():
        for node in module.body:
            if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, file, is_member(node)


def functions(node: ast.AST, *, method: bool = False) -> Iterator[tuple[Function, bool]]:
    """Each function below the node that is no property, and whether it is a method."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, Function) and not any("property" in ast.unparse(d) for d in each.decorator_list):
            yield each, method
        yield from functions(each, method=isinstance(each, ast.ClassDef))


def frozen_methods(root: Path) -> set[str]:
    lines = (root / "tests/golden/public_names.txt").read_text("utf-8").splitlines()
    return {line.partition("(")[0].rpartition(".")[2] for line in lines}


def test_a_public_name_stands_in_two_modules_for_a_reason_only(root):
    found = set(public_definitions(root))
    times = Counter(name for name, _, _ in found)
    others = {name for name, _, member in found if not member}
    several = {name for name in others if times[name] > 1}
    assert several - SHARED.keys() == set(), "name what each of them is, or say in SHARED why they share a name"
    assert SHARED.keys() - several == set(), "no longer in two modules"


def test_a_function_is_named_by_a_verb_or_a_noun(root):
    """A contract's methods keep the names that are frozen; so do registered members."""
    frozen = frozen_methods(root)
    bare = [
        f"{file}:{each.lineno} {each.name}"
        for file, module in modules(root).items()
        for each, method in functions(module)
        if not (is_member(each) or (method and each.name in frozen))
        and (name := each.name.strip("_")) not in NOUNS | VERBS
        and not each.name.startswith("__")
        and (PARTICIPLE.fullmatch(name) or AUXILIARY.fullmatch(name))
    ]
    assert bare == []
