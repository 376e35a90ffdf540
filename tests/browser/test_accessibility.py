"""Every page by axe-core, in light and in dark: no serious or critical violation on an element of ours."""

from __future__ import annotations

import re

import pytest
from axe_checks import violations
from browser_pages import opened, select_row, settled

pytestmark = pytest.mark.browser

SMALL = "/?conv=sample:tide-tables-agent&historyLength=1"  # tool calls, and a message that is dropped
DRAWN = {  # page → what is on it once it is drawn
    "Compare": '[data-testid="stDataFrame"] canvas',
    "Tune": '[data-testid="stPlotlyChart"] .point',
    "Corpus": '[data-testid="stPlotlyChart"] .main-svg',
    "Settings sources": ".hl-table",
}


def test_nothing_serious_is_found_by_axe_on_any_page_in_light_and_dark(page, home):
    page.emulate_media(color_scheme="light")
    opened(page, home + SMALL)
    found = {"playground": both(page)}
    select_row(page, 2)
    page.get_by_text("Message 2: × dropped").wait_for()
    page.get_by_role("radio", name="Chat").click()
    page.locator(".hl-chat [aria-current]").wait_for()
    found["chat"] = both(page)
    page.get_by_role("button", name=re.compile("^Export")).first.click()
    page.get_by_role("button", name="Download historylab.env").wait_for()
    found["export"] = both(page)
    page.keyboard.press("Escape")
    for name, drawn in DRAWN.items():
        page.get_by_role("link", name=name).click()
        page.wait_for_function("name => document.title.startsWith(name)", arg=name)
        page.locator(drawn).first.wait_for()
        found[name] = both(page)
    assert {where: serious for where, serious in found.items() if serious} == {}


def both(page) -> list[str]:
    """By every rule as the page is, and what colours have to do with once the reader's system has turned dark."""
    settled(page)
    light = violations(page)
    turned(page, "dark")
    dark = violations(page, "color-contrast")
    turned(page, "light")
    return [*light, *(f"in the dark {told}" for told in dark)]


def turned(page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme", arg=scheme
    )
