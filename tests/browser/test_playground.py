"""The main job in a real browser: load a file, change a setting, scrub, see why, leave with a file of settings."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest
from browser_pages import HOSTILE, PLAIN, headline, no_drawer, opened, select_row, settled, source_of, upload

pytestmark = pytest.mark.browser


def set_number(page, label: str, value: int) -> None:
    box = page.get_by_role("textbox" if label == "Budget" else "spinbutton", name=label, exact=True).first
    box.fill(str(value))
    box.press("Enter")


def test_load_a_file_change_a_setting_scrub_and_leave_with_settings(page, home, seen):
    said = [{"role": ("user", "assistant")[i % 2], "content": f"number {i} " + "and more " * 20} for i in range(41)]
    sent = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(len(frame))))
    opened(page, home + PLAIN)
    upload(page, "numbers.json", json.dumps(said).encode())
    headline(page, "39 of 41 messages sent")
    no_drawer(page)

    sent.clear()
    set_number(page, "Budget", 400)
    page.locator(".hl-seen", has_text="of 400 tokens").wait_for()
    page.wait_for_url(re.compile("budget=400"))
    source_of(page, "budget", "you")
    settled(page)
    assert sum(sent) < 40_000  # what stays as it was is named, not sent

    page.get_by_role("slider").first.press("ArrowLeft")
    headline(page, "Turn 20")
    page.get_by_role("button", name="Next ›").first.click()
    headline(page, "Turn 21")

    page.get_by_role("button", name="Export").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download historylab.env").click()
    assert download.value.suggested_filename == "historylab.env"
    assert "HISTORYLAB_BUDGET=400" in download.value.path().read_text()
    assert seen.external == []
    assert seen.errors == []


def test_hostile_text_is_only_text(page, home, seen):
    said = [
        {"role": ("user", "assistant")[i % 2], "name": text[:60], "content": text} for i, text in enumerate(HOSTILE)
    ]
    opened(page, home + PLAIN)
    upload(page, "<img src=x onerror=window.harmed=4>.json", json.dumps([*said, said[1], said[0]]).encode())
    headline(page, "of 8 messages|all 8 messages")
    no_drawer(page)
    set_number(page, "Length", 1)
    source_of(page, "length", "you")
    settled(page)
    for row in (1, 2, 6):
        select_row(page, row)
        page.get_by_text(f"Message {row}:").wait_for()
    page.get_by_role("tab", name="Payload").click()
    page.locator(".hl-diff", has_text="window.harmed").wait_for()
    page.get_by_role("radio", name="Whole").click()
    page.get_by_test_id("stCode").get_by_text("window.harmed").first.wait_for()
    assert page.evaluate("window.harmed") is None
    assert page.locator("img[src=x], a[href^=javascript]").count() == 0
    assert seen.external == []


def test_a_link_writes_no_link_into_the_question_of_consent(page, home, seen):
    model = "[gpt-5.5 (offline, free)](http://evil.example/click)"
    chosen = {"summarizer": "model", "pruner": "summarize", "budget": "700", "model": model}
    page.goto(f"{home}/?{urlencode(chosen)}")
    page.get_by_text(f"Let {model} at OpenAI write them").wait_for()
    assert page.locator("a[href*='//evil']").count() == 0
    assert seen.external == []


def test_back_brings_the_settings_before_and_a_choice_survives_a_visit_to_the_other_page(page, home):
    opened(page, home + "/?historyLength=5")
    headline(page, " 10 of")
    set_number(page, "Length", 2)
    headline(page, " 4 of")
    page.go_back()
    headline(page, " 10 of")
    source_of(page, "length", "URL")
    settled(page)

    set_number(page, "Length", 2)
    headline(page, "4 of")
    page.get_by_role("link", name="Compare").click()
    page.locator(".rows tbody tr").first.wait_for()
    page.get_by_role("link", name="Inspect").click()
    headline(page, "4 of")
    source_of(page, "length", "you")
