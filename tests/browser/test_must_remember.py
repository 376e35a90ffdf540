"""Marking a message in a real browser: the verdict, the address with Back and Forward, and one's own questions."""

from __future__ import annotations

import re

import pytest
from browser_pages import PLAIN, opened, select_row, settled

pytestmark = pytest.mark.browser
ON_SCREEN = "it => it.getBoundingClientRect().top >= 0 && it.getBoundingClientRect().bottom <= innerHeight + 1"
LOST = re.compile("Message 2, which must be remembered, .* was lost at turn 21")


def test_a_mark_is_in_verdict_and_address_and_a_question_leads_to_its_answer(page, home, seen):
    opened(page, home + PLAIN)
    select_row(page, 2)
    page.locator(".hl-title", has_text=re.compile("^Message 2: ")).wait_for()
    settled(page)  # the table has made room for the reason, and its button stays where it is
    page.get_by_role("button", name="⚑ Must remember", exact=True).click()
    page.locator(".hl-forgot", has_text=LOST).wait_for()
    page.get_by_text("Must be remembered.").wait_for()
    page.wait_for_url(re.compile(r"stars=2(&|$)"))

    settled(page)

    page.go_back()
    page.locator(".hl-forgot", has_text=LOST).wait_for(state="detached")
    settled(page)
    page.go_forward()
    page.locator(".hl-forgot", has_text=LOST).wait_for()

    page.get_by_role("tab", name=re.compile("^Lost facts")).click()
    page.get_by_role("button", name="Questions asked later").click()
    box = page.get_by_label("Questions, one per line")
    box.fill("What allergy does Pia have?")
    box.press("Control+Enter")
    page.get_by_text("“What allergy does Pia have?”: if asked next,").wait_for()
    table = page.locator(".st-key-likeliest")
    table.evaluate("it => it.scrollIntoView({block: 'center'})")
    table.get_by_role("button").first.click()
    answer = page.get_by_role("region", name="Answer", exact=True)
    answer.locator(".hl-title", has_text=re.compile("Message 4: × dropped")).wait_for()
    page.wait_for_function(ON_SCREEN, arg=answer.element_handle())  # from the table far below it
    assert "allergy" not in page.url
    assert seen.errors == []
