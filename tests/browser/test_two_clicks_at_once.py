"""A busy browser sends two clicks in one message, which Streamlit takes for the fragment's alone if one of them is."""

from __future__ import annotations

import pytest
from opened import headline, opened, source_of

pytestmark = pytest.mark.browser


LATE = "() => { const set = setTimeout; window.setTimeout = (what, ms, ...more) => set(what, ms || 300, ...more) }"
"""A browser that is too busy to send at once what was clicked."""


def search_and_click(page, role: str, name: str) -> None:
    """Search, leave the field and click, before the browser has sent the search."""
    search = page.get_by_placeholder("Search messages")
    search.fill("the")
    page.evaluate(LATE)
    search.blur()
    page.get_by_role(role, name=name).first.dispatch_event("click")


@pytest.mark.parametrize("button, drawn", [("Debug", "Policy"), ("Export", "These settings"), ("Share", "link says")])
def test_the_drawer_opens(page, home, button, drawn):
    opened(page, home)
    search_and_click(page, "button", button)
    page.get_by_role("dialog").get_by_text(drawn).first.wait_for()
    page.get_by_text("hold “the”").wait_for()


def test_the_setting_is_used(page, home):
    opened(page, home + "/?historyLength=2")
    headline(page, "sees 4 of")
    search_and_click(page, "radio", "All")
    source_of(page, "policy", "you")
    page.locator("h1", has_not_text="sees 4 of").wait_for()
    page.get_by_text("hold “the”").wait_for()
