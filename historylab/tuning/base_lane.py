"""The lane to do better than: whose it is where it isn't settings, how a search for others begins, and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import settings_for
from historylab.errors import SettingsError
from historylab.recordings.as_sent import has_cuts, knows_what_was_sent, why_not_as_sent
from historylab.settings.model import Settings
from historylab.tuning.advice_words import WHAT_HAPPENED, YOURS
from historylab.tuning.nearest import nearest_settings
from historylab.tuning.replayed import AS_SENT, Lane, TrimmerLane, read_lane


def choose_base(conversations: Sequence[Conversation], base: Lane | Callable[..., Any] | None) -> Lane:
    """The base that was meant; without one, what was sent, where that was cut and is known, else the defaults."""
    if base is None:
        cut = all(map(knows_what_was_sent, conversations)) and any(map(has_cuts, conversations))
        return AS_SENT if cut else Settings()
    return read_lane(base)


def search_start(conversations: Sequence[Conversation], base: Lane = AS_SENT) -> Settings:
    """The settings at which a search for better ones begins: the base's, or those that the longest file proposes.

    Raises SettingsError where one of the files doesn't say what was sent, and that is the base.
    """
    if isinstance(base, Settings):
        return base
    if base == AS_SENT and (why := next(filter(None, map(why_not_as_sent, conversations)), "")):
        raise SettingsError(why)
    found = settings_for(max(conversations, key=len)) if conversations else Settings()
    return found.replace(**base.counting) if isinstance(base, TrimmerLane) else found


def nearest_to(base: Lane, conversations: Sequence[Conversation]) -> list[Settings]:
    """The settings nearest to a trimmer, on the longest conversation; none beside another base.

    Raises SettingsError for a trimmer that fails at every request: nothing can be set beside it.
    """
    if not isinstance(base, TrimmerLane):
        return []
    timelines = [base.open(each) for each in conversations]
    if not any(timeline.judged.any() for timeline in timelines):
        raise SettingsError(f"{base.name} fails at every request: {timelines[0].errors[0]}")
    return [nearest_settings(base.open(max(conversations, key=len))).settings]


def base_in_words(base: Lane) -> tuple[str, str, str]:
    """The base in sentences: what it is called, and how two of them begin."""
    if isinstance(base, TrimmerLane):
        return base.title, f"{base.title} is", f"{base.title} breaks"
    return YOURS if isinstance(base, Settings) else WHAT_HAPPENED
