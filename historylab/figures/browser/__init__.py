"""What the map is drawn by in a browser, on screen and in a report: scripts, in the order in which they are joined."""

from __future__ import annotations

from pathlib import Path

BROWSER = Path(__file__).parent
CLOCK = BROWSER / "clock.js"
TIMELINE, TIMELINE_SCRIPTS = BROWSER / "timeline_data", ("../packed", "timeline_data")
MAP = BROWSER / "history_map"
MAP_SCRIPTS = ("axis", "words", "paint", "marks", "zoom", "fall", "picture", "map")
