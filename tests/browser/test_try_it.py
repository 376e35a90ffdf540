"""Keys and edits in a real browser: keys open drawers and Esc closes them, never while one types; edits are text."""

from __future__ import annotations

import csv
import re

import pytest
from browser_pages import HOSTILE, headline, listed, select_row, settled

pytestmark = pytest.mark.browser

MINE = "\n".join(text for text in HOSTILE if len(text) < 1000)


def from_the_menu(page, entry: str) -> None:
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name=entry).click()


def test_keys_open_and_close_the_drawers_and_an_edit_is_only_text(page, home, seen):
    page.set_viewport_size({"width": 1280, "height": 1900})
    page.goto(home + "/?v=2&debug=true&conv=sample:lamp-through-the-night")
    drawer = page.get_by_role("dialog")
    for word in ("Policy", "Length", "Source", "Messages"):
        page.get_by_role("rowheader", name=word, exact=True).wait_for()
    page.get_by_role("tab", name="Messages").click()
    listed(page).wait_for()

    select_row(page, 3)
    from_the_menu(page, "Edit…")
    field = drawer.get_by_role("textbox", name="Text")
    field.fill(MINE)
    field.press_sequentially("dDeE")  # in a text field they are letters
    drawer.get_by_role("button", name="Save").click()
    page.get_by_text("Changed by you: 1 edited").wait_for()
    drawer.wait_for(state="hidden")
    page.locator(".hl-said-text", has_text="window.harmed = 1").wait_for()
    search = page.get_by_placeholder("Search, or ask why")
    search.press_sequentially("de")
    assert drawer.count() == 0
    search.fill("")

    page.get_by_role("combobox", name="Pruner").focus()  # a closed choice is no text
    page.keyboard.press("?")
    assert {"O", "E", "S", "D", "/", "J", "K", "Esc", "?"} <= set(drawer.locator("kbd").all_inner_texts())
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.get_by_text("Replay: plan").wait_for()
    page.get_by_role("tab", name="Payload").click()
    page.get_by_text("Whole", exact=True).click()
    page.get_by_text("window.harmed = 1").first.wait_for()
    page.get_by_role("tab", name="Messages").click()
    listed(page).wait_for()

    page.keyboard.press("e")
    with page.expect_download() as download:
        drawer.get_by_role("button", name="Decisions (CSV)").click()
    settled(page)
    rows = list(csv.DictReader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert rows[2]["text"].startswith("<script>")
    close(drawer)

    from_the_menu(page, "Delete")
    headline(page, "30 of 33 messages sent")  # three results have lost their call
    page.get_by_role("button", name="Back to the original").click()
    headline(page, "34 of 34 messages sent")
    settled(page)
    page.get_by_role("tab", name="Cost").click()
    page.get_by_role("button", name="Use the measured overhead").click()
    page.wait_for_url(re.compile("overhead="))
    assert page.evaluate("window.harmed") is None
    assert page.locator("img[src=x], a[href^=javascript]").count() == 0
    assert seen.external == []
    assert seen.errors == []


def close(drawer) -> None:
    settled(drawer.page)
    drawer.press("Escape")
    drawer.wait_for(state="hidden")
