"""The timeline on screen: what a trimmer would send, or what was really sent, where that is shown; else a replay.

A file that has cuts is shown as it was sent by itself, as long as nothing but the file decides a setting. Whatever is
chosen afterwards shows the settings at once, and taking that choice back shows again what was sent.
"""

from __future__ import annotations

from functools import partial

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline, replay
from historylab.recordings.as_sent import as_sent, has_cuts, knows_what_was_sent
from historylab.settings.consent import offline
from historylab.settings.resolve import Resolution
from historylab.ui.session import cached, choices
from historylab.ui.session.chosen_system import choose_system
from historylab.ui.session.chosen_trimmer import (
    current_trimmer,
    lane_on_screen,
    system_of_trimmer,
    would_stand_by_itself,
)
from historylab.ui.session.session import tab
from historylab.ui.session.thread_work import leave_work
from historylab.ui.session.trimmer_runs import KIND, trimmed_timeline

BY_THE_FILE = ("recorded", "default")
"""The sources that say nothing of what a reader wants to see."""


def timeline_on_screen(conversation: Conversation, resolution: Resolution) -> Timeline:
    """The timeline of a trimmer, or as sent, if that is chosen or stands by itself; else the replay under settings."""
    if lane := lane_on_screen(conversation):
        return trimmed_timeline(conversation, lane, partial(choose_system, ""))
    leave_work(KIND)
    if shows_as_sent(resolution):
        return as_sent(conversation)
    return cached.timeline(conversation, resolution.settings)


def timeline_if_opened(conversation: Conversation, spec: str) -> Timeline:
    """The timeline that opening that conversation would show; no model is asked. `spec` is as in `Opened`."""
    found = choices.resolution_of(conversation, spec)
    if knows_what_was_sent(conversation) and _stands_by_itself(conversation, found):
        return as_sent(conversation)
    return replay(conversation, offline(found.settings))


def sent_timeline() -> Timeline | None:
    """The open conversation as it was really sent; None where its file doesn't say, or it was edited since."""
    return as_sent(found) if (found := _known_conversation()) is not None else None


def knows_sent() -> bool:
    """Tell whether the open file says what was sent. What is edited was never sent."""
    return _known_conversation() is not None


def shows_as_sent(resolution: Resolution) -> bool:
    """Tell whether what was sent is on screen, and not what these settings would send."""
    found, chosen = _known_conversation(), tab().as_sent
    if found is None or current_trimmer():
        return False
    return _stands_by_itself(found, resolution) if chosen is None else chosen == choices.fingerprint()


def system_in_address() -> str:
    """The system in the address: a preset, a trimmer, AS_SENT, or OWN where settings would not be shown without it."""
    state, found = tab(), _known_conversation()
    if state.opened is None and (state.as_sent is not None or state.trimmer):
        return state.linked.system
    if trimmer := system_of_trimmer():
        return trimmer
    if state.as_sent == "" and would_stand_by_itself():
        return choices.OWN
    if found is None or state.as_sent is None or state.system or not (state.opened and state.opened.spec):
        return state.system
    if state.as_sent == choices.fingerprint():
        return choices.AS_SENT
    return choices.OWN if _stands_by_itself(found, choices.resolution()) else ""


def _known_conversation() -> Conversation | None:
    opened = tab().opened
    if opened is None or opened.edited:
        return None
    return opened.original if knows_what_was_sent(opened.original) else None


def _stands_by_itself(conversation: Conversation, resolution: Resolution) -> bool:
    """Tell whether the file has cuts, and nobody set anything."""
    own = tab().recorded and not tab().system
    decided = (origin.source for origin in resolution.provenance.values())
    return own and has_cuts(conversation) and all(source in BY_THE_FILE for source in decided)
