"""A recorded conversation as it was sent: every request planned under the settings that were in force for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import DECISIONS, SENT_UNDER
from historylab.errors import SettingsError
from historylab.planning.noted import noted_state
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.recordings.exchange import run_lengths
from historylab.settings.model import Settings


def as_sent(conversation: Conversation, default: Settings | None = None) -> Timeline:
    """The requests as they were decided, under the summaries that were sent; no model is asked.

    Each plan is that of a replay under the settings of its request, and `settings` are those of the newest. A request
    of which the recording says none (no answer came, it went through as it came) has the settings of the next, else of
    the one before; a conversation without any has the `default`.
    """
    used = _settings_of_requests(conversation, default or Settings())
    timelines = {settings: _replay_offline(conversation, settings) for settings in dict.fromkeys(used)}
    newest = timelines[used[-1]] if used else _replay_offline(conversation, default or Settings())
    plans = list(newest.plans)
    for request, settings in enumerate(used[: len(plans)]):
        timeline = timelines[settings]
        if timeline.conversation is newest.conversation:  # under another projection there are other requests
            plans[request] = timeline.plans[request]
    return replace(newest, plans=tuple(plans), derived={})


def sent_otherwise(timeline: Timeline) -> tuple[int, ...]:
    """The requests (from 0) about which the recording has other decisions than this timeline.

    So it is where text was redacted, where the system prompt was another one, or where the app was another version.
    """
    original, requests = timeline.original, timeline.original.columns.requests.tolist()
    if len(requests) != len(timeline.plans):
        return ()
    decided = [original[size].metadata.get(DECISIONS) if size < len(original) else None for size in requests]
    return tuple(
        request
        for request, (plan, recorded) in enumerate(zip(timeline.plans, decided, strict=True))
        if isinstance(recorded, str) and recorded != run_lengths(plan.sketch())
    )


def _settings_of_requests(conversation: Conversation, default: Settings) -> list[Settings]:
    """The settings of each request."""
    known: dict[str, Settings | None] = {}
    found: list[Settings | None] = []
    for size in conversation.columns.requests.tolist():
        given = conversation[size].metadata.get(SENT_UNDER) if size < len(conversation) else None
        key = repr(given)
        if key not in known:
            known[key] = _settings(given)
        found.append(known[key])
    last = next((settings for settings in reversed(found) if settings), default)
    for request in reversed(range(len(found))):
        last = found[request] or last
        found[request] = last
    return [settings or default for settings in found]


def _settings(given: object) -> Settings | None:
    """The settings of a recording; None if these are none here, as in one of another version."""
    try:
        return Settings(**given) if isinstance(given, Mapping) else None
    except (SettingsError, TypeError):
        return None


def _replay_offline(conversation: Conversation, settings: Settings) -> Timeline:
    """A replay that finds summaries under what the settings ask for, and asks no model where it doesn't."""
    instruments = open_instruments(settings, store=noted_state(conversation))
    offline = replace(instruments, summarizer=instruments.offline().summarizer)
    return replay(conversation, settings, instruments=offline)
