"""Every page opens by its file alone and from the frame, and each belongs to one of four places."""

from __future__ import annotations

import pytest
from app_pages import ROOT, screen, shown, text

from historylab.ui.shared.page import BELONGS, PAGES, PLACES

pytestmark = pytest.mark.slow  # whole screens

OPENS = {
    "playground": "40 of 166 messages sent",
    "compare": "B sends",
    "tune": "8k",
    "conversations": "1 conversation",
    "corpus": "1 conversation",
    "talk": "Nothing has been asked yet.",
    "live": "Watch your app as it talks to a model",
    "settings": "Where every setting comes from",
}


@pytest.mark.parametrize("name", OPENS)
def test_a_page_opens_by_its_file_alone_and_from_the_frame(name):
    assert OPENS[name] in text(screen(f"pages/{name}.py"))
    frame = screen("app.py")
    assert OPENS[name] in text(shown(frame.switch_page(f"pages/{name}.py").run()))


def test_every_page_is_a_place_or_belongs_to_one():
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES) == set(OPENS)
    assert {BELONGS.get(name, name) for name in PAGES} == set(PLACES)
