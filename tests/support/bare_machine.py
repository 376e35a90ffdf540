"""A machine on which no coding agent keeps anything yet."""

from __future__ import annotations

import re
from pathlib import Path

from historylab.formats.sessions.places import PLACES


def make_home(folder: Path, monkeypatch) -> Path:
    """Make it the home folder of a machine whose tools keep their sessions where they do by default."""
    for place in PLACES:
        for name in re.findall(r"\$(\w+)", " ".join(place.folders)):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: folder)
    return folder
