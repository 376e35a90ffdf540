"""A busy browser sends two clicks in one message, which Streamlit takes for the fragment's alone if one of them is."""

from __future__ import annotations

import pytest
from browser_pages import headline, opened, settled, source_of

pytestmark = pytest.mark.browser

LATE = """() => {
    const set = window.inTime ??= window.setTimeout;
    window.setTimeout = (what, ms, ...more) => set(what, ms || 300, ...more);
}"""
"""A browser that is too busy to send at once what was clicked."""
IN_TIME = "() => { window.setTimeout = window.inTime }"
DRAWERS = {"Export": "These settings", "Share": "It carries"}
"""Button → what is in its drawer."""


def test_what_is_clicked_right_after_typing_a_search_is_done_too(page, home):
    opened(page, home + "/?historyLength=2")
    headline(page, "4 of")
    for words, (button, drawn) in zip(("a", "the"), DRAWERS.items(), strict=True):
        search_and_click(page, words, page.get_by_role("button", name=button).first)
        drawer = page.get_by_role("dialog")
        drawer.get_by_text(drawn).first.wait_for()
        settled(page)
        drawer.press("Escape")
        drawer.wait_for(state="hidden")
    search_and_click(page, "we", page.get_by_test_id("stNumberInputStepUp").first)
    source_of(page, "length", "you")
    page.locator(".hl-count", has_not_text=" 4 of").wait_for()


def test_a_key_on_the_map_counts_when_a_setting_changes_before_it_was_told(page, home):
    opened(page, home + "/?historyLength=5")
    headline(page, "Turn 83")
    settled(page)
    page.evaluate(LATE.replace("ms || 300", "ms === 180 ? 60_000 : ms"))  # the map waits for more keys
    page.get_by_role("slider", name="Selected request").press("Home")
    length = page.get_by_role("spinbutton", name="Length", exact=True)
    length.fill("2")
    length.press("Enter")
    source_of(page, "length", "you")
    headline(page, "Turn 1[: ]")


def search_and_click(page, words: str, what) -> None:
    """Search, leave the field and click, before the browser has sent the search. Esc needs it to be in time again."""
    page.evaluate(LATE)
    search = page.get_by_placeholder("Search, or ask why")
    search.fill(words)
    search.blur()
    what.dispatch_event("click")
    page.evaluate(IN_TIME)
    page.get_by_text(f"contain “{words}”").wait_for()
