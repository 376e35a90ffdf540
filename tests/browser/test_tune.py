"""Improve in a real browser: a search by itself, a click on the frontier, a search that is stopped, settings in use."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from browser_pages import at_rest, headline, settled
from playwright.sync_api import expect

from historylab.wording.palette import FAINT

pytestmark = pytest.mark.browser


def tuned(page, address: str):
    """The page at that address, once its frontier is drawn."""
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.goto(address)
    page.get_by_test_id("stPlotlyChart").locator(".point").first.wait_for()
    return page


def test_search_recommendation_use(page, home, seen):
    tuned(page, home + "/tune?conv=gen:tool_loop:seed=2")
    headline(page, "Drop the oldest turns when 16k is full: 28% cheaper")
    page.get_by_role("button", name="Use", exact=True).click()
    page.wait_for_url(re.compile("budget=|pruner=|historyPolicy="))
    page.get_by_role("link", name="Improve").click()
    headline(page, "Yours are as good as anything tried")
    assert seen.external == []
    assert seen.errors == []


def test_a_click_on_a_point_picks_those_settings(page, home):
    tuned(page, home + "/tune?conv=sample:ferry-desk")
    headline(page, "Yours are as good as anything tried")
    page.get_by_text("These are your settings.").wait_for()
    points = page.get_by_test_id("stPlotlyChart").locator(".scatterlayer .trace").nth(1).locator(".point")
    box = at_rest(points.nth(5))
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_role("button", name="Use", exact=True).wait_for()
    page.get_by_text("Looked at, not advised.").wait_for()


def test_no_name_in_the_chart_stands_on_another(page, home):
    tuned(page, home + "/tune?conv=gen:tool_loop:seed=2")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 1400})
        names = page.get_by_test_id("stPlotlyChart").locator(".textpoint text:visible, .scatterlayer text:visible")
        at_rest(names.first)
        boxes = [each.bounding_box() for each in names.all()]
        assert len(boxes) >= 3
        assert not [pair for pair in combinations(boxes, 2) if _meet(*pair)], width


def _meet(one, other) -> bool:
    return all(
        one[a] < other[a] + other[b] and other[a] < one[a] + one[b] for a, b in (("x", "width"), ("y", "height"))
    )


def test_a_long_search_can_be_stopped_and_what_it_found_stays(page, home):
    page.goto(home + "/tune?conv=gen:coding_agent:turns=200,seed=1")
    page.get_by_role("button", name=re.compile("^Try up to 50 settings")).click()
    page.get_by_text(re.compile(r"Trying settings: ([2-9]|\d\d) of at most 51")).wait_for()
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text(re.compile(r"Stopped after \d+")).wait_for()
    page.locator("h1", has_text=re.compile("yours|Yours|Too little")).wait_for()


def test_a_chart_is_drawn_in_the_readers_theme_as_soon_as_that_changes(page, home):
    page.emulate_media(color_scheme="light")
    page.goto(home + "/tune?conv=sample:ferry-desk")
    tick = page.get_by_test_id("stPlotlyChart").locator(".xtick text").first
    tick.wait_for()
    for scheme, look in (("light", FAINT.light), ("dark", FAINT.dark), ("light", FAINT.light)):
        page.emulate_media(color_scheme=scheme)
        expect(tick).to_have_css("fill", f"rgb({', '.join(map(str, bytes.fromhex(look[1:])))})")


def test_cost_unfolds_under_the_verdict(page, home, seen):
    page.goto(home + "/?v=2&conv=sample:lamp-through-the-night&budget=1500")
    page.get_by_role("tab", name="Cost").click()
    page.get_by_text("Source: genai-prices").wait_for()
    page.get_by_role("button", name=re.compile("Use the measured overhead of 14,245 tokens")).wait_for()
    page.get_by_role("spinbutton", name="Input read from a cache").fill("5")
    page.get_by_role("spinbutton", name="Input read from a cache").press("Enter")
    page.get_by_text("given by you").wait_for()
    assert seen.errors == []


def test_advice_on_what_was_open_before_is_grey_a_quarter_of_a_second_later(page, home):
    """What Streamlit marks as stale is so while the page is made anew, for however long."""
    faded = """(element) => {
      element.setAttribute("data-stale", "true");
      const { opacity, transitionDelay } = getComputedStyle(element);
      element.getAnimations().forEach((animation) => animation.finish());
      return [getComputedStyle(element).opacity, transitionDelay, opacity];
    }"""
    settled(tuned(page, home + "/tune?conv=sample:ferry-desk"))
    for advised in (".hl-verdict", ".hl-figures", '[data-testid="stPlotlyChart"]'):
        around = page.get_by_test_id("stElementContainer").filter(has=page.locator(advised)).first
        assert around.evaluate(faded) == ["0.33", "0.25s", "1"]
    page.goto(home)
    headline(page, "messages sent")
    settled(page)
    first = page.locator(".st-key-answer [data-testid=stElementContainer]").filter(has_text=re.compile(".")).first
    assert first.evaluate(faded) == ["0.33", "0.25s", "1"]
