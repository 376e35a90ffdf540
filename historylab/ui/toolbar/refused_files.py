"""Files that could not be read: why, and what to try with them."""

from __future__ import annotations

from historylab.ui.session import opening, session
from historylab.ui.shared.notice import notice
from historylab.ui.toolbar.opened_files import format_choice

MOST = 10


def refused_files() -> None:
    """Each with its reason, the first few of them."""
    refused = session.tab().refused
    for file in refused[:MOST]:
        notice(opening.refusal_of(file), "error")
    if len(refused) > MOST:
        notice(f"{len(refused) - MOST:,} other files could not be read", "error")
    if len(refused) == 1 and refused[0].given.data is not None:
        format_choice(refused[0].given, "", ())
