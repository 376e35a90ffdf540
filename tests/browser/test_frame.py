"""The bar with the four places; the page loads from this machine alone, within its own security policy."""

from __future__ import annotations

import itertools
import re

import pytest
from browser_pages import PLAIN, at_rest, opened, settled

pytestmark = pytest.mark.browser

PLACES = ("Conversations", "Inspect", "Compare", "Improve")
BELONGS = {
    "": "Inspect",
    "compare": "Compare",
    "tune": "Improve",
    "conversations": "Conversations",
    "corpus": "Conversations",
    "talk": "Inspect",
}
"""Path of a page, with and without settings beside it → the place it belongs to."""


def test_the_places_stand_still_from_page_to_page_and_the_one_at_hand_is_marked(page, home):
    page.set_viewport_size({"width": 1440, "height": 900})
    stand = set()
    for path, place in BELONGS.items():
        page.goto(f"{home}/{path}")
        page.locator(".st-key-places [aria-current=page]", has_text=place).wait_for()
        settled(page)
        boxes = [page.get_by_role("link", name=name, exact=True).bounding_box() for name in PLACES]
        stand.add(tuple((box["x"], box["y"]) for box in boxes))
        assert all(box["y"] + box["height"] <= 44 for box in boxes)
    assert len(stand) == 1


def test_on_a_phone_the_places_are_a_menu(page, home):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(home)
    page.locator(".sheet[data-drawn]").wait_for(state="attached")
    settled(page)
    menu, link = page.get_by_role("button", name="Menu", exact=True), page.get_by_role("link", name="Compare")
    assert not link.is_visible()
    menu.click()
    link.wait_for()
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    menu.press("Enter")
    link.click()
    page.wait_for_url("**/compare*")
    link.wait_for(state="hidden")


def test_a_drawer_that_closes_leaves_no_tooltip_over_the_bar(page, home):
    page.goto(home)
    page.locator(".st-key-export button:visible").wait_for()
    page.locator(".sheet[data-drawn]").wait_for(state="attached")
    settled(page)
    page.locator(".st-key-open-drawer button:visible").press("Enter")
    page.get_by_role("dialog").wait_for()
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_function("() => document.activeElement.closest('.st-key-open-drawer') !== null")
    assert not page.get_by_role("tooltip").count()


def test_nothing_in_the_bar_lies_over_anything_else(page, home):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(home)
    page.locator(".sheet[data-drawn]").wait_for(state="attached")
    page.locator(".st-key-export button:visible").wait_for()
    settled(page)
    for width in (390, 640, 720, 1024):
        page.set_viewport_size({"width": width, "height": 844})
        at_rest(page.locator(".st-key-actions"))
        boxes = sorted(page.evaluate(IN_THE_BAR))
        assert len(boxes) >= 5
        assert not [pair for pair in itertools.pairwise(boxes) if pair[0][1] > pair[1][0]], width
        assert boxes[-1][1] <= width


IN_THE_BAR = """() => {
  const all = "header button, .st-key-navigation :is(a, button), .st-key-actions button, .st-key-keys";
  const box = (one) => one.getBoundingClientRect();
  const there = (one) => one.checkVisibility() && one.offsetHeight && box(one).top < 40;
  return [...document.querySelectorAll(all)].filter(there).map(box).map(({ left, right }) => [left, right]);
}"""


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
    page.locator("canvas.marks").wait_for()
    settled(page)
    first_screen = "canvas => canvas.getBoundingClientRect().y <= 560"  # once the styles are there, too
    page.wait_for_function(first_screen, arg=page.locator("canvas").first.element_handle())
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => historylabClock.now.playing && historylabClock.now.request < 9")  # from the beginning
    page.evaluate("fetch('https://example.invalid/').catch(() => 0)")
    assert seen.violations


@pytest.mark.parametrize("width", [390, 720])
def test_where_there_is_little_room_the_search_is_behind_its_magnifier(page, home, width):
    opened(page, home + PLAIN, width=width)
    headline = page.locator("h1").bounding_box()
    glyph = at_rest(page.locator(".st-key-find"))
    assert glyph["width"] == 40
    page.mouse.click(glyph["x"] + 14, glyph["y"] + 20)
    assert at_rest(page.locator(".st-key-find"))["width"] == width - 32
    assert page.locator("h1").bounding_box() == headline
