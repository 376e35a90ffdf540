"""A provider's own context management as part of a request: what its API has of these settings, what not, and the rest.

An API that takes it is sent the whole history and edits it itself; so nothing else of these settings acts there. As
documented, and never tried against an API. Under `historylab` the file has every setting, so it is a template, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from historylab.exporters.base import Difference, differences, pins_of
from historylab.pricing import window_of
from historylab.registry import STAGE_FAMILIES
from historylab.settings.model import Settings
from historylab.settings.names import OWN_PART

COMPACTION = "compaction.preserve_recent."
OPTIONS = tuple(f"{COMPACTION}{name}" for name in ("max_share", "keep_task", "min_freed"))
KEPT = (f"{COMPACTION}messages", f"{COMPACTION}tokens")
FAMILIES = (*STAGE_FAMILIES, "projection", "layout")
CUTTING = {"tool_output", "compaction", "pruner"}
NO_STAGE = "The API has nothing like it: it edits the whole history that it is sent."
NO_EDIT = "The API has nothing like it. So the request asks it to edit nothing."
PINS = "The API pins nothing."
SYSTEM = "System messages always stay."
TOKENS = "The API counts its own tokens, with tools and system prompt."


def server_side(settings: Settings, names: Sequence[str], target: str, request: Mapping[str, Any]) -> str:
    """The file: the part of a request, what it does not carry, and the settings of those names."""
    told = [str(difference) for difference in differences(settings, target)]
    ours = {OWN_PART: {name: settings.value(name) for name in names}}
    whole = {"request": request, **({"not_carried": told} if told else {}), **ours}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def what_no_api_has(settings: Settings, *has: str) -> Iterator[Difference]:
    """What is not carried: every stage that acts but those of the families in `has`, pins, and whose tokens count."""
    acting = {name for name in FAMILIES if settings.value(name) != ("all" if name == "policy" else "off")}
    if missing := [name for name in FAMILIES if name in acting and name not in has]:
        yield Difference(
            (*missing, *(("budget", "reserve") if CUTTING & {*missing} else ())), NO_STAGE if has else NO_EDIT
        )
    if pins := pins_of(settings):
        yield Difference(pins, PINS)
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), SYSTEM)
    if CUTTING & acting:
        yield Difference(("overhead", "model", "counter", "counter_factor"), TOKENS)


def compacts(settings: Settings) -> bool:
    """Whether these settings have a compaction as the APIs do, from a number of tokens on that is known."""
    return settings.compaction == "preserve_recent" and bool(compacted_from(settings))


def compacted_from(settings: Settings) -> int:
    """The tokens from which on it compacts; 0 if that is a share of an unknown window."""
    window = settings.window or window_of(settings.model) or 0
    return int(settings.value(f"{COMPACTION}trigger")) or round(settings.threshold * window)


def compaction_difference(settings: Settings, opaque: str) -> Iterator[Difference]:
    """How a compaction of the API's differs; `opaque` says what is known of its summary."""
    share = settings.value(f"{COMPACTION}max_share")
    assumed = f"{opaque} HistoryLab assumes {100 * share:.3g}% of the window at most, and a text of its own."
    yield Difference(("summarizer", "summary_heading", "window", *OPTIONS), assumed)
    if kept := [name for name in KEPT if settings.value(name)]:
        yield Difference(tuple(kept), "The API compacts everything.")
    if not settings.value(f"{COMPACTION}trigger"):
        yield Difference(("threshold",), f"Written as {compacted_from(settings):,} tokens.")
