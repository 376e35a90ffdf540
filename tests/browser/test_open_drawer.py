"""Opening files in a real browser: unknown JSON by the list it holds; what a file was recorded with."""

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


def test_unknown_json_is_read_as_offered_and_what_a_file_was_recorded_with_is_dismissed(page, home, seen):
    page.goto(home)
    headline(page, "the model sees")
    upload(page, "foreign.json", json.dumps(FOREIGN).encode())
    offered = page.get_by_role("button", name="Read log.history (18 items: by, words)")
    offered.wait_for()
    settled(page)
    assert violations(page) == []
    offered.click()
    headline(page, "At turn 9, the model sees all 17 messages")
    page.get_by_text("Read as Mapped fields: 18 messages").wait_for()

    upload(page, "recorded.json", json.dumps({"model": "claude-opus-4-5", "messages": TURNS[:4]}).encode())
    headline(page, "At turn 2, the model sees all 3 messages")
    line = page.get_by_text("Recorded with claude-opus-4-5: its window, prices and cache are used.")
    line.wait_for()
    settled(page)
    page.get_by_role("button", name="Dismiss").click()
    line.wait_for(state="hidden")
    assert seen.errors == []
    assert seen.external == []
