"""Compare in a real browser: the maps play by one clock, and each of them moves the request and selects."""

from __future__ import annotations

import re

import pytest
from browser_pages import at_rest, headline, settled

pytestmark = pytest.mark.browser

LEFT, RIGHT, TOP, BELOW = 48, 12, 26, 79  # pixels around the cells, as in paint.js
MESSAGES, REQUESTS = 166, 83


# Once the tokens under both maps have moved on while it plays, B's button stops what A plays.
STOPPED_BY_THE_OTHER = """(button) => {
  const { request: at, playing } = historylabClock.now;
  const [a, b] = [...document.querySelectorAll("[data-tokens]")].map((one) => parseInt(one.title.replace(",", "")));
  const both = a > 1000 && b < 900;
  if (!playing || at <= 21 || !both || button.getAttribute("aria-pressed") !== "true") return false;
  button.click();
  return !historylabClock.now.playing;
}"""


def test_the_maps_play_by_one_clock_and_any_of_them_stops_it_moves_the_request_and_selects(page, home, seen):
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": 1280, "height": 2400})
    page.goto(home + "/compare?v=1&cmp=historyLength:5&play=true")
    other = page.get_by_role("button", name="Play").nth(1).element_handle()
    page.wait_for_function(STOPPED_BY_THE_OTHER, arg=other)
    headline(page, "B sends")
    page.get_by_role("slider", name="Selected request on the map of configuration A").press("End")
    slider = page.get_by_role("slider", name="Selected request on the map of configuration B")
    says(page, slider, "^turn 83: 10 of 166 messages sent$")
    slider.focus()
    slider.press("Home")
    shows(page, 1)
    slider.press("PageUp")
    says(page, slider, "^turn 2:")
    shows(page, 2)

    box = at_rest(slider)
    wide, tall = box["width"] - LEFT - RIGHT, box["height"] - TOP - BELOW
    cell = {"x": LEFT + 60.5 * wide / REQUESTS, "y": TOP + 95.5 * tall / MESSAGES}
    slider.hover(position=cell)
    tip = page.get_by_role("tooltip")
    tip.filter(has_text="request 61, turn 61: × dropped").wait_for()
    assert "Older than the last 5 user messages." in tip.inner_text()
    slider.click(position=cell)
    page.get_by_text(re.compile("^Message 96, user, with request 61$")).wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator(".hl-title", has_text="Message 96").wait_for(state="detached")
    assert seen.errors == []


FOUR = "/compare?v=1&cmp=historyLength:5;budget:900;historyPolicy:all,pruner:off"
PLACES = """() => [...document.querySelectorAll("[class*='st-key-lane-']")].map((lane) => lane.getBoundingClientRect())
  .map(({ x, y, width }) => [x, y, width].map(Math.round))"""
TABLE_FITS = """() => {
  const placed = (row) => [...row.children].map((cell) => cell.getBoundingClientRect());
  const rows = [...document.querySelectorAll(".hl-compare tbody tr")].map(placed);
  const below = (cell, i, cells) => cell.right <= innerWidth && (!i || cell.top >= cells[i - 1].bottom - 1);
  return rows.length > 5 && rows.every((row) => row.every(below));
}"""


def test_four_maps_stand_in_a_row_on_a_screen_and_below_each_other_on_a_phone_where_the_table_is_whole(page, home):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(home + FOUR)
    page.get_by_role("slider", name="Selected request on the map").nth(3).wait_for()
    settled(page)
    places = page.evaluate(PLACES)
    assert len({y for _, y, _ in places}) == 1
    assert min(wide for *_, wide in places) >= 320
    assert page.evaluate("document.documentElement.scrollWidth") == 1440
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(TABLE_FITS)
    assert len({x for x, _, _ in page.evaluate(PLACES)}) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_configuration_is_added_by_a_click_and_moves_with_the_others(page, home):
    page.goto(home + "/compare?v=1&cmp=historyLength:5")
    page.get_by_role("button", name="Add last 20 messages").click()
    added = page.get_by_role("slider", name="Selected request on the map of configuration C")
    added.wait_for()
    settled(page)
    page.get_by_role("slider", name="Selected request on the map of configuration A").press("Home")
    says(page, added, "^turn 1:")


def test_a_map_has_the_button_of_the_presenters_view(page, home):
    page.goto(home + "/compare?v=1&cmp=historyLength:5")
    page.get_by_role("slider", name="Selected request on the map of configuration A").hover()
    page.get_by_role("button", name="Full screen").first.click()
    page.locator("html.hl-present").wait_for(state="attached")


def shows(page, request: int) -> None:
    """Wait until Python has been told."""
    page.wait_for_function("(n) => Number(document.querySelector('.st-key-scrubber input').value) === n", arg=request)


def says(page, slider, words: str) -> None:
    page.wait_for_function(
        "([map, words]) => new RegExp(words).test(map.getAttribute('aria-valuetext'))",
        arg=[slider.element_handle(), words],
    )
