"""The tab Sources, also by its own path: who decides each setting, what each source does, and what would be if."""

from __future__ import annotations

import os
import re
from html import unescape

import pytest
from app_pages import screen, shown, text

pytestmark = pytest.mark.slow  # a whole page, many times

PAGE, PLAYGROUND = "pages/settings.py", "pages/playground.py"
REAL = "Turn 83: 40 of 166 messages sent"


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_it_opens_first_and_from_the_frame(start):
    app = screen(start)
    if start != PAGE:
        shown(app.switch_page(PAGE).run())
    assert "Where every setting comes from" in words(app)
    assert REAL in words(app)


def test_winner_loser_and_refused_stand_side_by_side(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "0")
    app = screen(PAGE, historyLength="x", historyPolicy="all")
    assert '<span class="hl-won"' in html(app)
    assert 'title="historyPolicy comes first">lastN</span>' in html(app)
    assert "The URL's “x” is refused: not a number; write one of 0 or more, such as 20." in words(app)
    assert "🔒" in html(app)


def test_a_source_says_what_it_does_and_can_be_switched_off():
    app = screen(PAGE, historyLength="5", historyPolicy="all")
    assert "Without the URL, the model would see 40 messages instead of 164 at the last request" in words(app)
    shown(app.toggle(key="on url").set_value(False).run())
    assert "the model would see 40 of 166 messages" in words(app)
    assert "With the URL, the model would see 164 messages instead of 40" in words(app)
    assert "With the settings really in effect, the model would see 164 messages instead of 40" in words(app)
    shown(app.button(key="real").click().run())
    assert "as if" not in words(app)
    assert "164 of 166 messages sent" in words(app)


def test_what_a_source_would_say_is_written_and_touches_nothing_else():
    app = screen("app.py")
    app.switch_page(PAGE)
    app.session_state["edit environment"] = True  # as it is unfolded
    shown(app.run())
    shown(app.text_area(key="text environment").set_value("HISTORYLAB_LENGTH=2\nLENGTH=3\nbudget").run())
    assert "the model would see 4 of 166 messages" in words(app)
    assert "Line 3 is no NAME=value" in words(app)
    assert "No setting is read from LENGTH; did you mean HISTORYLAB_LENGTH" in words(app)
    assert "HISTORYLAB_LENGTH" not in os.environ
    shown(app.switch_page(PLAYGROUND).run())
    assert REAL in words(app)


CASES = {
    "Three sources disagree": (
        "Policy: Last N (lastN). The environment sets it, so the URL's “all” and the template's “none” are not used.",
        "Length: 5. The URL sets it, so the template's “20” is not used.",
    ),
    "A locked environment": ("Length: 0. The environment sets it, so the URL's “50” is not used.",),
    "A refused value": ("Length: 12. The URL's “abc” is refused: not a number;", "The template sets it."),
    "All or nothing": (
        "Policy: Last N (lastN). The environment sets it. The environment is strict, so the URL's “all” is not used.",
        "Length: 10. The template sets it. The environment is strict, so the URL's “3” is not used.",
    ),
    "Recorded against template": (
        "Budget: 4,000. The template sets it, so the file's “60000” is not used.",
        "Model: claude-opus-4-5. It is taken from the open file.",
        "chatSettings.historyPolicy=all budget=4000",
        "budget=60000 window=200000 model=claude-opus-4-5",
    ),
}


def test_ready_cases_say_who_wins_and_why_and_their_map_follows():
    app = screen(PAGE, budget="500")
    for case, told in CASES.items():
        shown(app.pills(key="case").set_value(case).run())
        said = words(app)
        assert all(sentence in said for sentence in told), case
        assert app.session_state["historylab"].you == {}
    shown(app.pills(key="case").set_value(None).run())
    assert "as if" not in words(app)


def test_only_what_is_set_is_listed_until_all_is_asked_for_and_names_find_it():
    app = screen(PAGE, budget="500")
    assert settings(app) == ["budget"]
    app.segmented_control(key="which settings True").set_value("All")
    shown(app.run())
    assert len(settings(app)) > 60
    shown(app.text_input(key="find setting").set_value("chatsettings length").run())
    assert settings(app) == ["length"]


def test_a_hostile_value_stays_text(monkeypatch):
    app = screen(PAGE, model="<img src=x onerror=alert(1)>")
    assert not any("<img" in e.proto.body for e in app.get("html"))


def words(app) -> str:
    return " ".join(unescape(text(app)).split())


def html(app) -> str:
    return " ".join(e.proto.body for e in app.get("html"))


def settings(app) -> list[str]:
    return re.findall(r'<section class="hl-origin" data-setting="([^"]+)"', html(app))
