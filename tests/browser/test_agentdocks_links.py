"""AgentDock's links in a real browser, path and all: the app opens, and its map draws what the link asks for."""

from __future__ import annotations

import re

import pytest
from browser_pages import opened, source_of

pytestmark = pytest.mark.browser

LINKS = {  # of 166 messages: a system message, then 83 questions, the last of them unanswered
    "historyPolicy=all": "166 of 166",
    "historyPolicy=lastN&historyLength=2": "4 of 166",
    "historyPolicy=lastN&historyLength=3": "6 of 166",
    "historyPolicy=lastN&historyLength=0": "2 of 166",
}


@pytest.mark.feature("A14", "A22")
@pytest.mark.parametrize("query", LINKS)
def test_a_link_of_the_document_opens_the_app_and_its_map_shows_what_it_keeps(page, home, seen, query):
    opened(page, f"{home}/chat?agent=demo&{query}")
    source_of(page, "policy", "URL")
    says = page.get_by_role("slider", name="Selected request").get_attribute("aria-valuetext")
    assert says == f"turn 83: {LINKS[query]} messages sent"
    assert re.search(r"/\?(.*&)?agent=demo(&|$)", page.url)
    assert seen.external == []
    assert seen.errors == []
