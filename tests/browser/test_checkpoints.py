"""The chat's checkpoints in a real browser."""

from __future__ import annotations

import pytest
from axe_checks import violations
from browser_pages import SECONDS, at_rest, settled

pytestmark = pytest.mark.browser

LONG = "It is for a large party of us, with dogs and bicycles and two prams. " * 6


def say(page, words: str, number: int) -> None:
    """Say it, and wait until so many answers are there."""
    field = page.get_by_placeholder("Write to the model")
    field.fill(words)
    field.press("Enter")
    page.locator("[class*=st-key-saw-] button:visible").nth(number - 1).wait_for()
    settled(page)


def opened(page, address: str) -> None:
    page.set_default_timeout(SECONDS * 1000)
    page.set_viewport_size({"width": 1440, "height": 1200})
    page.goto(address)
    page.get_by_placeholder("Write to the model").wait_for()
    settled(page)


def unfold_checkpoints(page) -> None:
    page.locator(".st-key-checkpoints-panel summary").click()
    page.get_by_role("button", name="Save a checkpoint").wait_for()
    settled(page)


def test_a_compaction_is_taken_back_by_the_checkpoint_before_it(page, home, seen):
    opened(page, f"{home}/talk?system=mycoder&window=900")
    asked = f"When does a ferry go to Dursey? {LONG}"
    say(page, f"{asked}1", 2)  # answered by a call and a text
    say(page, f"{asked}2", 4)
    page.get_by_placeholder("Write to the model").fill(f"{asked}3")
    page.keyboard.press("Enter")
    page.get_by_text("Compacted by compactHistory").first.wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="hidden")  # the page is drawn anew until the answer is there
    settled(page)
    unfold_checkpoints(page)
    saved = page.locator(".rows button", has_text="became a summary").last
    at_rest(saved)  # while the panel unfolds, it moves away under the mouse
    saved.click()
    page.get_by_text("from then to now").wait_for()
    settled(page)
    assert violations(page) == []
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("The chat is as it was then.").wait_for()
    assert page.locator(".hl-chat-user").count() == 3
    page.locator(".rows button", has_text="before going back").wait_for()
    assert seen.errors == []
