"""Every feature the five documents name is shown by a test that bears its id, or explained in docs/systems.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

FEATURES = {
    "agentdock": ("A", 22),
    "octopus": ("O", 13),
    "toolpack": ("T", 30),
    "mycoder": ("C", 30),
    "mentu": ("M", 18),
}
ROW = re.compile(
    r"^\| (?P<id>[ACMOT]\d\d) \| (?P<feature>[^|]+) \| (?P<where>[^|]+) \|(?P<tests>[^|]*)\|$", re.MULTILINE
)
IDS = {
    system: [f"{letter}{number:02}" for number in range(1, count + 1)]
    for system, (letter, count) in FEATURES.items()
    if find_spec(f"historylab.systems.{system}")
}


@pytest.fixture(scope="module")
def rows(root) -> dict[str, tuple[str, str]]:
    """Id → (where, shown by) of the tables in docs/systems.md."""
    found = ROW.findall((root / "docs" / "systems.md").read_text("utf-8"))
    assert len(found) == len({row[0] for row in found}), "an id has two rows"
    return {name: (where.strip(), tests.strip()) for name, _, where, tests in found}


@pytest.fixture(scope="module")
def shown() -> dict[str, set[str]]:
    """Id → the tests marked with it."""
    found: dict[str, set[str]] = {}
    for file in Path(__file__).parent.parent.rglob("test_*.py"):
        text = file.read_text("utf-8")
        for test, feature in marked(ast.parse(text)) if "mark.feature(" in text else ():
            found.setdefault(feature, set()).add(test)
    return found


def marked(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(test, id) of every `@pytest.mark.feature("A01", …)`."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.feature":
                yield from ((node.name, argument.value) for argument in decorator.args)


def test_the_systems_have_features():
    assert {"agentdock", "octopus"} <= set(IDS)


@pytest.mark.parametrize("system", IDS)
def test_a_feature_has_its_row_and_its_test_or_its_explanation(system, rows, shown):
    for feature in IDS[system]:
        assert feature in rows, f"{feature}: no row in docs/systems.md"
        where, tests = rows[feature]
        if where.startswith(("docs", "none")):
            assert len(where) > len("docs: "), f"{feature}: say where it is explained, or why there is nothing to do"
            continue
        named = set(re.findall(r"`(test_\w+)`", tests))
        assert named, f"{feature}: the row names no test"
        assert named <= shown.get(feature, set()), f"{feature}: the row names a test that isn't marked with this id"


def test_no_test_bears_an_unknown_id(shown):
    known = {f"{letter}{number:02}" for letter, count in FEATURES.values() for number in range(1, count + 1)}
    assert set(shown) <= known
