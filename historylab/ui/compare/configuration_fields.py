"""The settings of one configuration, to be changed in place: of yours those compared, of any other those it changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from historylab.settings.model import setting_names
from historylab.settings.trimmer_options import OPTION
from historylab.tuning.compare import changed_values
from historylab.ui.compare.configurations import Configuration, change_configuration
from historylab.ui.session import choices, opening, session
from historylab.ui.session.chosen_trimmer import take_option
from historylab.ui.settings.setting_field import setting_widget
from historylab.ui.settings.trimmer_fields import option_fields
from historylab.wording.settings import full_title, locked_by, title_of, value_in_words
from historylab.wording.untrusted import escape, one_line

ADD_CHANGE = "Change another setting"


def all_fields(compared: Sequence[Configuration]) -> None:
    """The fields of all of them, where one can't be replayed."""
    for each in compared:
        st.html(f'<div class="hl-lane">{letter_mark(each.letter)}</div>')
        configuration_fields(each, compared)


def letter_mark(letter: str) -> str:
    """A letter in its colour."""
    return f'<b class="hl-letter hl-letter-{letter}">{letter}</b>'


def configuration_fields(configuration: Configuration, compared: Sequence[Configuration]) -> None:
    """The fields of one of those compared."""
    letter, changes = configuration.letter, configuration.changes
    with st.container(gap="small", key=f"fields-{letter}"):
        if configuration.trimmer:
            _trimmer_fields(configuration, compared)
            return
        for name in changes if changes is not None else _compared_settings(compared):
            _field(configuration, name, compared)
        if changes is not None:
            _add_change(configuration, changes, compared)
        else:
            st.html('<div class="hl-meta">These are your settings: Inspect shows all of them.</div>')


def _trimmer_fields(configuration: Configuration, compared: Sequence[Configuration]) -> None:
    """The options of a trimmer, by the library's names."""

    def choose(name: str, value: Any) -> None:
        given = take_option(configuration.trimmer, name, value)
        added = {f"{OPTION}{option}": taken for option, taken in given.items()}
        change_configuration(compared, configuration.letter, {**(configuration.changes or {}), **added})

    lane = configuration.lane(opening.conversation())
    option_fields(lane, f"{configuration.letter} {configuration.trimmer}", choose)


def _compared_settings(compared: Sequence[Configuration]) -> list[str]:
    """The settings that any of them changes, or that differ, in the order of settings."""
    yours = choices.resolution().settings.values()
    ours = [each for each in compared if each.is_ours]
    differing = [{*(each.changes or ()), *changed_values(yours, each.settings.values())} for each in ours]
    return [name for name in yours if any(name in names for names in differing)]


def _field(configuration: Configuration, name: str, compared: Sequence[Configuration]) -> None:
    """One setting: its widget, and of a change a button to undo it."""
    letter, origin, changes = configuration.letter, configuration.resolution.provenance[name], configuration.changes
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False):
        if origin.locked:
            lock = f"🔒\ufe0e {escape(value_in_words(name, origin.value))}, {locked_by(origin)}"
            st.html(f'<div class="hl-field">{escape(title_of(name))}</div><div class="hl-meta">{lock}</div>')
        else:
            with st.container():
                choose = choices.choose_setting if changes is None else partial(_change, configuration, compared)
                setting_widget(name, origin.value, key=f"{letter} {name}", choose=choose)
        if changes is not None:
            less = {kept: value for kept, value in changes.items() if kept != name}
            st.button(
                "×",
                key=f"undo {letter} {name}",
                on_click=change_configuration,
                args=(list(compared), letter, less),
                help=f"{full_title(name)} as you have it",
            )


def _change(configuration: Configuration, compared: Sequence[Configuration], name: str, value: Any) -> None:
    change_configuration(compared, configuration.letter, {**(configuration.changes or {}), name: value})


def not_taken(configuration: Configuration) -> str:
    """As HTML what of its changes has no effect, and why: the environment decides, or a model must be agreed to."""
    if configuration.trimmer:
        return ""
    provenance = configuration.resolution.provenance
    lines = [
        f"{escape(title_of(name))}: {locked_by(provenance[name])}"
        for name, value in (configuration.changes or {}).items()
        if provenance[name].locked and provenance[name].value != value
    ]
    lines += [
        escape(f"{title_of(name)} {one_line(str(candidate.raw), 40)} was refused: {candidate.why}")
        for name in configuration.changes or ()
        for candidate in provenance[name].refused
        if candidate.source == "you"
    ]
    return "".join(f'<div class="hl-refused">{line}</div>' for line in lines)


def _add_change(configuration: Configuration, changes: Any, compared: Sequence[Configuration]) -> None:
    letter, provenance = configuration.letter, configuration.resolution.provenance
    free = [name for name in setting_names() if name not in changes and not provenance[name].locked]
    key = f"another {letter} {len(changes)}"
    st.selectbox(
        ADD_CHANGE,
        free,
        index=None,
        format_func=full_title,
        key=key,
        placeholder=ADD_CHANGE,
        label_visibility="collapsed",
        on_change=_start_change,
        args=(key, configuration, list(compared)),
    )


def _start_change(key: str, configuration: Configuration, compared: Sequence[Configuration]) -> None:
    if name := session.widget_value(key):
        _change(configuration, compared, name, configuration.settings.value(name))
