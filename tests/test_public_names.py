"""The public names are frozen: a name, parameter or default changes only together with its golden line."""

from __future__ import annotations

from difflib import unified_diff

from public_surface import CONTRACTS, public_surface

from historylab import registry

GOLDEN = "tests/golden/public_names.txt"
REWRITE = f"python tests/support/public_surface.py > {GOLDEN}"


def test_the_public_names_are_the_frozen_ones(root):
    frozen = (root / GOLDEN).read_text("utf-8").splitlines()
    changes = "\n".join(unified_diff(frozen, public_surface(), "frozen", "now", n=0, lineterm=""))
    assert not changes, f"public names changed; if that is meant, run `{REWRITE}`\n{changes}"


def test_the_contract_of_every_family_is_frozen():
    assert set(CONTRACTS) == set(registry.FAMILIES)
