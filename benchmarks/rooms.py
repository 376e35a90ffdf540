"""How the package is built: what stands at its top, which of it imports which, and its longest file.

    python benchmarks/rooms.py [FOLDER]     # historylab/ of this checkout; or of another one, to compare

An arrow is a pair of folders or modules at the top, one of which imports the other, for type checkers included. A floor
is one step of the longest chain of arrows; what forms a circle stands on one floor.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

NO_ROOM = {"__main__", "_version"}  # counted among folders and modules, not as flat: Python itself asks for them


def main(package: Path) -> None:
    files = sorted(package.rglob("*.py"))
    homes = {file: file.relative_to(package).parts[0].removesuffix(".py") for file in files}
    tops = set(homes.values()) - {"__init__"}
    arrows: dict[str, set[str]] = {top: set() for top in tops}
    for file, home in homes.items():
        if home in tops:
            arrows[home] |= set(imported(file, package.name)) & tops - {home}
    groups = circles(arrows)
    print(f"modules flat at the top: {sum((package / f'{top}.py').exists() for top in tops - NO_ROOM)}")
    print(f"folders and modules at the top: {len(tops)}")
    print(f"floors: {floors(arrows, groups)}")
    print(f"arrows: {sum(map(len, arrows.values()))}")
    print(f"circles: {len({group for group in groups.values() if len(group) > 1})}")
    print(f"longest file: {max(len(file.read_text(encoding='utf-8').splitlines()) for file in files)} lines")


def imported(file: Path, package: str) -> Iterator[str]:
    """What a file imports of the package, as the folder or module at its top."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith(f"{package}."))


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
