"""Configurations to add by a click, each of them something else than those that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.costs.amounts import count_of, short_count
from historylab.planning.replay import Timeline
from historylab.settings.model import Settings
from historylab.tuning.compare import UNTRIMMED, newest_alone
from historylab.ui.session import choices
from historylab.wording.costs import is_untrimmed

NEWEST = 20
"""Messages that an app keeps which keeps the last ones."""
AT_HALF = {"dropping the oldest": "fifo", "summarising": "summarize"}
"""Name → pruner, with half of the tokens that the largest request would have."""


@dataclass(frozen=True, slots=True)
class ConfigurationPreset:
    """A configuration by its name, and the settings it changes."""

    name: str
    changes: Mapping[str, Any]


def presets_for(timelines: Sequence[Timeline], compared: Sequence[Settings]) -> list[ConfigurationPreset]:
    """The presets that may be added to these; what the environment decides otherwise can't be."""
    locked = {name: origin.value for name, origin in choices.resolution().provenance.items() if origin.locked}
    return [
        preset
        for preset in _all_presets(timelines)
        if not any(_is_one(settings, preset.changes) for settings in compared)
        and all(locked[name] == value for name, value in preset.changes.items() if name in locked)
    ]


def preset_name(settings: Settings, timeline: Timeline) -> str:
    """The name of the preset that these settings are; "" if they are none."""
    if (found := choices.recommended_changes(timeline.original.digest)) and _is_one(settings, found):
        return "recommended"
    if _is_one(settings, UNTRIMMED):
        return "not trimming"
    if _is_one(settings, newest_alone(settings.length)):
        return _newest_name(settings.length)
    names = (name for name, pruner in AT_HALF.items() if _is_one(settings, _up_to(settings.budget, pruner)))
    return "".join(f"{name} beyond {short_count(settings.budget)}" for name in names)


def _all_presets(timelines: Sequence[Timeline]) -> Iterator[ConfigurationPreset]:
    conversation = timelines[0].original
    if not any(map(is_untrimmed, timelines)):
        yield ConfigurationPreset("not trimming", UNTRIMMED)
    if kept := min(NEWEST, len(conversation) // 2):
        yield ConfigurationPreset(_newest_name(kept), newest_alone(kept))
    half = _round(int(timelines[0].untrimmed_contexts.max()) // 2)
    for name, pruner in AT_HALF.items():
        yield ConfigurationPreset(name, _up_to(half, pruner))
    if found := choices.recommended_changes(conversation.digest):
        yield ConfigurationPreset("recommended", found)


def _up_to(budget: int, pruner: str) -> dict[str, Any]:
    return {**UNTRIMMED, "pruner": pruner, "budget": budget}


def _round(tokens: int) -> int:
    """To two digits: 46,218 is 46,000."""
    return round(tokens, min(0, 2 - len(str(tokens))))


def _newest_name(messages: int) -> str:
    return f"last {count_of(messages, 'message')}"


def _is_one(settings: Settings, changes: Mapping[str, Any]) -> bool:
    return all(settings.value(name) == value for name, value in changes.items())
