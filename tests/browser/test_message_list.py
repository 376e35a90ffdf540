"""The list of messages in a real browser: it follows the map, by keyboard too."""

from __future__ import annotations

import pytest
from browser_pages import PLAIN, listed, opened

from historylab import Settings, replay
from historylab.formats.samples import load_sample
from historylab.planning.reasons import Action

pytestmark = pytest.mark.browser
COUNTS = """request => new Promise(resolve => {
  historylabClock.set({ request });
  const list = document.querySelector("[data-drawn]");
  const look = () => list.dataset.request !== String(request + 1) ? requestAnimationFrame(look)
    : resolve([...list.shadowRoot.querySelectorAll(".show label:not([hidden]) .many")].map((it) => +it.textContent));
  look();
})"""


OUT_OF_SIGHT = "document.querySelector('[data-drawn]').getBoundingClientRect().top > innerHeight"
NEXT_FRAME = """() => new Promise(resolve => {
  const says = () => resolve(document.querySelector("[data-drawn]").dataset.request);
  historylabClock.held = true;
  historylabClock.set({ request: 11 });
  requestAnimationFrame(() => requestAnimationFrame(says));
})"""
RELEASED = """() => {
  historylabClock.held = false;
  historylabClock.set({ request: 12 });
  return document.querySelector("[data-drawn]").dataset.request;
}"""


def test_it_follows_the_map_without_python_and_is_used_by_keyboard(page, home):
    opened(page, home + PLAIN)
    timeline = replay(load_sample("birthday-by-the-sea")[0], Settings())
    for step in timeline.steps[::9]:
        sent = int((step.plan.actions <= Action.TRUNCATED).sum())
        changed = sum(map(len, (step.changed.entered, step.changed.left, step.changed.folded)))
        assert page.evaluate(COUNTS, step.number) == [step.size, sent, changed, step.size - sent]
    page.evaluate(COUNTS, 82)

    messages = listed(page)
    assert messages.get_by_role("option").count() < 100  # of 167: the messages, and where the history begins
    messages.press("Home")
    messages.press("ArrowDown")
    messages.press("Enter")
    page.locator(".hl-title", has_text="Message 2: × dropped").wait_for()
    second = messages.get_by_role("option", selected=True)
    assert second.get_attribute("aria-posinset") == "2"
    assert second.get_attribute("aria-setsize") == "167"
    messages.press("End")
    messages.locator('[data-item="165"]').click()
    page.locator(".hl-title", has_text="Message 166: ● kept").wait_for()

    page.get_by_role("radio", name="Lost").click()
    page.get_by_role("radio", name="Chat").click()
    page.locator("[data-view=chat]").wait_for()
    messages.press("Home")
    messages.locator('[data-item="1"]').click()
    page.locator(".hl-title", has_text="Message 2: × dropped").wait_for()
    messages.press("Escape")
    page.locator(".hl-title", has_text="Message 2").wait_for(state="detached")


def test_out_of_sight_it_waits_while_something_is_moved_and_follows_at_once_then(page, home):
    opened(page, home + PLAIN)
    page.set_viewport_size({"width": 1280, "height": 500})
    page.wait_for_function(OUT_OF_SIGHT)
    assert page.evaluate(NEXT_FRAME) != "12"
    page.locator("[data-request='12']").wait_for(state="attached")  # it came to rest
    page.evaluate(NEXT_FRAME.replace("11", "20"))
    assert page.evaluate(RELEASED) == "13"
