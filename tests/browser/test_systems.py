"""One system chosen after another in a real browser, which goes on telling what fields held before they changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import parse_qsl, urlsplit

import pytest
from browser_pages import settled

from historylab.systems.presets.base import presets

pytestmark = pytest.mark.browser

NAMES = ["", *presets()]
TITLES = {"": "Your own settings", **{name: preset.title for name, preset in presets().items()}}


def test_no_system_chosen_after_another_turns_a_label_into_a_value(page, home):
    page.goto(f"{home}/talk")
    choice = page.get_by_role("combobox", name="System")
    choice.wait_for()
    before = ""
    for name in walk(NAMES):
        settled(page)
        choice.fill(TITLES[name])
        choice.press("Enter")
        page.wait_for_function(
            "([name, all]) => name ? new URLSearchParams(location.search).get('system') == name"
            " : !location.search.includes('system=')",
            arg=[name, list(NAMES)],
        )
        settled(page)
        said = {key for key, _ in parse_qsl(urlsplit(page.url).query)}
        assert said <= {"v", "conv", "system"}, f"{name} after {before}"
        assert page.locator(".hl-notice").all_inner_texts() == [], f"{name} after {before}"
        before = name


def walk(names: Sequence[str]) -> Iterator[str]:
    """A round from the first that goes from each to each other one, once (Hierholzer's)."""
    left = {name: [other for other in names if other != name] for name in names}
    path, round_trip = [names[0]], []
    while path:
        if left[path[-1]]:
            path.append(left[path[-1]].pop())
        else:
            round_trip.append(path.pop())
    return iter(round_trip[-2::-1])
