"""The settings beside the page in a real browser: the sentence is edited by keyboard, a search finds as one types."""

from __future__ import annotations

import re

import pytest
from axe_checks import in_light_and_dark
from browser_pages import PLAIN, settled, source_of
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

COVERED = """(sentence) => [...sentence.children].filter((part) => [...part.getClientRects()].some(
  ({ right, top, bottom }) => {
    const met = document.elementFromPoint(right - 2, (top + bottom) / 2);
    return met !== sentence.getRootNode().host && !sentence.contains(met);
  })).map((part) => part.name || part.textContent)"""
"""The parts of the sentence over whose ends something else lies."""


@pytest.fixture
def sentence(page, home):
    page.goto(home + PLAIN)
    words = page.get_by_role("group", name="Settings as a sentence")
    words.wait_for()
    settled(page)
    return words


def test_the_sentence_is_edited_in_place_and_the_fields_follow(page, sentence):
    number = sentence.get_by_role("textbox", name="Tokens at most")
    expect(number).to_have_value("8k")
    assert sentence.evaluate(COVERED) == []
    number.focus()
    expect(number).to_have_value("8,000")
    number.fill("2k")
    number.press("Enter")
    source_of(page, "budget", "you")
    expect(page.get_by_role("textbox", name="Budget", exact=True)).to_have_value("2,000")
    settled(page)
    expect(number).to_be_focused()
    sentence.get_by_role("combobox", name="What is cut beyond that").select_option(label="summarise the oldest turns")
    page.wait_for_url(re.compile("budget=2000&pruner=summarize"))
    expect(page.get_by_role("combobox", name="Pruner", exact=True)).to_have_value("Summarise the oldest")


def test_letters_typed_there_are_text_and_escape_takes_them_back(page, sentence):
    number = sentence.get_by_role("textbox", name="Tokens at most")
    number.fill("")
    number.press_sequentially("oed")
    assert page.get_by_role("dialog").count() == 0
    number.press("Escape")
    expect(number).to_have_value("8k")


def test_a_setting_is_found_as_one_types(page, sentence):
    page.get_by_role("searchbox", name="Find a setting").or_(
        page.get_by_label("Find a setting")
    ).first.press_sequentially("hidden system")
    page.get_by_role("textbox", name="Fixed overhead").fill("1.5k")
    page.get_by_role("textbox", name="Fixed overhead").press("Enter")
    page.wait_for_url(re.compile("overhead=1500"))


def test_all_fields_stand_on_a_low_screen_in_rows_of_one_height(page, sentence):
    page.set_viewport_size({"width": 1280, "height": 720})
    settled(page)
    rows = [page.locator(f".st-key-row-{name}") for name in ("system", "policy", "length", "pruner", "budget")]
    boxes = [row.bounding_box() for row in rows]
    assert boxes[-1]["y"] + boxes[-1]["height"] < 720
    assert len({round(box["height"]) for box in boxes}) == 1
    assert boxes[1]["y"] - boxes[0]["y"] <= 44


def test_axe_finds_nothing_serious_with_every_group_unfolded(page, sentence):
    for group in ("What stays", "Shortening", "Model"):
        page.get_by_test_id("stSidebar").get_by_text(group, exact=True).click()
        settled(page)
    assert in_light_and_dark(page) == []
