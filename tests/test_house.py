"""The house rules: who may import whom, what only one place may name, and how the code is written."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FENCES = {
    "openai": ("historylab/chat_models/",),
    "toktok": ("historylab/counters/",),
    "tiktoken": ("historylab/counters/",),
    "genai_prices": ("historylab/pricing.py",),
    "streamlit": ("historylab/ui/", "pages/", "app.py"),
    "plotly": ("historylab/figures/",),
    "pandas": ("historylab/figures/", "historylab/tuning/table.py"),
    "rich": ("historylab/cli/",),
    "distributed": ("historylab/cli/sweep.py",),
}


def check(root: Path, *command: str) -> None:
    done = subprocess.run([sys.executable, *command], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def sources(root: Path) -> list[Path]:
    return [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "historylab").rglob("*.py")]


def imported(file: Path) -> set[str]:
    """Top-level names of all modules a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_go_down_the_layers_only(root):
    check(root, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))")


def test_ruff_finds_nothing(root):
    check(root, "-m", "ruff", "check", "--no-cache", ".")


def test_the_tree_is_formatted(root):
    check(root, "-m", "ruff", "format", "--no-cache", "--check", ".")


@pytest.mark.parametrize("library", FENCES)
def test_a_fence_opens_only_for_its_own_library(root, library):
    named = {f.relative_to(root).as_posix() for f in sources(root) if library in imported(f)}
    assert {f for f in named if not f.startswith(FENCES[library])} == set()


def test_the_package_never_imports_the_screens(root):
    assert [f for f in (root / "historylab").rglob("*.py") if imported(f) & {"app", "pages"}] == []


def test_importing_historylab_loads_nothing_heavy():
    code = "import sys, historylab; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"streamlit", "plotly", "pandas", "openai"} & set(loaded)
