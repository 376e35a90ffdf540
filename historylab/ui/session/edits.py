"""Edits of the open conversation, in this tab only: make one, undo the last, or discard them all.

Opening anything drops them, because they are kept with what is open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.edits import Delete, Edit, Edited, Insert, apply_edits
from historylab.planning.pipeline import project
from historylab.planning.replay import Timeline
from historylab.ui.session import choices, opening, session, viewing
from historylab.ui.session.tab import Opened


def current_edits() -> Edited | None:
    """The open conversation with its edits; None while it is as it was opened."""
    opened = session.tab().opened
    return opened.edited if opened else None


def describe_edits() -> str:
    """Counts of the changed messages: "2 edited, 1 deleted"; empty if none was changed."""
    edited = current_edits()
    return ", ".join(f"{count:,} {word}" for word, count in edited.tally.items()) if edited else ""


def last_deletion() -> tuple[Conversation, int, bool] | None:
    """The conversation before the last edit, the message it deleted and whether that was marked; None: no deletion."""
    opened = session.tab().opened
    edited = opened.edited if opened else None
    if opened is None or edited is None or not isinstance(edited.edits[-1], Delete):
        return None
    before, at = apply_edits(edited.original, edited.edits[:-1]), edited.edits[-1].at
    return before.conversation, at, before.keys[at] in opened.unmarked


def make_edit(edit: Edit, timeline: Timeline) -> None:
    """Edit what that timeline shows. A late click, when something else is open, does nothing."""
    if opening.conversation().digest != timeline.original.digest:
        return
    edited, state = current_edits(), session.tab()
    lengths = _put((*(edited.edits if edited else ()), edit))
    if isinstance(edit, Insert):
        first = int(lengths.searchsorted(edit.at, side="right"))  # request that holds it
        state.message = edit.at if timeline.settings.projection == "off" else None
        if state.request is not None and state.request < first:
            state.request = first if first < len(lengths) else None
    elif isinstance(edit, Delete) and not len(opening.conversation()):
        state.message = None


def undo_edit() -> None:
    """Take the last edit back."""
    if edited := current_edits():
        _put(edited.edits[:-1])


def discard_edits() -> None:
    """Restore the original."""
    if current_edits():
        _put(())


def _put(edits: Sequence[Edit]) -> np.ndarray:
    """Apply these edits; marks go along (`_move_marks`), and the request shown stays as far from the end as before.

    Returns the history lengths of the requests there are now: int64.
    """
    state, opened = session.tab(), viewing.current_file()
    before, after = opened.edited or apply_edits(opened.original, ()), apply_edits(opened.original, edits)
    opened.edited = None if after.conversation is opened.original else after
    _move_marks(opened, before, after)
    had, has = _requests(before.conversation), _requests(after.conversation)
    if state.request is not None:
        state.request = max(0, state.request + len(has) - len(had))
    state.picks += 1
    return has


def _move_marks(opened: Opened, before: Edited, after: Edited) -> None:
    """Marks go along with their messages, go with a deleted one, and come back with it."""
    place = {key: i for i, key in enumerate(after.keys)}
    opened.unmarked |= {before.keys[i] for i in viewing.must_remember()} - place.keys()
    back = opened.unmarked & place.keys()
    opened.unmarked = {key for key in opened.unmarked - back if -1 - key < len(after.edits)}  # its edit is undone
    viewing.set_must_remember([*before.follow(viewing.must_remember(), after), *(place[key] for key in back)])


def _requests(conversation: Conversation) -> np.ndarray:
    return project(conversation, choices.resolution().settings).columns.requests
