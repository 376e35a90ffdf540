"""Any JSON node of any sample deleted, replaced, retyped, renamed, repeated or moved: it loads or is refused, aloud."""

from __future__ import annotations

import random

import pytest

from benchmarks.attacks.files import EACH, WRONG, attack, marked, pieces
from historylab.formats.samples import samples

every_sample = pytest.mark.parametrize("sample", samples().values(), ids=list(samples()))


@every_sample
@pytest.mark.parametrize("seed", [0, pytest.param(range(1, 4), marks=pytest.mark.slow)], ids=["once", "often"])
def test_a_changed_sample_loads_or_is_refused_and_no_text_falls_silently(sample, seed):
    for number in [seed] if isinstance(seed, int) else seed:
        chance = random.Random(number)
        piece = marked(pieces(sample.path, chance), iter(range(10_000)))
        found = [attack(piece, sample.path.suffix == ".jsonl", chance) for _ in range(EACH)]
        assert [outcome.detail for outcome in found if outcome.kind in WRONG] == []
        assert any(outcome.kind == "loaded" for outcome in found)
