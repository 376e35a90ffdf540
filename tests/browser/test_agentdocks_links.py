"""AgentDock's links in a real browser, path and all: the app opens, and its map draws what the link asks for."""

from __future__ import annotations

import re

import pytest
from browser_pages import opened, source_of

pytestmark = pytest.mark.browser


@pytest.mark.feature("A14", "A22")
def test_a_link_of_the_document_opens_the_app_and_its_map_shows_what_it_keeps(page, home, seen):
    opened(page, f"{home}/chat?agent=demo&historyPolicy=lastN&historyLength=3")
    source_of(page, "policy", "URL")
    says = page.get_by_role("slider", name="Selected request").get_attribute("aria-valuetext")
    assert says == "turn 83: 6 of 166 messages sent"
    assert re.search(r"/\?(.*&)?agent=demo(&|$)", page.url)
    assert seen.external == []
    assert seen.errors == []
