"""Finds the settings that have no effect under the others, from what each member declares in `reads`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab import registry
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings
from historylab.settings.pin import PIN_SETTINGS

READ_BY_EVERY_PLAN = frozenset(
    {
        *registry.STAGE_FAMILIES,
        "projection",
        "layout",
        "preserve_system_messages",
        *PIN_SETTINGS,
        "budget",
        "reserve",
        "overhead",
        "model",
        "counter",
    }
)
"""Settings that have an effect whichever members are chosen."""

CUTS_OFF: Mapping[str, Any] = {"policy": "all", "tool_output": "off", "compaction": "off", "pruner": "off"}
"""Changes to settings under which nothing is cut; filters and projections stay."""


def has_effect(settings: Settings, name: str) -> bool:
    """Whether the field or dotted option `name` can change a plan made under these settings.

    An option has an effect if its member is chosen; a field that some member declares in `reads`, if a chosen member
    reads it. What is chosen in a family that has no effect itself (`relevance`, say) doesn't count.
    """
    if name in READ_BY_EVERY_PLAN:
        return True
    if any(_is_chosen(settings, reader) for reader in _readers(name)):
        return True
    if "." not in name:
        return not _readers(name)
    family, member, _ = name.split(".", 2)
    return _is_chosen(settings, registry.member(family, member))


def deciding_families(name: str) -> frozenset[str]:
    """The families whose choice decides whether `name` has an effect."""
    own = {name.partition(".")[0]} if "." in name else set()
    return frozenset(own | {reader.family for reader in _readers(name)})


def _is_chosen(settings: Settings, member: registry.Member) -> bool:
    return member.name in settings.value(member.family).split("+") and has_effect(settings, member.family)


def _readers(name: str) -> list[registry.Member]:
    """The members that declare that they read it."""
    return [m for family in FIELDS_THAT_CHOOSE for m in registry.members(family).values() if name in m.reads]


def reads_times(settings: Settings) -> bool:
    """Whether these settings decide by when messages were written: a filter of theirs, or a cut in a pause."""
    filters = registry.chosen_members("filter", settings.filter)
    when, trim_to = f"pruner.{settings.pruner}.when", f"pruner.{settings.pruner}.trim_to"
    in_pause = settings.options.get(when) == "cold" and settings.value(trim_to) < 1
    return in_pause or any("time" in chosen.attributes.get("facts", ()) for chosen in filters)
