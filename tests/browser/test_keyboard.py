"""The playground without a mouse: from a search to the answer, a trial and back; the focus is never lost on the way."""

from __future__ import annotations

import re

import pytest
from browser_pages import PLAIN, headline, listed, opened, settled

pytestmark = pytest.mark.browser

FOCUSED = """() => {
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at.getAttribute("aria-label") ?? at.innerText;
}"""
REMOVE = """() => {
  window.keeps = document.querySelector(".st-key-keeps");
  window.around = window.keeps.parentElement;
  window.keeps.remove();
}"""
DRAW_ANEW = """() => {
  const anew = document.createElement("div");
  Object.assign(anew, { className: keeps.className, textContent: "What keeps it" });
  around.append(anew);
}"""
WITHIN = "place => document.activeElement.closest(`.st-key-${place}`) !== null"


def test_a_search_leads_to_the_answer_a_trial_and_back_by_keyboard_alone(page, home, seen):
    opened(page, home + PLAIN)
    headline(page, "Turn 83")
    settled(page)
    page.keyboard.press("/")
    page.wait_for_function(WITHIN, arg="search")
    page.keyboard.type("lease")
    found = page.get_by_role("listbox", name="Messages found")
    found.get_by_role("option").nth(3).wait_for()
    page.get_by_role("status").filter(has_text="4 messages contain “lease”.").wait_for()
    assert "× dropped since turn 39" in found.get_by_role("option").first.inner_text()
    second = found.get_by_role("option").nth(1).get_attribute("data-message")
    press(page, "Enter")
    answer(page, "Message 39: × dropped")
    chosen = listed(page).get_by_role("option", selected=True)
    assert chosen.get_attribute("data-item") == "38"  # and so it is scrolled to
    press(page, "Enter")
    answer(page, f"Message {int(second) + 1}: ")  # the next one
    press(page, "ArrowDown", "Home", "Enter")
    answer(page, "Message 39: × dropped")

    press(page, "Tab", "a")
    assert page.evaluate(FOCUSED) == "Answer"
    tab_to(page, "Try it")
    press(page, "Enter")
    page.get_by_role("button", name="Try it").wait_for(state="detached")
    settled(page)
    page.wait_for_function(WITHIN, arg="keeps")  # the button is gone, and the focus is where it stood
    press(page, "Tab")
    assert page.evaluate(FOCUSED) == "Undo"
    press(page, "Enter")
    page.get_by_role("button", name="Undo").wait_for(state="detached")
    settled(page)
    page.wait_for_function(WITHIN, arg="keeps")
    press(page, "m", "l")
    assert page.evaluate(FOCUSED) == "Messages"

    press(page, "/", "ArrowDown", "Tab", "Enter")
    page.get_by_role("radio", name=re.compile("Found 4"), checked=True).wait_for()
    page.wait_for_function(WITHIN, arg="side")
    press(page, "/")
    page.keyboard.type("nobody said this")
    page.get_by_text("No message contains “nobody said this”.").wait_for()
    assert seen.errors == []


def test_escape_leaves_the_search_and_letters_are_keys_again(page, home):
    opened(page, home + PLAIN)
    headline(page, "Turn 83")
    page.locator(".st-key-answer[tabindex]").wait_for()  # which has its letter only once it can be focused
    settled(page)
    page.keyboard.press("/")
    page.wait_for_function(WITHIN, arg="search")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.wait_for_function("document.activeElement.closest('.st-key-answer') !== null")


def test_the_focus_goes_on_to_the_place_where_it_stood_once_that_is_drawn_again(page, home):
    opened(page, home + PLAIN)
    headline(page, "Turn 83")
    settled(page)  # before that the key has no reader
    page.keyboard.press("/")
    page.wait_for_function(WITHIN, arg="search")
    page.keyboard.type("lease")
    page.get_by_role("listbox", name="Messages found").get_by_role("option").first.wait_for()
    press(page, "Enter")
    answer(page, "Message 39: × dropped")
    settled(page)
    page.get_by_role("button", name="Try it").focus()
    page.evaluate(REMOVE)
    page.wait_for_function("() => document.activeElement !== document.body")  # for want of it, where all of it stands
    assert not page.evaluate(WITHIN, "keeps")
    page.evaluate(DRAW_ANEW)
    page.wait_for_function(WITHIN, arg="keeps")


def press(page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
    settled(page)


def answer(page, words: str) -> None:
    page.locator(".st-key-said .hl-title", has_text=words).wait_for()


def tab_to(page, name: str) -> None:
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).startswith(name):
            return
    raise AssertionError(f"no way to {name}")
