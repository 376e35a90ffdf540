"""Pages opened in a real browser: waiting for them, uploading to them, and texts that must stay texts."""

from __future__ import annotations

import re

PLAIN = "/?conv=sample:birthday-by-the-sea"
"""The plain sample under the defaults; without a link there is the landing's story."""
SECONDS = 60  # on a machine busy with other things
HOSTILE = (
    "<script>window.harmed = 1</script>",
    "<img src=x onerror='window.harmed = 2'>",
    "![x](https://example.invalid/x.png)",
    "[click](javascript:window.harmed=3)",
    "\u202eright to left",
    "A" * 1_000_000,
)


def opened(page, address: str, width: int = 1280):
    """The page at that address, once its messages are drawn and it listens to its keys."""
    page.set_default_timeout(SECONDS * 1000)
    page.set_viewport_size({"width": width, "height": 1500})  # the list is on screen, and can be clicked
    page.goto(address)
    listed(page).wait_for()
    page.locator(".sheet[data-drawn]").wait_for(state="attached")
    return page


def upload(page, name: str, data: bytes) -> None:
    settled(page)  # of a page that is still drawn a drawer that was closed may appear once more, for a moment
    page.locator(".st-key-open-drawer button:visible").first.click()
    file = {"name": name, "mimeType": "application/json", "buffer": data}
    page.locator(".st-key-upload input[type=file]").set_input_files(file)


def no_drawer(page) -> None:
    """Close the drawer a file was given in. One that is closed while it is still drawn opens again, and stays."""
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")


def headline(page, words: str) -> None:
    """Wait for these words in the headline, or in the number of messages under it."""
    page.locator("h1, .hl-count", has_text=re.compile(words)).wait_for()


def settled(page) -> None:
    """Wait until nothing is being drawn: a drawer that is, opens again when it is closed."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def source_of(page, setting: str, source: str) -> None:
    """Wait until that setting is said to come from there."""
    page.locator(f'[data-setting="{setting}"][data-source="{source}"]').wait_for(state="attached")


def listed(page):
    """The list of messages, once it is drawn."""
    return page.locator("[data-drawn]").get_by_role("listbox", name="Messages")


def select_row(page, row: int) -> None:
    """Choose one of the first messages in the list, counted from 1, wherever the list is scrolled to."""
    messages = listed(page)
    messages.press("Home")
    messages.locator(f'[data-item="{row - 1}"]').click()
    answer = page.locator(".st-key-answer").get_by_text(f"Message {row}:")
    answer.wait_for()  # Streamlit drops a callback that is overtaken by the next action within the same milliseconds


def tick(table, row: int) -> None:
    """Tick the box of that row, counted from 1. A locator's click waits until the table has come to rest."""
    table.click(position={"x": 15, "y": 38 + 35 * (row - 0.5)})


def at_rest(what) -> dict[str, float]:
    """Where that is on screen, once nothing above it is drawn any more and it stays there."""
    now, before = what.bounding_box(), None
    while now != before:
        what.page.wait_for_timeout(150)
        now, before = what.bounding_box(), now
    return now
