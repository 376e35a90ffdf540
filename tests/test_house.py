"""The house rules: who may import whom, what only one place may name, and how the code is written."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import historylab

TRIMMERS = "historylab/trimmers/"  # a member runs its library
ARROW = ("columns", "engine_batches", "folders", "ledger", "parts", "table")
FENCES = {
    "openai": ("historylab/chat_models/",),
    "toktok": ("historylab/counters/",),
    "tiktoken": ("historylab/counters/",),
    "genai_prices": ("historylab/pricing.py",),
    "streamlit": ("historylab/ui/", "pages/", "app.py"),
    "plotly": ("historylab/figures/",),
    "pandas": ("historylab/tuning/table.py",),
    "pyarrow": ("historylab/formats/files/", *(f"historylab/tuning/{n}.py" for n in ARROW)),
    "yaml": ("historylab/formats/files/",),
    "msgpack": ("historylab/formats/frameworks/",),
    "psycopg": ("historylab/stores/",),
    "psycopg_pool": ("historylab/stores/",),
    "httpx2": ("historylab/proxy/",),
    "httpcore2": ("historylab/proxy/",),
    "uvicorn": ("historylab/proxy/",),
    "prometheus_client": ("historylab/proxy/metrics.py",),
    "rich": ("historylab/cli/",),
    "distributed": ("historylab/cli/sweep.py",),
    "fsspec": ("historylab/formats/files/object_stores.py",),
    **dict.fromkeys(("langchain", "langchain_core", "litellm", "pydantic_ai"), ("historylab/frameworks/", TRIMMERS)),
    **dict.fromkeys(
        ("agents", "autogen_core", "deepagents", "google", "haystack", "llama_index", "strands"), (TRIMMERS,)
    ),
    **dict.fromkeys(("agent_framework", "pydantic_ai_harness", "semantic_kernel"), (TRIMMERS,)),
}


def check(root: Path, *command: str) -> None:
    done = subprocess.run([sys.executable, *command], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def sources(root: Path) -> list[Path]:
    return [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "historylab").rglob("*.py")]


SCREENS = {"app", "pages"}
WATCHED = re.compile(rf"\b(?:import|from) .*\b(?:{'|'.join([*FENCES, *SCREENS])})\b")


@cache
def imported(file: Path) -> frozenset[str]:
    """Top-level names of all modules a file imports, anywhere in it; of files that speak of no watched one, none."""
    names, text = set(), file.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if WATCHED.search(text) else ():
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return frozenset(names)


def test_imports_go_down_the_layers_only(root):
    check(root, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))")


@pytest.mark.xdist_group("imports")
def test_no_modules_import_each_other_in_a_circle():
    """Nor for type checkers alone, nor inside functions."""
    graph = grimp.build_graph("historylab", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()


def test_the_map_lists_every_room_in_the_order_of_the_layers(root):
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["name"] == "layers"]
    page = (root / "docs/architecture.md").read_text("utf-8").partition("## The rooms")[2].partition("\n## ")[0]
    rows = [re.findall(r"`(\w+)`", cell) for cell in re.findall(r"^\| (`.*?) \|", page, re.M)]
    rooms = [[name for name in layer.split(" | ") if not name.startswith("_")] for layer in layers]
    assert rows == [room for room in rooms if room]


def test_ruff_finds_nothing(root):
    check(root, "-m", "ruff", "check", "--no-cache", ".")


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")  # the checks by mypy share its cache
def test_every_type_is_right(root):
    check(root, "-m", "mypy")


def test_the_tree_is_formatted(root):
    check(root, "-m", "ruff", "format", "--no-cache", "--check", ".")


@pytest.mark.xdist_group("imports")  # one process parses the tree, once
def test_a_fence_opens_only_for_its_own_library(root):
    named = {
        (f.relative_to(root).as_posix(), library) for f in sources(root) for library in imported(f) & FENCES.keys()
    }
    assert {(file, library) for file, library in named if not file.startswith(FENCES[library])} == set()


@pytest.mark.xdist_group("imports")
def test_the_package_never_imports_the_screens(root):
    assert [f for f in (root / "historylab").rglob("*.py") if imported(f) & SCREENS] == []


def test_few_modules_stand_outside_a_room(root):
    """Ten at most; those that Python itself asks for (`__init__`, `__main__`, `_version`) are no rooms' business."""
    flat = [f.name for f in (root / "historylab").glob("*.py") if not f.name.startswith("_")]
    assert len(flat) <= 10, f"give it a room: {flat}"


def test_importing_historylab_loads_nothing_heavy():
    """Nor does the plugin, which pytest imports at every start, whatever it tests."""
    code = "import sys, historylab, historylab.cli.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"streamlit", "plotly", "pandas", "openai", "numpy", "pydantic"} & set(loaded)


def test_no_public_function_takes_or_gives_just_anything():
    """A member's own options (`**options`) may: which ones there are is known once it is chosen."""
    untyped = []
    for function in filter(inspect.isfunction, [getattr(historylab, name) for name in historylab.__all__]):
        signature = inspect.signature(function)
        typed = {p.name: p.annotation for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD}
        hints = {**typed, "return": signature.return_annotation}
        untyped += [f"{function.__name__}: {name}" for name, hint in hints.items() if hint in ("Any", signature.empty)]
    assert untyped == []
