"""The system on screen: the preset the settings began with, what was changed since, and the way back."""

from __future__ import annotations

from typing import Any

from historylab.settings.names import url_name
from historylab.settings.resolve import Resolution
from historylab.systems.presets.base import Preset, find_preset
from historylab.ui.session import state


def current_preset() -> tuple[Preset, str] | None:
    """The preset and its variant; None for settings of one's own."""
    return find_preset(state.desk().system)


def choose_preset(name: str, variant: str = "") -> None:
    """Begin with a preset: what it decides counts as chosen by this person. "" goes back to what was before."""
    here, before = state.desk(), current_preset()
    if before is None:
        here.own = (dict(here.you), dict(here.link))
    found = find_preset(f"{name}:{variant}" if variant else name)
    you, link = here.own or ({}, {})
    here.you, here.link = dict(you), dict(link)
    here.system = ""
    if found:
        preset, variant = found
        here.system = f"{name}:{variant}" if variant else name
        _load(preset.decides(variant))
    else:
        here.own = None
    here.message, here.problem = None, ""
    state.touch()


def restore_preset() -> None:
    """What the preset decides, as it was published; everything else stays."""
    if found := current_preset():
        preset, variant = found
        _load(preset.decides(variant))
    state.touch()


def preset_changes(resolution: Resolution) -> tuple[list[str], list[str]]:
    """Settings that are not as the preset has them: those somebody changed, and those the environment holds."""
    found = current_preset()
    if found is None:
        return [], []
    preset, variant = found
    changed = preset.changed(resolution.settings, variant)
    held = [name for name in changed if resolution.provenance[name].locked]
    return [name for name in changed if name not in held], held


def _load(values: dict[str, Any]) -> None:
    here = state.desk()
    here.you = {**here.you, **{name: "" if value is None else value for name, value in values.items()}}
    here.link = {name: raw for name, raw in here.link.items() if name not in set(map(url_name, values))}
