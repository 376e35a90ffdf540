"""A page that is loaded again, in a real browser: each tab comes back with its own file, until it is forgotten."""

from __future__ import annotations

import json

import pytest
from browser_pages import no_drawer, opened, settled, upload

from historylab.formats.samples import samples

pytestmark = pytest.mark.browser


WATCHED = """
const titles = %s;
new MutationObserver(() => {
  window.shown = titles.find((title) => document.body?.textContent.includes(title)) ?? window.shown;
}).observe(document, { childList: true, subtree: true });
"""
"""Notes a sample's title as soon as the page shows one."""


def chat(turns: int) -> bytes:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"{i} " + "and more " * 20} for i in range(2 * turns - 1)]
    return json.dumps(said).encode()


def give(page, name: str, turns: int) -> None:
    upload(page, name, chat(turns))
    is_open(page, turns)
    no_drawer(page)


def is_open(page, turns: int) -> None:
    page.locator(f'.hl-conversation[title^="{2 * turns - 1} messages"]').wait_for()


def test_a_file_is_open_again_after_a_reload_and_gone_once_it_is_forgotten(page, home, seen):
    opened(page, home + "/?budget=777")
    give(page, "of-one-alone.json", 11)
    page.reload()
    is_open(page, 11)
    assert "777" in page.url
    settled(page)
    page.get_by_role("button", name="About this file").click()
    page.get_by_role("button", name="Forget this file").click()
    page.get_by_text("A birthday by the sea").first.wait_for()
    page.reload()
    page.get_by_text("A birthday by the sea").first.wait_for()
    assert not page.get_by_text("no longer held").count()
    assert seen.errors == []


def test_each_tab_comes_back_with_its_own_file_and_nothing_else_is_shown_before(page, home):
    opened(page, home)
    give(page, "first.json", 11)
    other = page.context.new_page()
    other.add_init_script(WATCHED % json.dumps([sample.title for sample in samples().values()]))
    give(opened(other, home), "other.json", 12)
    assert other.evaluate("window.shown")  # the landing's
    other.reload()
    is_open(other, 12)
    assert other.evaluate("window.shown") is None
    other.close()
    page.reload()
    is_open(page, 11)


def test_back_and_forward_lead_to_the_file_and_past_it_and_a_reload_on_compare_brings_it_back(page, home):
    opened(page, home)
    give(page, "first.json", 11)
    page.get_by_role("link", name="Compare").first.click()
    page.wait_for_url("**/compare*")
    settled(page)
    page.reload()
    is_open(page, 11)
    page.go_back()
    is_open(page, 11)
    settled(page)
    page.go_back()
    page.get_by_text("Farewell lunch").first.wait_for()
    settled(page)
    page.go_forward()
    is_open(page, 11)


def test_back_leads_through_the_list_and_the_file_opened_from_it_stays_open(page, home):
    opened(page, f"{home}/?budget=777")
    give(page, "first.json", 11)
    page.get_by_role("link", name="Conversations").first.click()
    page.locator(".conversations .title", has_text="first").click()
    is_open(page, 11)
    settled(page)
    page.go_back()
    page.locator(".conversations tbody").first.wait_for()
    settled(page)
    page.go_back()
    is_open(page, 11)
    assert "budget=777" in page.url


def test_a_file_that_is_no_longer_held_is_named_and_opened_again_from_there(page, home):
    opened(page, home)
    give(page, "first.json", 11)
    page.evaluate('sessionStorage.historylab = sessionStorage.historylab.replace(/token":"[^"]+/, \'token":"old\')')
    page.reload()
    page.get_by_text("“first.json” is no longer held here").wait_for()
    settled(page)
    page.get_by_role("button", name="Open it again").click()
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "first.json", "mimeType": "application/json", "buffer": chat(11)}
    )
    is_open(page, 11)
    page.get_by_text("no longer held").wait_for(state="detached")
