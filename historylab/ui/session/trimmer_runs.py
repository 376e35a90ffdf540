"""Runs of trimmers: each request is asked once, whoever waits for it and however often the page is drawn meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.trimmers.driving import GIVE_UP
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.session.chosen_trimmer import trimmer_title
from historylab.ui.session.thread_work import follow_work
from historylab.wording.untrusted import code_span

KIND = "trimmer"


def _progress_in_words(name: str, asked: int, of: int, seconds: float) -> str:
    """The progress in words, and how long it may take: the first time, too."""
    if not of:
        return f"Opening {name}"
    patience = f"each may take {seconds:g} s; after {GIVE_UP} in a row without an answer it is asked no more"
    return f"Asking {name}: {asked:,} of {of:,} requests; {patience}"


def trimmed_timeline(conversation: Conversation, lane: TrimmerLane, on_stop: Callable[[], None]) -> Timeline:
    """The timeline of a trimmer; while it is asked, a bar shows how far it is. `on_stop` chooses another."""
    name, key = code_span(trimmer_title(str(lane.trimmer))), (KIND, id(conversation), lane.key)
    while not lane.is_open(conversation):
        follow_work(
            key,
            lambda tell: lane.open(conversation, tell),
            lambda asked, of: _progress_in_words(name, asked, of, lane.seconds),
            on_stop,
        )
    return lane.open(conversation)
