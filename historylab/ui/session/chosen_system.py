"""The system on screen: the preset the settings began with, what was changed since, the way back; or none of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.settings.names import url_name
from historylab.settings.resolve import Resolution
from historylab.settings.trimmer_options import trimmer_of_system
from historylab.systems.presets.base import Preset, find_preset
from historylab.ui.session import choices, session
from historylab.ui.session.chosen_trimmer import choose_trimmer


def current_preset() -> tuple[Preset, str] | None:
    """The preset and its variant; None for settings of one's own, or where a strict environment leaves no choice."""
    return None if choices.is_strict() else find_preset(session.tab().system)


def choose_system(name: str | None, options: Mapping[str, Any] | None = None) -> None:
    """Show what was really sent (AS_SENT), a trimmer ("trimmer:NAME"), or settings: a preset's, or one's own ("").

    None does nothing. `options` are the trimmer's.
    """
    state = session.tab()
    if name is None:
        return
    sent, trimmer = name == choices.AS_SENT, trimmer_of_system(name)
    foreign = sent or bool(trimmer)
    if state.system or not (foreign or name == ""):
        choose_preset("" if foreign else name)
    state.as_sent = choices.fingerprint() if sent else ""
    choose_trimmer(trimmer, options)


def choose_preset(name: str | None, variant: str | None = "") -> None:
    """Begin with a preset, in place of what was chosen of what it decides. "" brings that back, None does nothing."""
    found = find_preset(f"{name}:{variant}" if variant else name or "")
    if name is None or (name and not found):  # nothing was chosen, or a variant of the system before
        return
    state, before = session.tab(), current_preset()
    session.leave_fields()
    if before is None:
        state.before_preset = (dict(state.you), dict(state.link))
    you, link = state.before_preset or ({}, {})
    state.you, state.link = dict(you), dict(link)
    state.system, state.system_linked = "", False
    if found:
        preset, variant = found
        state.system = f"{name}:{variant}" if variant else name
        _leave_to(preset, variant)
    else:
        state.before_preset = None
    state.message, state.problem = None, ""
    session.touch()


def restore_preset() -> None:
    """Restore the settings the preset decides, as it was published; all others stay."""
    if found := current_preset():
        _leave_to(*found)
    session.touch()


def preset_changes(resolution: Resolution) -> tuple[list[str], list[str]]:
    """Settings that are not as the preset has them: those changed on screen, and those the environment holds."""
    found = current_preset()
    if found is None:
        return [], []
    preset, variant = found
    changed = preset.changed(resolution.settings, variant)
    held = [name for name in changed if resolution.provenance[name].locked]
    return [name for name in changed if name not in held], held


def _leave_to(preset: Preset, variant: str) -> None:
    """Take back what was chosen, here or by a link, of what the preset decides."""
    state, decided = session.tab(), preset.decides(variant)
    state.you = {name: value for name, value in state.you.items() if name not in decided}
    state.link = {name: raw for name, raw in state.link.items() if name not in set(map(url_name, decided))}
