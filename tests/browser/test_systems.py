"""One system chosen after another in a real browser, which goes on telling what fields held before they changed."""

from __future__ import annotations

import re

import pytest
from browser_pages import settled
from playwright.sync_api import expect

from historylab.systems.presets.base import presets

pytestmark = pytest.mark.browser

TITLES = {"": "Your own settings", **{name: preset.title for name, preset in presets().items()}}
CHOSEN = """name => {
    const system = new URLSearchParams(location.search).get('system') ?? '';
    const drawing = !document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]');
    return system == name && !drawing;
}"""
TOLD = """() => [
    [...new URLSearchParams(location.search).keys()],
    [...document.querySelectorAll('.hl-notice')].map(notice => notice.innerText),
]"""


def test_no_system_chosen_after_another_turns_a_label_into_a_value(page, home):
    page.goto(f"{home}/talk")  # the page with settings that is drawn soonest
    choice = page.get_by_role("combobox", name="System")
    choice.wait_for()
    settled(page)
    before, *others = TITLES
    for name in (*others, before, *reversed(others)):  # each after both of its neighbours
        choice.fill(TITLES[name])
        choice.press("Enter")
        page.wait_for_function(CHOSEN, arg=name)
        told, notices = page.evaluate(TOLD)
        assert set(told) <= {"v", "conv", "system"}, f"{name} after {before}"
        assert notices == [], f"{name} after {before}"
        before = name


def test_what_was_sent_gives_way_to_a_setting_comes_back_and_outlives_a_reload(page, home):
    page.goto(f"{home}/?conv=sample:lamp-through-the-night")
    verdict, choice = page.locator(".hl-count"), page.get_by_role("combobox", name="System")
    expect(verdict).to_contain_text("6 of 34 messages sent")
    sentence = page.get_by_role("group", name="Settings as a sentence")
    expect(sentence).to_contain_text("Or keep")
    budget = page.get_by_label("Budget", exact=True)
    budget.fill("15k")
    budget.press("Enter")
    expect(choice).to_have_value("Your own settings")
    expect(budget).to_have_value("15,000")
    choice.fill("As recorded")
    choice.press("Enter")
    expect(sentence).to_contain_text("Or keep")
    page.locator(".hl-label", has_text="System").focus()
    expect(page.locator(".hl-label", has_text="System")).to_have_accessible_description(re.compile("with 1 cut"))
    page.reload()
    expect(sentence).to_contain_text("Or keep")
    page.go_back()
    expect(choice).to_have_value("Your own settings")
