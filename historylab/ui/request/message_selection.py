"""The messages on screen, of those so far: which there are to choose from, and the way to one."""

from __future__ import annotations

import numpy as np

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.planning.steps import Step
from historylab.ui.request.message_search import matching_messages
from historylab.ui.session import session, viewing
from historylab.ui.session.must_remember import starred_messages

LIST, CHAT = "list", "chat"
FILTERS = (viewing.EVERYTHING, "sent", "changed", "lost", "starred", viewing.FOUND)
"""The list's filters; the browser applies them, and knows their words (ui/shared/message_list/words.js)."""


def choose_message(timeline: Timeline, request: int, message: int) -> None:
    """Go to `message` at `request` (from 0): map, list and answer show it. The way there from all that names a message.

    Where that request comes before the message, it is the first one that may send it. A filter that hides the message
    is cleared.
    """
    holding = timeline.conversation.columns.first_request_after(message)
    request = min(max(request, holding), len(timeline.plans) - 1)
    viewing.select_request(request)
    if not _passes(timeline, timeline.steps[request], message):
        viewing.filter_by(viewing.EVERYTHING)
    viewing.reveal_message(message)


def found_messages(step: Step) -> np.ndarray:
    """bool[size]: the messages that contain what is searched for; all of them without a search."""
    return matching_messages(step.plan.history.conversation, step.size, session.tab().search)


def _passes(timeline: Timeline, step: Step, message: int) -> bool:
    """Whether the filter in use lets the message through."""
    sent = step.plan.action_of(message) <= Action.TRUNCATED if message < step.size else False
    changed = (*step.changed.entered, *step.changed.left, *step.changed.folded)
    return {
        viewing.EVERYTHING: True,
        "sent": sent,
        "lost": not sent,
        "changed": message in changed,
        "starred": message in starred_messages(timeline),
        viewing.FOUND: message < step.size and bool(found_messages(step)[message]),
    }[session.tab().show]
