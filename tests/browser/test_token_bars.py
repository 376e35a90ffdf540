"""The token chart in a real browser: its line is dragged to another budget, a click on it shows a request."""

from __future__ import annotations

import pytest
from browser_pages import at_rest, headline, opened, source_of

pytestmark = pytest.mark.browser


def test_the_line_is_dragged_to_another_budget_and_a_click_shows_a_request(page, home, seen):
    opened(page, home + "/?historyPolicy=all&pruner=fifo&budget=3000&reserve=300&overhead=200")
    line = page.get_by_text("budget 3,000: 2,700 and 300 set aside")
    line.wait_for()
    chart = page.get_by_role("img", name="Tokens over 83 requests").locator(".plot")
    chart.scroll_into_view_if_needed()
    box, place = at_rest(chart), at_rest(line)
    dropped = place["y"] + place["height"] + 10 - 40
    page.mouse.move(box["x"] + 300, place["y"] + place["height"] + 10 - 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, dropped, steps=4)
    said = page.get_by_text("and 300 set aside").inner_text()
    headline(page, "Turn 83[: ]")
    page.mouse.up()
    source_of(page, "budget", "you")
    budget = int(said.split(":")[0].removeprefix("budget ").replace(",", ""))
    assert budget > 3000
    assert page.get_by_role("textbox", name="Budget", exact=True).input_value() == f"{budget:,}"
    assert page.get_by_text("and 300 set aside").inner_text() == said
    chart.click(position={"x": 48 + (box["width"] - 60) * 20.5 / 83, "y": box["height"] - 30})
    headline(page, "Turn 21[: ]")
    assert seen.errors == []
