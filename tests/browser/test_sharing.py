"""Links and files in a real browser: what is shared opens as it was, also with Back, and a report loads nothing."""

from __future__ import annotations

import re

import pytest
from browser_pages import PLAIN, SECONDS, headline, settled, source_of

pytestmark = pytest.mark.browser


def set_number(page, label: str, value: int) -> None:
    box = page.get_by_role("textbox" if label == "Budget" else "spinbutton", name=label, exact=True).first
    box.fill(str(value))
    box.press("Enter")


def shared_link(page) -> str:
    """The link of the Share dialog, without the presenter’s view."""
    page.get_by_role("button", name="Share", exact=True).click()
    return page.get_by_role("dialog").get_by_test_id("stCode").inner_text().strip().removesuffix("&present=true")


def test_a_shared_link_opens_the_same_settings_conversation_and_request(page, browser, home, seen):
    page.goto(home + "/?conv=gen:support_desk:turns=12,seed=3&historyLength=9")
    headline(page, "Turn 12")
    set_number(page, "Length", 4)
    page.wait_for_url(re.compile("historyLength=4"))
    page.mouse.click(900, 5)  # out of the field
    page.keyboard.press("k")
    headline(page, "Turn (11|12 ·)")
    said = page.locator(".hl-count").text_content()
    link = shared_link(page)
    assert link.startswith(home)
    assert "historyLength=4" in link
    assert "budget" not in link  # at its default, also where a template says otherwise

    other = browser.new_context().new_page()
    other.set_default_timeout(SECONDS * 1000)
    other.goto(link)
    headline(other, re.escape(said))
    source_of(other, "length", "URL")
    source_of(other, "budget", "default")  # the link says nothing of it, and so decides it
    other.context.close()
    assert seen.external == []


def test_back_returns_to_the_comparison_before_and_the_used_one_is_the_playgrounds(page, home, seen):
    page.goto(home + "/compare?v=1&cmp=historyLength:5")
    headline(page, "B sends")
    first = page.locator("h1").first.inner_text()
    page.get_by_role("button", name="Edit").nth(1).click()
    set_number(page, "Length", 2)
    page.wait_for_url(re.compile("cmp=historyLength(:|%3A)2"))
    page.wait_for_function("text => document.querySelector('h1').innerText !== text", arg=first)
    page.go_back()
    headline(page, re.escape(first))
    settled(page)

    page.get_by_role("button", name="Use", exact=True).click()
    page.get_by_text("is yours now (A)").wait_for()
    page.get_by_role("link", name="Back to Inspect").click()
    headline(page, "10 of")
    source_of(page, "length", "you")
    assert seen.errors == []
    assert seen.external == []


def test_a_report_and_the_decisions_are_downloaded_whatever_their_drawer_does_and_the_report_loads_nothing(
    page, browser, home, tmp_path
):
    page.goto(home + PLAIN)
    headline(page, "messages sent")
    sent, files = re.search(r"\d+ of \d+ messages", page.locator(".hl-count").inner_text())[0], {}
    for label in ("Report (HTML)", "Decisions (CSV)"):
        page.get_by_role("button", name="Export").first.click()
        drawer = page.get_by_role("dialog")
        with page.expect_download() as download:
            drawer.get_by_role("button", name=label).click()
        files[label] = download.value
        drawer.get_by_role("radio", name=re.compile("^All ")).click()  # the browser is a click ahead of the server
        with page.expect_download() as download:
            drawer.get_by_role("button", name=label).click()
        assert download.value.failure() is None
        page.keyboard.press("Escape")
        drawer.wait_for(state="hidden")
    assert files["Decisions (CSV)"].suggested_filename == "request-83.csv"
    assert files["Decisions (CSV)"].path().read_text("utf-8-sig").startswith("message,role,tokens")
    saved = tmp_path / files["Report (HTML)"].suggested_filename
    files["Report (HTML)"].save_as(saved)

    asked, complaints = [], []
    reader = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 800}, offline=True).new_page()
    reader.on("request", lambda request: asked.append(request.url))
    reader.on("console", lambda told: complaints.append(told.text))
    reader.on("pageerror", lambda error: complaints.append(str(error)))
    reader.goto(saved.as_uri())
    assert sent in reader.locator("p.said").inner_text()
    read_live(reader)
    assert asked == [saved.as_uri()]
    assert complaints == []
    assert reader.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
    assert reader.evaluate("document.documentElement.scrollWidth") <= 390
    reader.context.close()


ROWS_TALL = "list => [...list.children].map((row) => row.offsetHeight)"


def read_live(reader) -> None:
    """Scrub a report's map, play it, and choose a message in its list."""
    slider, said = reader.get_by_role("slider", name="Selected request"), reader.locator("p.said")
    slider.press("Home")
    said.filter(has_text="Turn 1: ").wait_for()
    assert reader.locator("li[data-message]").nth(10).get_attribute("class") == "later"
    rows, veil = reader.locator("ol.messages"), reader.locator(".veil")
    tall = rows.evaluate(ROWS_TALL)
    assert rows.locator("li").nth(10).locator(".why").inner_text() == "not said yet"
    assert not veil.is_visible()
    reader.get_by_role("button", name="Play").click()
    said.filter(has_text=re.compile(r"^Turn ([2-9]|\d\d): ")).wait_for()
    assert veil.is_visible()
    slider.press("End")
    rows.locator("li").nth(2).get_by_text("dropped. Older than").wait_for()
    assert rows.evaluate(ROWS_TALL) == tall
    reader.get_by_role("button", name="Message 3: why").click()
    answer = reader.locator(".answer")
    assert re.search(r"Message 3, assistant\n.*dropped since turn \d+\. Older than", answer.inner_text(), re.DOTALL)
