"""Large files of this machine: their conversations are listed, and each is read when it is chosen."""

from __future__ import annotations

from pathlib import Path

from historylab.errors import HistoryLabError
from historylab.formats.base import Report
from historylab.formats.listing import Listing, list_conversations
from historylab.formats.load import Conversations
from historylab.ui.session import session, viewing
from historylab.ui.session.given_files import Show
from historylab.ui.session.tab import GivenFile, ReadFile, ToOpen
from historylab.wording.untrusted import code_span

LARGE = 50_000_000
"""Bytes from which a file is listed rather than loaded."""


def large_file(asked: ToOpen) -> Path | None:
    """The path of the only file asked for, if it is to be listed."""
    path = asked.files[0].data if len(asked.files) == 1 and not asked.format and not asked.shape else None
    try:
        return path if isinstance(path, Path) and path.stat().st_size >= LARGE else None
    except OSError:
        return None  # reading it says why


def open_large(path: Path, show: Show) -> None:
    """List that file's conversations and open the first. Raises HistoryLabError."""
    name = code_span(path.name)
    listing = list_conversations(path, lambda done, of: show(done / max(1, of), f"Looking through {name}"))
    _open(GivenFile(path.name, path), listing, 0)


def open_listed_conversation(which: object) -> None:
    """Show the conversation at that place of the list."""
    opened = viewing.current_file()
    session.touch()
    # A late click may still name one of the file before.
    if opened.listing and isinstance(which, int) and which in range(len(opened.listing)):
        try:
            _open(opened.files[0].given, opened.listing, which)
        except HistoryLabError as problem:
            session.report_problem(f"Conversation {which + 1:,} can't be read: {problem}")


def _open(given: GivenFile, listing: Listing, place: int) -> None:
    conversation = listing.open(place)
    report = Report("a large file", len(conversation), len(conversation), 1)
    viewing.open_conversations(
        Conversations([conversation], report), "", files=(ReadFile(given, report),), listing=listing, listed=place
    )
