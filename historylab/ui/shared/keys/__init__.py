"""The keys of a page, the sheet that lists them, the focus, which is kept, and the place marked in the navigation."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def keys(place: str) -> None:
    """The button that opens the sheet; what is on the page decides which keys there are.

    `place`: the words of the link to where the page belongs.
    """
    draw = component(Path(__file__).parent, ("keeper", "places", "keys"))
    draw(key="keys", width="content", data={"place": place})
