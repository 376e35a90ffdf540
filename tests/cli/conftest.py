"""What the tests of commands share: a sample to run them on."""

from __future__ import annotations

import pytest


@pytest.fixture
def sample(root):
    return str(root / "sample_conversations" / "bike-rental-support.json")


@pytest.fixture
def compacted(root):
    """A session that was compacted before its request 12."""
    return str(root / "sample_conversations" / "held-for-the-auditors.jsonl")
