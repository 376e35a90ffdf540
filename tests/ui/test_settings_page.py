"""The page of sources without a browser: every source side by side, and what-if values that touch nothing."""

from __future__ import annotations

import os

import pytest
from app_pages import screen, shown, text

pytestmark = pytest.mark.slow  # a whole page, many times

PAGE = "pages/settings.py"


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_it_opens_first_and_from_the_frame(start):
    app = screen(start)
    if start != PAGE:
        shown(app.switch_page(PAGE).run())
    assert "Where every setting comes from" in text(app)


def test_winner_loser_and_refused_stand_side_by_side(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "0")
    app = screen(PAGE, historyLength="x", historyPolicy="all")
    html = " ".join(e.proto.body for e in app.get("html"))
    assert '<span class="hl-won"' in html
    assert 'title="historyPolicy comes first">lastN</span>' in html
    assert "refused: not a number" in html
    assert "🔒" in html


def test_a_what_if_value_changes_the_table_and_nothing_else():
    app = screen(PAGE)
    shown(app.selectbox(key="if-setting").set_value("budget").run())
    shown(app.text_input(key="if-value").set_value("1234").run())
    shown(app.button(key="if-try").click().run())
    assert "what if" in text(app)
    assert "1,234" in text(app)
    assert "HISTORYLAB_BUDGET" not in os.environ
    shown(app.button(key="if-clear").click().run())
    assert "1,234" not in text(app)


def test_a_hostile_value_stays_text(monkeypatch):
    app = screen(PAGE, model="<img src=x onerror=alert(1)>")
    assert not any("<img" in e.proto.body for e in app.get("html"))
