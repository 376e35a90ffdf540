"""Sessions of coding agents on this machine: listed on a click, opened by their place in that list.

The list stays on the server: a browser names a place in it, never a path.
"""

from __future__ import annotations

from historylab.formats.sessions import find_sessions
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import opening, session
from historylab.ui.session.tab import GivenFile, ToOpen


def find_on_machine() -> None:
    """List them, if reader and server are on the same machine."""
    if on_this_machine():
        session.tab().sessions = tuple(find_sessions())
    session.touch()


def open_session(place: int) -> None:
    """Open the session at that place of the list next."""
    listed = session.tab().sessions or ()
    if on_this_machine() and place in range(len(listed)):
        path = listed[place].path
        opening.note_to_open(ToOpen((GivenFile(path.name, path),)))
