"""What the map is drawn by in a browser, on screen and in a report: scripts, in the order in which they are joined."""

from __future__ import annotations

import re
from pathlib import Path

BROWSER = Path(__file__).parent
SHARED = tuple(BROWSER / f"{name}.js" for name in ("clock", "packed", "kept", "drawing", "canvas"))
"""The parts that components share."""
TIMELINE, TIMELINE_SCRIPTS = BROWSER / "timeline_data", ("timeline_data",)
MAP = BROWSER / "history_map"
MAP_SCRIPTS = ("axis", "words", "paint", "marks", "zoom", "fall", "picture", "map")
COMMENTS = re.compile(r"^\s*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)


def text_to_send(path: Path) -> str:
    """The script, style or markup as a browser needs it: without comments and indentation."""
    return re.sub(r"^\s+", "", COMMENTS.sub("", path.read_text("utf-8")), flags=re.MULTILINE)
