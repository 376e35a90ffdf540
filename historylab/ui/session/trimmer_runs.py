"""Runs of trimmers: each request is asked once, whoever waits for it and however often the page is drawn meanwhile."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.session.chosen_trimmer import trimmer_title
from historylab.ui.session.thread_work import follow_work
from historylab.wording.untrusted import code_span


def trimmed_timeline(conversation: Conversation, lane: TrimmerLane) -> Timeline:
    """What a trimmer sends; while it is asked, with a bar that shows how far that is."""
    if not lane.is_open(conversation):
        name = code_span(trimmer_title(str(lane.trimmer)))
        follow_work(
            ("trimmer", id(conversation), lane.key),
            lambda tell: lane.open(conversation, tell),
            lambda asked, of: f"Asking {name}: {asked:,} of {of:,} requests" if of else f"Opening {name}",
        )
    return lane.open(conversation)
