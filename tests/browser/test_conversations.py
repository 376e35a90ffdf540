"""Conversations in a real browser: hostile text is only text, a hit leads to its message, what is deleted is gone."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from axe_checks import violations
from browser_pages import HOSTILE, SECONDS, at_rest, listed, settled, upload
from playwright.sync_api import expect
from recorded_chats import Chat
from server_process import playground

from historylab.recordings import open_recording
from historylab.recordings.recorder import Recorder
from historylab.wording.palette import FAINT

pytestmark = pytest.mark.browser

FERRY = [
    {"role": "user", "content": "When does the ferry leave?"},
    {"role": "assistant", "content": "At nine, from the old harbour."},
    {"role": "user", "content": "And the last one back?"},
    {"role": "assistant", "content": "At six, from the new pier."},
    {"role": "user", "content": "Thanks."},
]
HARMFUL = [{"role": role, "content": f"pier {text}"} for text in HOSTILE for role in ("user", "assistant")]


@pytest.fixture
def library(page, home):
    """The page, after a file was opened on it."""
    page.set_default_timeout(SECONDS * 1000)
    page.set_viewport_size({"width": 1280, "height": 1200})
    page.goto(f"{home}/conversations")
    page.locator(".conversations tbody").wait_for()
    opened(page, "ferry.json", FERRY)
    return page


def opened(page, name: str, messages: list[dict[str, str]]) -> None:
    upload(page, name, json.dumps(messages).encode())
    page.locator(".conversations tbody", has_text=name.removesuffix(".json")).wait_for()


def search(page, words: str) -> None:
    field = page.get_by_label("Search conversations")
    field.fill(words)
    field.press("Enter")
    page.locator("h1", has_text=words).wait_for()
    settled(page)


def test_hostile_text_is_found_and_marked_and_is_only_text(library, seen):
    opened(library, f"{HOSTILE[1]}.json", HARMFUL)
    search(library, "pier window script")
    hits = library.locator(".conversations .hit")
    hits.first.wait_for()
    assert library.locator(".conversations mark", has_text="pier").count() >= 2
    assert library.locator(".conversations :is(img, script, a)").count() == 0
    assert library.evaluate("window.harmed") is None
    assert seen.errors == []
    assert seen.external == []


def test_a_hit_leads_to_its_message_and_back_everything_is_still_listed(library):
    search(library, "new pier")
    library.locator(".conversations .hit", has_text="At six, from the new pier.").click()
    listed(library).wait_for()
    library.locator(".st-key-answer").get_by_text("Message 4:").wait_for()
    library.get_by_role("link", name="Conversations").click()
    library.locator(".conversations tbody", has_text="open now").wait_for()
    assert library.get_by_label("Search conversations").input_value() == "new pier"


def test_what_is_deleted_is_named_first_and_then_gone(library):
    library.get_by_label("Choose ferry").check()
    library.get_by_role("button", name="Delete", exact=True).click()
    dialog = library.get_by_role("dialog")
    dialog.get_by_text("taken off this list").wait_for()
    settled(library)
    assert violations(library) == []
    dialog.get_by_role("button", name="Keep", exact=True).click()
    dialog.wait_for(state="hidden")
    assert library.get_by_label("Choose ferry").is_checked()
    library.get_by_role("button", name="Delete", exact=True).click()
    dialog.get_by_role("button", name="Delete 1 conversation").click()
    library.get_by_label("Choose ferry").wait_for(state="detached")
    library.get_by_text("Deleted 1 conversation.").wait_for()


def test_figures_come_to_the_rows_and_a_heading_sorts_by_them(library):
    cells = library.locator(".conversations tbody td:nth-child(5)")
    cells.first.filter(has_text="3").wait_for()
    settled(library)
    assert cells.all_inner_texts() == ["3", "83"]
    library.get_by_role("columnheader", name="Requests").get_by_role("button").click()
    library.locator("[aria-sort=descending]").wait_for()
    settled(library)
    assert cells.all_inner_texts() == ["83", "3"]


def test_the_older_address_has_the_sizes_unfolded_in_the_readers_theme(page, home, seen):
    page.emulate_media(color_scheme="light")
    page.goto(home + "/corpus?conv=sample:ferry-desk")
    page.get_by_role("img", name="half send at most").wait_for()
    page.get_by_text("a month cost").wait_for()
    ticks = page.locator(".hl-sizes")
    for scheme, look in (("light", FAINT.light), ("dark", FAINT.dark)):
        page.emulate_media(color_scheme=scheme)
        expect(ticks).to_have_css("color", f"rgb({', '.join(map(str, bytes.fromhex(look[1:])))})")
    assert seen.external == []


def test_on_a_narrow_screen_nothing_is_wider_than_it_and_titles_open(library):
    library.set_viewport_size({"width": 390, "height": 844})
    search(library, "ferry")
    assert at_rest(library.locator(".conversations"))["width"] <= 390
    assert library.evaluate("document.documentElement.scrollWidth <= innerWidth")
    library.locator(".conversations .title", has_text="ferry").first.click()
    library.locator(".hl-count").wait_for()


def test_a_recorded_hit_opens_with_what_was_recorded_and_a_deleted_one_is_in_no_file(page, tmp_path):
    with closing(open_recording(tmp_path)) as store, closing(Recorder(store)) as recorder:
        chat = Chat()
        for words, answer in (("When does the ferry leave?", "At nine."), ("And back from the new pier?", "At six.")):
            assert recorder.record(chat.exchange(words, answer=answer, conversation="c-1", app="desk"), timeout=60)
    with playground("--record", str(tmp_path)) as home:
        page.set_default_timeout(SECONDS * 1000)
        page.goto(f"{home}/conversations")
        page.locator(".conversations tbody", has_text="Recorded: desk").wait_for()
        search(page, "new pier")
        page.locator(".conversations .hit", has_text="And back").click()
        page.locator(".st-key-answer").get_by_text("Message 4:").wait_for()
        page.get_by_role("button", name="About this file").click()
        page.get_by_text("Recorded with gpt-4o").wait_for()
        page.keyboard.press("Escape")
        settled(page)
        page.get_by_role("link", name="Conversations").click()
        page.get_by_label("Choose When does the ferry leave?").check()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("dialog").get_by_text("with 2 lines in all").wait_for()
        page.get_by_role("button", name="Delete 1 conversation").click()
        page.get_by_text("Deleted 1 conversation.").wait_for()
        page.get_by_label("Choose When does").wait_for(state="detached")
    assert all(b"new pier" not in file.read_bytes() for file in tmp_path.iterdir())
