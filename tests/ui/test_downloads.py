"""Files to download are made before their buttons are drawn: a rerun takes none away, a click disables nothing."""

from __future__ import annotations

import pytest
from app_pages import on_tab, screen, shown

from historylab import Settings

pytestmark = pytest.mark.slow  # whole screens

PLAYGROUND = "pages/playground.py"


def files(app) -> dict[str, str]:
    """Per download button its file's address; a button whose file is made on the click has none."""
    return {e.proto.label: e.proto.url for e in app.get("download_button")}


def test_the_files_of_the_export_drawer_outlive_its_reruns():
    app = shown(screen(PLAYGROUND).button(key="export").click().run())
    before = files(app)
    assert set(before) == {
        "Report (HTML)",
        "Decisions (CSV)",
        "Map (SVG)",
        "Token chart (SVG)",
        "Download historylab.env",
        "Only what differs",
        "Download HistoryLab JSON",
    }
    assert all(before.values())
    app.session_state["historylab"].wanted = "export"  # what keeps it open in a browser
    assert "HISTORYLAB_LENGTH" not in app.code[-1].value
    shown(app.segmented_control(key="shown").set_value(f"All {len(Settings().values())}").run())
    assert "HISTORYLAB_LENGTH" in app.code[-1].value
    assert files(app) == before  # what is shown is chosen, what a file holds stands on its button


def test_so_does_the_payload():
    app = on_tab(screen(PLAYGROUND), "Payload")
    assert files(app)["Download"]
    assert files(shown(app.run())) == files(app)
