"""The page loads from this machine alone, within its own security policy."""

from __future__ import annotations

import re

import pytest
from browser_pages import settled

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/settings"])
def test_a_page_opens_by_its_link_without_the_network(page, home, seen, path):
    page.goto(home + path)
    page.locator("h1").first.wait_for()
    page.wait_for_function("document.title.includes('HistoryLab')")
    page.wait_for_load_state("networkidle")
    assert seen.external == []
    assert seen.errors == []
    assert not page.get_by_text(re.compile("Traceback|Error:")).count()


def test_the_map_begins_on_the_first_screen_and_the_page_may_not_load_from_elsewhere(page, home, seen):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(home)
    page.locator(".st-key-see-first-loss").wait_for()  # all that stands above the map is drawn
    settled(page)
    first_screen = "canvas => canvas.getBoundingClientRect().y <= 560"  # once the styles are there, too
    page.wait_for_function(first_screen, arg=page.locator("canvas").first.element_handle())
    page.get_by_role("button", name="Play the conversation").click()
    page.wait_for_function("() => historylabClock.now.playing && historylabClock.now.request < 9")  # from the beginning
    page.evaluate("fetch('https://example.invalid/').catch(() => 0)")
    assert seen.violations
