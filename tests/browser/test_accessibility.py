"""Every page by axe-core, in light and in dark: no serious or critical violation on an element of ours."""

from __future__ import annotations

import re

import pytest
from axe_checks import in_light_and_dark, violations
from browser_pages import no_drawer, opened, select_row, settled

pytestmark = pytest.mark.browser

SMALL = "?conv=sample:tide-tables-agent&historyLength=1"  # tool calls, and a message that is dropped
DRAWN = {  # page → what is on it once it is drawn
    "talk": ".st-key-example-2",
    "compare": ".rows tbody tr",
    "tune": '[data-testid="stPlotlyChart"] .point',
    "corpus": ".hl-sizes",
    "live": ".stCode",
    "conversations": ".conversations tbody",
    "settings": ".hl-origin",
}


@pytest.fixture(autouse=True)
def in_the_light(page) -> None:
    page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("name", DRAWN)
def test_axe_finds_nothing_serious_on_a_page_in_light_and_dark(page, home, name):
    page.goto(f"{home}/{name}{SMALL}")
    page.locator(DRAWN[name]).first.wait_for()
    assert in_light_and_dark(page) == []


def test_axe_finds_nothing_serious_in_the_playground(page, home):
    opened(page, home)  # with a summary among the messages
    assert in_light_and_dark(page) == []


def test_axe_finds_nothing_serious_in_what_a_cut_took(page, home):
    page.set_viewport_size({"width": 1280, "height": 4000})  # nothing is scrolled to while it is measured
    opened(page, f"{home}/?conv=sample:held-for-the-auditors")
    settled(page)
    page.get_by_role("tab", name="Cuts").click()
    page.get_by_text("reports/double.csv").first.wait_for()
    settled(page)
    assert in_light_and_dark(page) == []


def test_axe_finds_nothing_serious_in_the_sheet_of_keys_the_export_drawer_and_the_chat(page, home):
    opened(page, f"{home}/{SMALL}")
    settled(page)
    page.get_by_role("button", name="Keys").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Export")).first.click()
    page.get_by_role("button", name="Download historylab.env").wait_for()
    assert in_light_and_dark(page) == []
    no_drawer(page)
    select_row(page, 2)
    page.get_by_text("Message 2: × dropped").wait_for()
    page.get_by_role("radio", name="Chat").click()
    page.locator("[data-view=chat] [aria-selected=true]").wait_for()
    assert in_light_and_dark(page) == []
