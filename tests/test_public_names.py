"""The public names are frozen: a name, parameter or default changes only together with its golden line."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
from difflib import unified_diff

import pytest
from public_surface import CONTRACTS, public_surface

from historylab import registry

GOLDEN = "tests/golden/public_names.txt"
REWRITE = f"python tests/support/public_surface.py > {GOLDEN}"


@pytest.mark.slow
def test_they_are_there_without_sources(tmp_path, root):
    """As an app that is frozen into one file has them."""
    shutil.copytree(root / "historylab", tmp_path / "historylab", ignore=shutil.ignore_patterns("__pycache__", "ui"))
    compileall.compile_dir(tmp_path, quiet=1, legacy=True)
    for source in tmp_path.rglob("*.py"):
        source.unlink()
    code = "import historylab as h; print(h.Settings(length=3).length, len(h.formats()) > 9, h.__file__[-4:])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "3 True .pyc\n", done.stderr


def test_the_public_names_are_the_frozen_ones(root):
    frozen = (root / GOLDEN).read_text("utf-8").splitlines()
    changes = "\n".join(unified_diff(frozen, public_surface(), "frozen", "now", n=0, lineterm=""))
    assert not changes, f"public names changed; if that is meant, run `{REWRITE}`\n{changes}"


def test_the_contract_of_every_family_is_frozen():
    assert set(CONTRACTS) == set(registry.FAMILIES)
