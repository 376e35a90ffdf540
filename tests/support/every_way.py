"""Settings for every way a request can be made, from what is registered: a new member is among them by itself."""

from __future__ import annotations

from collections.abc import Iterator

from historylab import registry
from historylab.settings.model import Settings
from historylab.systems.presets.base import presets

SMALL = {"policy": "all", "budget": 700, "window": 900}  # little enough that something is cut in a few turns
ASKS = ("summarizer", "model")  # a model on a server would write it


def every_way() -> dict[str, Settings]:
    """By a name to read: every preset and variant, every layout with every projection, every other stage alone."""
    found = {settings: name for name, settings in reversed([*_presets(), *_arranged(), *_stages()])}
    return {name: settings for settings, name in reversed(found.items())}


def _presets() -> Iterator[tuple[str, Settings]]:
    for preset in presets().values():
        for variant in ("", *preset.variants):
            settings = preset.variants[variant] if variant else preset.settings
            name = f"{preset.name} {variant}".strip()
            early = {option: 400 for option in settings.options if option.endswith(".trigger")}
            roomy = {option: 0.1 for option in settings.options if option.endswith(".max_share")} if early else {}
            if not early:  # else it sends everything, as it has a trigger that no short conversation reaches
                yield name, settings
            yield f"{name}, tight", settings.replace(budget=900, window=1200, **early, **roomy)


def _arranged() -> Iterator[tuple[str, Settings]]:
    for layout in registry.members("layout"):
        for projection in registry.members("projection"):
            yield f"{layout} of {projection}", Settings(layout=layout, projection=projection, **SMALL)
    agent = {"projection": "point_of_view", "projection.point_of_view.agent": "moss"}
    yield "one agent's view", Settings(**agent, **SMALL)
    yield "no system messages", Settings(preserve_system_messages=False, **SMALL)


def _stages() -> Iterator[tuple[str, Settings]]:
    for family in (*registry.STAGE_FAMILIES, "summarizer"):
        for name in registry.members(family):
            if (family, name) != ASKS:
                more = {"pruner": "summarize"} if family == "summarizer" else {}
                yield f"{family} {name}", Settings(**{**SMALL, **more, family: name})
    yield "short results", Settings(tool_output="truncate", **{"tool_output.truncate.limit": 20}, **SMALL)
    yield "a token factor", Settings(counter_factor=1.4, pruner="summarize", **SMALL)
    yield "an exchange too long", Settings(pruner="pairs", **{"pruner.pairs.characters": 120}, **SMALL)
