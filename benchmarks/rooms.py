"""How the package is built: what stands at its top, which of it imports which, its circles, and its longest file.

    python benchmarks/rooms.py [FOLDER]     # historylab/ of this checkout; or of another one, to compare

An arrow is a pair of folders or modules at the top, one of which imports the other, for type checkers and within
functions included. A floor is one step of the longest chain of arrows; what forms a circle stands on one floor. Circles
are counted at the top and, by the same imports, between files.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

NO_ROOM = {"__main__", "_version"}  # counted among folders and modules, not as flat: Python itself asks for them


def main(package: Path) -> None:
    modules = {module_name(file, package): file for file in sorted(package.rglob("*.py"))}
    imports = {name: imported(file, modules.keys()) - {name} for name, file in modules.items()}
    tops = {top_of(name) for name in modules if "." in name}
    arrows: dict[str, set[str]] = {top: set() for top in tops}
    for name, names in imports.items():
        if "." in name:
            arrows[top_of(name)] |= {top_of(each) for each in names if "." in each} - {top_of(name)}
    groups, files = circles(arrows), circles(imports)
    print(f"modules flat at the top: {sum((package / f'{top}.py').exists() for top in tops - NO_ROOM)}")
    print(f"folders and modules at the top: {len(tops)}")
    print(f"floors: {floors(arrows, groups)}")
    print(f"arrows: {sum(map(len, arrows.values()))}")
    print(f"circles: {len({group for group in groups.values() if len(group) > 1})}")
    tied = sorted({group for group in files.values() if len(group) > 1}, key=len)
    print(f"circles of files: {len(tied)}")
    for group in tied:
        print(" ", *sorted(group))
    print(f"longest file: {max(len(file.read_text(encoding='utf-8').splitlines()) for file in modules.values())} lines")


def module_name(file: Path, package: Path) -> str:
    """`historylab.costs.bill`; of an `__init__.py` the name of its folder."""
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top_of(module: str) -> str:
    """The folder or module at the top that it is in, or is."""
    return module.split(".")[1]


def imported(file: Path, modules: Collection[str]) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else node.module for name in names}
    return found & set(modules)


def circles(arrows: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    """Each with all that it reaches and is reached by."""
    reach = {top: reached(top, arrows) for top in arrows}
    return {top: frozenset({top, *(other for other in reach[top] if top in reach[other])}) for top in arrows}


def reached(start: str, arrows: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = arrows[ahead.pop()] - seen
        seen |= new
        ahead += new
    return seen


def floors(arrows: dict[str, set[str]], groups: dict[str, frozenset[str]]) -> int:
    """How many stand on top of each other in the longest chain."""
    below = {group: {groups[to] for top in group for to in arrows[top]} - {group} for group in groups.values()}
    height: dict[frozenset[str], int] = {}
    for group in TopologicalSorter(below).static_order():
        height[group] = 1 + max((height[under] for under in below[group]), default=0)
    return max(height.values(), default=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "historylab")
