"""The button that saves what a field holds now: also what was written since the page was drawn."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def save_written(label: str, field: str, file: str, *, about: str) -> None:
    """Draw the button `label`, which saves the text of the field of that label as `file`; `about` is its help."""
    given = {"label": label, "field": field, "file": file, "about": about}
    component(Path(__file__).parent, ("save",))(key="save-written", data=given)
