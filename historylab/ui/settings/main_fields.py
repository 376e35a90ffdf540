"""The fields that always stand open, a row each: label, with help and source on hover and focus, and the control."""

from __future__ import annotations

import streamlit as st

from historylab.registry import chosen_members
from historylab.settings.effect import has_effect
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.resolve import Provenance, Resolution
from historylab.systems.presets.base import Preset, PresetField
from historylab.ui.settings.setting_field import locked_value, mark_attributes, setting_widget, source_shown
from historylab.wording.settings import MAIN, help_of, locked_by, title_of
from historylab.wording.sources import SETS
from historylab.wording.untrusted import escape

LABEL = 68  # pixels


def main_fields(resolution: Resolution, preset: Preset | None) -> None:
    """Policy, length under last N, pruner and budget."""
    own = {field.setting: field for field in preset.fields} if preset else {}
    for name in MAIN:
        if has_effect(resolution.settings, name):
            _row(resolution.provenance[name], preset, own.get(name))


def _row(origin: Provenance, preset: Preset | None, field: PresetField | None) -> None:
    name = origin.setting
    with field_row(name):
        said = row_label(title_of(name), _about(origin, preset, field), "" if origin.locked else source_shown(origin))
        st.html(f"<div {mark_attributes(origin)}>{said}</div>", width=LABEL)
        if origin.locked:
            st.html(f'{locked_value(origin)}<div class="hl-by">{locked_by(origin)}</div>')
        else:
            setting_widget(name, origin.value, field=field, bare=True)


def field_row(name: str) -> st.delta_generator.DeltaGenerator:
    """The place of a label and what stands right of it."""
    return st.container(horizontal=True, vertical_alignment="center", gap=None, key=f"row {name}")


def row_label(title: str, told: str, word: str = "") -> str:
    """A row's label as HTML, which tells more on hover, focus and touch; under it the source's word."""
    below = f"<small>{escape(word)}</small>" if word else ""
    return f'<dfn class="hl-term hl-label" tabindex="0" aria-description="{escape(told)}">{escape(title)}</dfn>{below}'


def _about(origin: Provenance, preset: Preset | None, field: PresetField | None) -> str:
    """Explain what the setting does, what its value does, what the system calls it, and where the value came from."""
    name = origin.setting
    said = [help_of(name)]
    if name in FIELDS_THAT_CHOOSE:
        said += [member.summary for member in chosen_members(name, origin.value)]
    if preset and field:
        published = f" ({field.published})" if field.published else ""
        said.append(f"{preset.title} calls it {field.label}{published}. {field.help}".strip())
    return " ".join([*said, f"{SETS[origin.source]}."])
