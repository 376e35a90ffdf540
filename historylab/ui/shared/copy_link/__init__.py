"""The button that copies a link; where the browser allows it, the link is copied as soon as it is shown."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def copy_link(link: str) -> None:
    """Copy `link` and say so."""
    component(Path(__file__).parent, ("copy",))(key="copy-link", data=link)
