"""The answer as a region of the page: named, read out politely, and brought into view where it isn't beside the map."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def answer_region(asked: int, *, of_request: bool = True) -> None:
    """Make the container it is drawn in that region; for another `asked` than before, bring it into view.

    `of_request`: it is about the request shown, so that it waits while another one is played.
    """
    data = {"asked": asked, "ofRequest": of_request}
    component(Path(__file__).parent, ("region",))(key="data answer", data=data)
