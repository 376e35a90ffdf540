"""What is tried on the open conversation, in this tab only: an edit more, one fewer, or the original again.

Opening anything drops it, because it is kept with what is open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.edits import Delete, Edit, Edited, Insert, apply_edits
from historylab.planning.pipeline import project
from historylab.planning.replay import Timeline
from historylab.ui.session import opening, state


def current_edits() -> Edited | None:
    """The open conversation with what was tried on it; None while it is as it was opened."""
    opened = state.desk().opened
    return opened.edited if opened else None


def describe_edits() -> str:
    """What was changed: "2 edited, 1 deleted"; nothing where nothing was."""
    tried = current_edits()
    return ", ".join(f"{count:,} {word}" for word, count in tried.tally.items()) if tried else ""


def make_edit(edit: Edit, timeline: Timeline) -> None:
    """Make an edit of what that timeline shows. A click that comes late, when something else is open, does nothing."""
    if opening.conversation().digest != timeline.original.digest:
        return
    tried, here = current_edits(), state.desk()
    lengths = _put((*(tried.edits if tried else ()), edit))
    if isinstance(edit, Insert):
        first = int(lengths.searchsorted(edit.at, side="right"))  # request that holds it
        here.message = edit.at if timeline.settings.projection == "off" else None
        if here.request is not None and here.request < first:
            here.request = first if first < len(lengths) else None
    elif isinstance(edit, Delete) and not len(opening.conversation()):
        here.message = None


def undo_edit() -> None:
    """Take the last edit back."""
    if tried := current_edits():
        _put(tried.edits[:-1])


def discard_edits() -> None:
    """The original again."""
    if current_edits():
        _put(())


def _put(edits: Sequence[Edit]) -> np.ndarray:
    """Let these be the edits; stars go along, and one looks at a request as far from the end as before.

    Returns the history lengths of the requests there are now: int64.
    """
    here, opened = state.desk(), state.desk().opened
    before, after = opened.edited or apply_edits(opened.original, ()), apply_edits(opened.original, edits)
    opened.edited = None if after.conversation is opened.original else after
    state.set_must_remember(before.follow(state.must_remember(), after))
    had, has = _requests(before.conversation), _requests(after.conversation)
    if here.request is not None:
        here.request = max(0, here.request + len(has) - len(had))
    here.picks += 1
    return has


def _requests(conversation: Conversation) -> np.ndarray:
    return project(conversation, state.resolution().settings).columns.requests
