"""A fault of ours in a real browser, on a server as `historylab` starts it: said in our words, with the way back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser_pages import SECONDS, headline, settled
from faulty_server import SECRET
from server_process import FAULTY, playground

pytestmark = pytest.mark.browser

SAID = [{"role": role, "content": f"{role} {turn}"} for turn in range(3) for role in ("user", "assistant")]
BEFORE = "5 of 5 messages sent"


@pytest.fixture(scope="module")
def fault(tmp_path_factory) -> Path:
    """A file; while it is there, choosing a system fails."""
    return tmp_path_factory.mktemp("faulty") / "fault"


@pytest.fixture(scope="module")
def home(chromium_path, fault):
    """A server with that fault, started with a file to open."""
    chat = fault.with_name("ferry.json")
    chat.write_text(json.dumps(SAID), "utf-8")
    with playground(str(chat), script=(FAULTY, fault)) as url:
        yield url


def test_a_fault_in_a_callback_is_said_on_the_page_and_leads_back_once_it_is_gone(page, home, fault):
    page.set_default_timeout(SECONDS * 1000)
    page.goto(home)
    headline(page, BEFORE)
    settled(page)
    fault.touch()
    system = page.get_by_role("combobox", name="System")
    system.fill("OCTOPUS")
    system.press("Enter")
    headline(page, "^The page Inspect could not be drawn: a fault in HistoryLab.$")
    page.get_by_text("“ferry.json” is still open, and your settings are kept.").wait_for()
    page.get_by_role("link", name="Compare", exact=True).wait_for()
    page.get_by_text("What failed: KeyError").wait_for()
    settled(page)
    assert SECRET not in page.content()
    assert page.get_by_test_id("stException").count() == 0
    fault.unlink()
    page.get_by_role("button", name="Try again", exact=True).click()
    headline(page, BEFORE)
    settled(page)
    assert page.get_by_role("combobox", name="System").input_value() == "Your own settings"
