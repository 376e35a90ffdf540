"""The rows of one conversation in many lanes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.recordings.as_sent import why_not_as_sent
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.count_rows import count_rows
from historylab.tuning.measures import measure, unknown_row
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions, open_lane


def measure_lanes(
    conversation: Conversation, lanes: Sequence[Lane], options: MeasureOptions, beside: Lane | None = None
) -> Iterator[dict[str, Any]]:
    """One row per lane, in order, each when it is asked for; lanes of the same effect are measured once.

    With a lane `beside` them, settings are counted as that is. Where a conversation is wanted as sent and nothing says
    what was sent, the row knows the title alone.
    """
    counted = count_rows(conversation, lanes, options) if beside is None else {}
    known: dict[str, dict[str, Any]] = {}
    for place, lane in enumerate(lanes):
        if place in counted:
            yield dict(counted[place])
            continue
        same = effective_key(lane)
        if same not in known:
            unknown = lane == AS_SENT and why_not_as_sent(conversation)
            known[same] = (
                unknown_row(conversation, options)
                if unknown
                else measure(open_lane(conversation, lane, beside), options)
            )
        yield dict(known[same])


@lru_cache(maxsize=4096)  # asked again for every conversation
def effective_key(settings: Lane) -> str:
    """A key that settings share when they differ only in options of members they don't choose.

    Plain fields always count: a member from outside may read one without declaring it.
    """
    if not isinstance(settings, Settings):
        return settings if isinstance(settings, str) else settings.key
    options = {n: v for n, v in settings.options.items() if _is_chosen(settings, n) or has_effect(settings, n)}
    return json.dumps({**settings.model_dump(), "options": options}, sort_keys=True)


def _is_chosen(settings: Settings, option: str) -> bool:
    family, _, member = option.rpartition(".")[0].partition(".")
    return member in str(settings.value(family)).split("+")
