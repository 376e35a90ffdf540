"""The presenter's view: a link opens it, all of it fits a screen of 16:9, and nothing moves while it plays."""

from __future__ import annotations

import pytest
from browser_pages import PLAIN, SECONDS, opened, settled

pytestmark = pytest.mark.browser

LINK = "/?conv=sample:farewell-lunch&budget=1400&pruner=summarize&request=1&present=true"
IN_SIGHT = (
    "[...document.querySelectorAll('button, [data-testid=stPageLink] a, input, h1')]"
    ".filter((each) => each.checkVisibility()).map((each) => each.innerText)"
)
MAP_ENDS = "height => Math.abs(height * .98 - document.querySelector('.st-key-map').getBoundingClientRect().bottom) < 2"


@pytest.fixture
def presented(page, home):
    page.set_default_timeout(SECONDS * 1000)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(home + LINK)
    page.locator("html.hl-present").wait_for(state="attached")
    settled(page)
    page.get_by_role("button", name="Play").wait_for()
    return page


def test_headline_map_and_play_are_all_there_is_and_fit(presented):
    assert presented.evaluate(IN_SIGHT) == [presented.locator("h1").inner_text()]  # the map's own are in its shadow
    play = presented.get_by_role("button", name="Play").bounding_box()
    assert play["y"] + play["height"] < 720
    assert presented.evaluate("document.querySelector('.stMain').scrollHeight") <= 720


def test_the_map_takes_what_is_left_of_a_window(presented):
    for width, height in ((900, 500), (1280, 720), (1920, 1080)):
        presented.set_viewport_size({"width": width, "height": height})
        presented.wait_for_function(MAP_ENDS, arg=height)
        assert presented.evaluate("document.querySelector('.stMain').scrollHeight") <= height


def test_while_it_plays_numbers_follow_and_nothing_moves(presented):
    places = lambda: [presented.locator(s).first.bounding_box() for s in ("h1", ".hl-seen", ".st-key-map")]  # noqa: E731
    before, share = places(), presented.locator("[data-share]")
    first = share.inner_text()
    presented.get_by_role("button", name="Play").click()
    presented.locator("html.hl-playing").wait_for(state="attached")
    presented.wait_for_function("first => document.querySelector('[data-share]').innerText !== first", arg=first)
    presented.locator("html:not(.hl-playing)").wait_for(state="attached")
    now = places()
    assert [place["y"] for place in now] == [place["y"] for place in before]
    assert [place["height"] for place in now] == [place["height"] for place in before]


def test_escape_leads_back_and_a_reload_stays_there(presented):
    presented.keyboard.press("Escape")
    presented.locator("html:not(.hl-present)").wait_for(state="attached")
    presented.reload()
    presented.get_by_role("button", name="Share", exact=True).wait_for()
    assert "present" not in presented.url


def test_the_number_says_at_which_requests_it_is_over_the_budget(page, home):
    opened(page, home + f"{PLAIN}&budget=100")
    for request, over in ((0, True), (1, False), (3, True)):
        page.evaluate(f"historylabClock.set({{ request: {request} }})")
        page.locator(".hl-seen b.hl-over" if over else ".hl-seen b:not(.hl-over)").wait_for()
        assert page.locator(".hl-seen b").inner_text().startswith("! ") == over
