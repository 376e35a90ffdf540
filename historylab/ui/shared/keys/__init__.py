"""The keys of a page, which work wherever no text is typed, the sheet that lists them, and the focus, which is kept."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def keys() -> None:
    """The button that opens the sheet; what is on the page decides which keys there are."""
    component(Path(__file__).parent, ("keeper", "keys"))(key="keys", width="content")
