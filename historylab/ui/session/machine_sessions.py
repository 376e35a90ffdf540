"""Files of this machine, where reader and server are both on it: sessions of coding agents, or a path that is named.

Sessions are listed on a click and opened by their place in that list, which stays on the server.
"""

from __future__ import annotations

import os

from historylab.formats.sessions.find import find_sessions
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import opening, session
from historylab.ui.session.given_files import files_to_open
from historylab.ui.session.tab import GivenFile, ToOpen


def find_on_machine() -> None:
    """List them, if reader and server are on the same machine."""
    if on_this_machine():
        session.tab().sessions = find_sessions()
    session.touch()


def open_session(place: int) -> None:
    """Open the session at that place of the list next."""
    listed = session.tab().sessions or ()
    if on_this_machine() and place in range(len(listed)):
        path = listed[place].path
        opening.note_to_open(ToOpen((GivenFile(path.name, path),)))


def open_path(path: str) -> None:
    """Open the file or folder at that path next, read where it is, of any size."""
    named = os.path.abspath(os.path.expanduser(path.strip().strip("\"'")))
    if on_this_machine() and path.strip():
        opening.note_to_open(ToOpen(files_to_open([named])))
