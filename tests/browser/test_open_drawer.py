"""Opening files in a real browser: unknown JSON by the list it holds."""

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


def test_unknown_json_is_read_as_offered(page, home, seen):
    page.goto(home)
    headline(page, "the model sees")
    upload(page, "foreign.json", json.dumps(FOREIGN).encode())
    offered = page.get_by_role("button", name="Read log.history (18 items: by, words)")
    offered.wait_for()
    settled(page)
    assert violations(page) == []
    offered.click()
    headline(page, "At turn 9, the model sees all 17 messages")
    page.get_by_text("Read by your field mapping: 18 messages").wait_for()
    assert seen.errors == []
    assert seen.external == []
