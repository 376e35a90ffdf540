"""The map in a real browser: keys, clicks and drags move the request and the list; it speaks, and it runs no text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from browser_pages import HOSTILE, PLAIN, at_rest, headline, no_drawer, opened, settled, upload

from historylab import generate, replay, resolve_settings
from historylab.costs.amounts import short_count
from historylab.planning.reasons import Action
from historylab.wording.context import used_tokens
from historylab.wording.must_remember import brief_label
from historylab.wording.palette import LOOKS
from historylab.wording.phrases import capitalize_first
from historylab.wording.verdict import count_actions, count_sent

pytestmark = pytest.mark.browser

LEFT, RIGHT, TOP, BELOW = 48, 12, 26, 79  # pixels around the cells, as in paint.js
CUT = "/?historyLength=10"  # 83 requests of 166 messages, the first cut at the eleventh


@dataclass
class Map:
    """The map of a page, and where its cells are."""

    page: object
    messages: int
    requests: int

    @property
    def slider(self):
        return self.page.get_by_role("slider", name="Selected request")

    def at(self, message: int, request: int) -> tuple[float, float]:
        """The middle of a cell (from 0), from the upper left corner of the canvas."""
        box = at_rest(self.slider)
        wide, tall = box["width"] - LEFT - RIGHT, box["height"] - TOP - BELOW
        return LEFT + (request + 0.5) * wide / self.requests, TOP + (message + 0.5) * tall / self.messages

    def point(self, message: int, request: int) -> None:
        x, y = self.at(message, request)
        self.slider.hover(position={"x": x, "y": y})

    def click(self, message: int, request: int) -> None:
        x, y = self.at(message, request)
        self.slider.click(position={"x": x, "y": y})

    def says(self, words: str) -> None:
        self.page.wait_for_function(
            "([map, words]) => new RegExp(words).test(map.getAttribute('aria-valuetext'))",
            arg=[self.slider.element_handle(), words],
        )

    @property
    def tip(self):
        return self.page.get_by_role("tooltip")


@pytest.fixture
def retention_map(page, home) -> Map:
    opened(page, home + CUT)
    found = Map(page, 166, 83)
    found.says("turn 83")
    return found


def test_it_is_a_slider_moved_by_keys_number_and_buttons_that_zooms_around_the_request(retention_map):
    page, slider = retention_map.page, retention_map.slider
    assert slider.get_attribute("aria-valuetext") == "turn 83: 20 of 166 messages sent"
    assert [slider.get_attribute(f"aria-value{name}") for name in ("min", "now", "max")] == ["1", "83", "83"]

    slider.focus()
    for key, turn in (("Home", 1), ("ArrowRight", 2), ("ArrowUp", 3), ("PageUp", 4), ("PageDown", 3), ("End", 83)):
        slider.press(key)
        retention_map.says(f"^turn {turn}:")
    slider.press("ArrowLeft")
    headline(page, "Turn 82[: ]")
    page.wait_for_function("() => document.querySelector('.st-key-scrubber input').value === '82'")

    box = page.get_by_role("spinbutton", name="Request, from 1 to 83")
    box.fill("12")
    box.press("Enter")
    retention_map.says("^turn 12:")
    page.get_by_role("button", name="Next ›").click()
    retention_map.says("^turn 13:")
    headline(page, "Turn 13[: ]")

    slider.focus()
    for key in ("Home", "+", "+", "+"):
        slider.press(key)
    assert page.evaluate("() => [historylabClock.now.from, historylabClock.now.to * 83]") == [0, 21]
    slider.press("End")
    assert page.evaluate("() => [historylabClock.now.from * 83, historylabClock.now.to]") == [62, 1]
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="All", exact=True).click()
    assert page.evaluate("() => [historylabClock.now.from, historylabClock.now.to]") == [0, 1]


SAY = """async (requests) => {
  const said = [];
  for (const request of requests) {
    historylabClock.set({ request });
    const counts = [...document.querySelectorAll("[data-count]")].map((count) => count.textContent);
    const [at, sent, used] = ["at", "sees", "used"].map((part) => document.querySelector(`[data-${part}]`).textContent);
    said.push([`${at}: ${sent}`, used, counts.join(" ")]);
  }
  return said;
}"""
"""Moves the page's clock, and reads the messages sent, the legend and the strip's first number at every request."""
OF_ANOTHER = """() => {
  const parts = ["at", "sees", "counts", "used"].map((name) => [document.querySelector(`[data-${name}]`), name]);
  const words = () => parts.map(([part]) => part.textContent).join();
  for (const [part, name] of parts) part.dataset[name] = "another";
  const now = words();
  historylabClock.set({ request: 0 });
  return words() === now;
}"""
"""Has the verdict be one of another timeline, whose map and chart are not here yet, and moves the clock."""


def test_numbers_and_legend_follow_the_clock_in_pythons_words(page, home):
    link = {"historyPolicy": "all", "budget": "6000", "projection": "collapsed_tools", "pruner": "summarize"}
    opened(page, f"{home}/?{urlencode({'conversation': 'coding_agent:turns=9,seed=1', **link})}")
    page.wait_for_function("() => globalThis.historylabClock?.now.request > 0")
    timeline = replay(generate("coding_agent", turns=9, seed=1), resolve_settings(url=link).settings)
    said = page.evaluate(SAY, list(range(len(timeline.plans))))
    for request, (sent, used, legend) in enumerate(said):
        counts = count_actions(timeline.plans[request])
        at = capitalize_first(brief_label(timeline.steps[request]))
        assert sent == "{}: {:,} of {:,}".format(at, *count_sent(counts))
        assert legend == " ".join(f"{counts[action]:,}" for action in LOOKS)
        assert used == short_count(used_tokens(timeline, request))
    assert page.evaluate(OF_ANOTHER)


def test_the_pointer_is_told_why_a_drag_moves_it_and_a_click_selects_request_and_message(retention_map):
    page = retention_map.page
    retention_map.point(message=1, request=60)
    retention_map.tip.wait_for()
    said = retention_map.tip.inner_text()
    assert "Message 2, user" in said
    assert "request 61, turn 61: × dropped" in said
    assert "Older than the last 10 user messages." in said
    retention_map.point(message=120, request=3)
    retention_map.tip.filter(has_text="not said yet").wait_for()

    box = at_rest(retention_map.slider)
    start, end = retention_map.at(60, 70), retention_map.at(60, 20)
    page.mouse.move(box["x"] + start[0], box["y"] + start[1])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0], box["y"] + end[1], steps=8)
    retention_map.says("^turn 21:")
    headline(page, "Turn 21[: ]")
    assert page.locator(".st-key-scrubber input").input_value() == "83"  # nobody but the browser knows yet
    page.mouse.up()
    page.wait_for_function("() => document.querySelector('.st-key-scrubber input').value === '21'")
    assert not page.get_by_text(re.compile("^Message \\d+: ")).count()  # a drag selects no message

    retention_map.click(message=5, request=40)
    headline(page, "Turn 41[: ]")
    page.get_by_text("Message 6: × dropped").wait_for()
    page.get_by_role("button", name=re.compile("^Try it: ")).wait_for()
    retention_map.click(message=150, request=40)  # not said yet: it is a place on the slider only
    retention_map.click(message=75, request=40)
    page.get_by_text("Message 76: ● kept").wait_for()


def test_it_grows_as_it_plays_and_is_told_when_it_is_paused(retention_map):
    page = retention_map.page
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => historylabClock.now.playing && historylabClock.now.request > 1")
    retention_map.says("^turn (83|1):")  # a slider says where it stops, not every step
    assert veil(retention_map, 60, 80) > 200 > veil(retention_map, 1, 0)  # what is later is only a shadow
    page.get_by_role("button", name="Play", exact=True).click()
    now = retention_map.slider.get_attribute("aria-valuenow")
    page.wait_for_function(f"() => document.querySelector('.st-key-scrubber input').value === '{now}'")
    headline(page, f"Turn {now}[: ]")
    assert page.locator("html.hl-playing").count() == veil(retention_map, 60, 80) == 0


def test_it_fills_the_screen_and_is_saved_as_a_picture(retention_map):
    page = retention_map.page
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the map as a picture").click()
    assert saved.value.suggested_filename == "historylab-a-birthday-by-the-sea-request-83.png"
    page.get_by_role("button", name="Full screen").click()
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.wait_for(state="hidden")
    page.keyboard.press("Escape")
    sidebar.wait_for()
    page.keyboard.press("f")
    sidebar.wait_for(state="hidden")
    page.keyboard.press("f")
    sidebar.wait_for()


def test_on_a_phone_its_buttons_leave_the_legend_free_and_the_steps_fit(page, home):
    opened(page, home + "/?historyLength=10&pruner=summarize&budget=2000&conv=sample:birthday-by-the-sea", width=390)
    settled(page)
    buttons = page.get_by_role("group", name="The map").bounding_box()
    for entry in page.locator(".hl-legend > span:not(.hl-none)").all():
        box = entry.bounding_box()
        assert box["x"] + box["width"] <= buttons["x"] or box["y"] + box["height"] <= buttons["y"]
    of = page.locator(".st-key-scrubber .hl-meta").bounding_box()
    assert of["x"] + of["width"] <= 390 - 16


def test_a_narrow_screen_and_a_dark_one_draw_it(browser, home):
    context = browser.new_context(color_scheme="dark", device_scale_factor=2)
    page = opened(context.new_page(), home + CUT, width=390)
    found = Map(page, 166, 83)
    found.says("turn 83")
    found.slider.scroll_into_view_if_needed()
    box = found.slider.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    kept, dropped = (pixel(found, *cell) for cell in ((163, 82), (40, 60)))
    fill = {action: [*bytes.fromhex(LOOKS[action].dark[1:])] for action in (Action.KEPT, Action.DROPPED)}
    assert kept == fill[Action.KEPT]
    assert dropped in (fill[Action.DROPPED], mixed(fill[Action.DROPPED]))
    context.close()


def test_a_conversation_beyond_its_cells_is_binned(page, home):
    opened(page, home + "/?conversation=coding_agent:turns=120,seed=2&historyPolicy=all&budget=9000")
    found = Map(page, 1, 1)
    found.says("of 1,205 messages sent")
    box = at_rest(found.slider)
    found.slider.hover(position={"x": box["width"] - RIGHT - 60, "y": TOP + 60})
    assert re.search("Messages? [0-9–,]+", found.tip.inner_text())
    assert "× dropped" in found.tip.inner_text()
    found.slider.focus()
    found.slider.press("PageDown")
    headline(page, "Turn 119[: ]")


def test_hostile_text_in_the_tooltip_is_only_text(page, home, seen):
    said = [
        {"role": ("user", "assistant")[i % 2], "name": text[:60], "content": text} for i, text in enumerate(HOSTILE)
    ]
    opened(page, home + PLAIN)
    upload(page, "hostile.json", json.dumps([*said, said[0]]).encode())
    headline(page, "of 7 messages|all 7 messages")
    no_drawer(page)
    found = Map(page, 7, 4)
    found.says("7 messages")
    for message, words in enumerate(("<script>", "<img src=x", "![x](https", "[click](javascript", "right to left")):
        found.point(message, 3)
        page.get_by_role("tooltip").filter(has_text=words).wait_for()
    assert page.evaluate("window.harmed") is None
    assert found.tip.locator("img, script, a").count() == 0
    assert seen.external == []
    assert seen.errors == []


def pixel(found: Map, message: int, request: int) -> list[int]:
    """The colour of a point of the map."""
    x, y = found.at(message, request)
    return found.slider.evaluate(
        """(marks, [x, y]) => {
            const cells = marks.parentElement.querySelector(".cells"), scale = cells.width / cells.clientWidth;
            return [...cells.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data.slice(0, 3)];
        }""",
        [x, y],
    )


def veil(found: Map, message: int, request: int) -> int:
    """How much covers a point of the map, from 0 to 255."""
    x, y = found.at(message, request)
    return found.slider.evaluate(
        """(marks, [x, y]) => {
            const scale = marks.width / marks.clientWidth;
            return marks.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data[3];
        }""",
        [x, y],
    )


def mixed(fill: list[int]) -> list[int]:
    """The same with the texture's ink, #111111 on what is bright, in it."""
    return [round(part + (17 - part) * 0.3) for part in fill]
