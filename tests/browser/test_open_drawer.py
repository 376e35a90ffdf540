"""Opening files in a real browser: unknown JSON by the list it holds, and the next file."""

from __future__ import annotations

import json

import pytest
from axe_checks import violations
from browser_pages import headline, settled, upload

pytestmark = pytest.mark.browser

TURNS = [
    {"role": role, "content": f"{role} {turn} " + "and so on " * 20}
    for turn in range(9)
    for role in ("user", "assistant")
]
FOREIGN = {"log": {"history": [{"by": turn["role"], "words": turn["content"]} for turn in TURNS]}}


def test_unknown_json_is_read_as_offered_and_then_the_next_file(page, home, seen):
    page.goto(home)
    headline(page, "messages sent")
    upload(page, "foreign.json", json.dumps(FOREIGN).encode())
    offered = page.get_by_role("button", name="Read log.history (18 items: by, words)")
    offered.wait_for()
    settled(page)
    assert violations(page) == []
    offered.click()
    headline(page, "17 of 17 messages sent")
    page.get_by_role("button", name="About this file").click()
    page.get_by_text("Read by your field mapping: 18 messages").wait_for()
    page.keyboard.press("Escape")
    upload(page, "next.json", json.dumps(TURNS[:4]).encode())
    headline(page, "3 of 3 messages sent")
    assert seen.errors == []
    assert seen.external == []


def test_a_sample_brings_its_settings_and_the_drawer_closes(page, home):
    page.goto(home)
    page.locator("h1").first.wait_for()
    settled(page)
    page.locator(".st-key-open-drawer button:visible").first.click()
    page.get_by_role("radio", name="Sample").click()
    page.get_by_role("button", name="A squealing brake").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_url("**historyLength=2**")
    page.get_by_text("A squealing brake").first.wait_for()
