"""The settings: as a sentence, then what matters most, a row each; all others behind a search and in three groups.

In a group stands what has an effect under the other settings, in the order it acts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import streamlit as st

from historylab.registry import members
from historylab.settings.consent import refused_for_consent, settings_that_ask
from historylab.settings.effect import has_effect
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names, stage_options
from historylab.settings.pin import PIN_OPTIONS
from historylab.settings.resolve import Resolution
from historylab.systems.presets.base import Preset
from historylab.ui.session import choices, chosen_system, opening, session
from historylab.ui.session.chosen_trimmer import current_trimmer
from historylab.ui.settings.consent_field import consent_field
from historylab.ui.settings.main_fields import main_fields
from historylab.ui.settings.sentence import sentence
from historylab.ui.settings.setting_field import setting_field
from historylab.ui.settings.setting_search import setting_search
from historylab.ui.settings.system_choice import back_to_system, sentence_lead, system_choice
from historylab.ui.settings.template_field import template_field
from historylab.ui.settings.trimmer_fields import trimmer_fields
from historylab.wording.settings import GROUPS, MAIN

INSTEAD = "Instead of it: settings of HistoryLab"
WITH_SUMMARIZER = "Shortening"
WITH_TEMPLATE = "Model"


def settings_sidebar(resolution: Resolution, *, as_sent: bool = False, trimmers: bool = False) -> Any:
    """Draw every setting that has an effect under the others. Returns the place for the system's line.

    `as_sent`: the page can show what was really sent instead; `trimmers`: or what a trimmer that isn't ours would send.
    """
    found = chosen_system.current_preset()
    preset = found[0] if found else None
    with st.sidebar, st.container(key="settings", gap="xsmall"):
        if trimmers and current_trimmer():
            system_choice(resolution, as_sent=as_sent, trimmers=trimmers)
            place = trimmer_fields(opening.conversation())
            st.html(f'<div class="hl-meta">{INSTEAD}</div>')
            sentence(resolution)
        else:
            sentence(resolution, sentence_lead(resolution, as_sent=as_sent), _members_of(preset))
            place = system_choice(resolution, as_sent=as_sent, trimmers=trimmers)
        main_fields(resolution, preset)
        drawn = set(MAIN)
        if preset:
            place = _own_fields(resolution, preset)
            drawn |= {field.setting for field in preset.fields}
        setting_search(resolution)
        for group in GROUPS:
            _group(resolution, group, drawn)
        _ways_back(resolution)
    return place


def _members_of(preset: Preset | None) -> dict[str, Any]:
    """The members that the system has, where it names them."""
    return {field.setting: field.choices for field in preset.fields if field.choices} if preset else {}


def _own_fields(resolution: Resolution, preset: Preset) -> Any:
    """Draw what else the system has, under its own names, and the place for the line that says what it does."""
    unfolded = st.expander(preset.title, expanded=True, key="system fields", on_change=session.touch, type="compact")
    if not unfolded.open:  # every element costs the browser time at each change, so folded ones aren't drawn
        return None
    with unfolded:
        place = st.empty()
        for field in preset.fields:
            if field.setting not in MAIN and has_effect(resolution.settings, field.setting):
                setting_field(resolution, field.setting, field)
    return place


def _group(resolution: Resolution, title: str, drawn: Collection[str]) -> None:
    asks = title == WITH_SUMMARIZER and _asks_a_model(resolution)
    unfolded = st.expander(title, expanded=asks, key=f"group {title}", on_change=session.touch, type="compact")
    if not unfolded.open:
        return
    with unfolded:
        known, names = stage_options(), list(_in_group(resolution.settings, title, drawn))
        fine = [name for name in names if name in known and known[name].fine]
        _fields(resolution, [name for name in names if name not in fine])
        if fine:
            _advanced_fold(resolution, title, fine)
        if title == WITH_TEMPLATE:
            template_field(locked=resolution.strict)


def _asks_a_model(resolution: Resolution) -> bool:
    asks = "summarizer" in settings_that_ask(resolution.settings)
    return asks or bool(refused_for_consent(resolution, "summarizer"))


def _advanced_fold(resolution: Resolution, group: str, names: list[str]) -> None:
    """Draw what is rarely changed, folded away until it is."""
    known = stage_options()
    changed = sum(resolution.settings.value(name) != known[name].default for name in names)
    title = f"Advanced, {changed} changed" if changed else "Advanced"
    folded = st.expander(
        title, expanded=bool(changed), key=f"advanced {group}", on_change=session.touch, type="compact"
    )
    if folded.open:
        with folded:
            _fields(resolution, names)


def _fields(resolution: Resolution, names: Iterable[str]) -> None:
    for name in names:
        setting_field(resolution, name)
        if name == "summarizer":
            consent_field(resolution)


def _in_group(settings: Settings, title: str, drawn: Collection[str]) -> Iterator[str]:
    """The settings of that group that have an effect and aren't drawn yet, an option after its family."""
    for field in GROUPS[title]:
        choosable = field not in FIELDS_THAT_CHOOSE or len(members(field)) > 1
        for name in (*([field] if choosable else []), *_options_of(settings, field)):
            if name not in drawn and has_effect(settings, name):
                yield name


def _options_of(settings: Settings, family: str) -> list[str]:
    if family == "pin":
        return list(PIN_OPTIONS)
    if family not in FIELDS_THAT_CHOOSE:
        return []
    prefixes = tuple(f"{family}.{member}." for member in settings.value(family).split("+"))
    return [name for name in setting_names() if name.startswith(prefixes)]


def _ways_back(resolution: Resolution) -> None:
    chosen = any(origin.source in ("you", "url") for origin in resolution.provenance.values())
    with st.container(horizontal=True, key="ways back"):
        back_to_system(resolution)
        if chosen or session.tab().system or session.tab().trimmer:
            st.button(
                "Reset",
                key="defaults",
                type="tertiary",
                on_click=choices.reset_choices,
                help="Clears what you and the URL chose, including the system. The environment and a template stay.",
            )
