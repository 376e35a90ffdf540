"""Settings that no conversation can be replayed under are said on every page, with a place to choose others."""

from __future__ import annotations

import pytest
from screens import screen, shown, text

NOBODY_KNOWS_ITS_WINDOW = {"compaction": "at_threshold", "model": "mystery-1"}


@pytest.mark.parametrize("page", ["playground", "tune", "corpus"])
def test_a_window_nobody_knows_is_said_beside_the_settings(page):
    app = screen(f"pages/{page}.py", **NOBODY_KNOWS_ITS_WINDOW)
    assert "be replayed:" in text(app)
    assert "mystery-1" in text(app)
    shown(app.selectbox(key="set model").set_value("gpt-5.5").run())
    assert "be replayed:" not in text(app)


@pytest.mark.parametrize("link", [NOBODY_KNOWS_ITS_WINDOW, {"cmp": "compaction:at_threshold", "model": "mystery-1"}])
def test_comparing_with_it_is_said_under_what_is_compared(link):
    app = screen("pages/compare.py", **link)
    assert "be replayed:" in text(app)
    assert "B" in text(app)
