"""The notices of what was refused, in words of its source."""

from __future__ import annotations

import pytest

from historylab.settings.resolve import resolve_settings
from historylab.ui.shared import refusals

SOURCES = {"you": "of your choice", "url": "from the URL", "recorded": "from the open file"}


@pytest.mark.parametrize(("source", "words"), SOURCES.items())
def test_a_refused_value_is_said_to_be_of_whoever_said_it(monkeypatch, source, words):
    said = []
    monkeypatch.setattr(refusals, "notice", lambda text, kind="note": said.append(text))
    refusals.refusals(resolve_settings(env={}, **{source: {"budget": "much"}}))
    assert [text.partition(" was refused:")[0] for text in said] == [f"Budget 'much' {words}"]
