"""The configurations side by side: the changes of each, editable in place; what they share is folded away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.settings.link import MOST_CONFIGURATIONS
from historylab.settings.model import setting_names
from historylab.tuning.compare import SENT, changed_values
from historylab.ui.compare import configurations
from historylab.ui.compare.configurations import Configuration
from historylab.ui.session import session
from historylab.ui.settings.setting_field import setting_widget
from historylab.wording.as_sent import AS_RECORDED, as_sent_line
from historylab.wording.settings import full_title, locked_by, title_of, value_in_words
from historylab.wording.untrusted import escape, one_line

ADD_CHANGE = "Change another setting"


def configuration_cards(compared: list[Configuration], timelines: Sequence[Timeline] = ()) -> None:
    """A card for each; what was really sent has one that says who decided it."""
    ours = [configuration for configuration in compared if configuration.letter != SENT]
    names = configurations.compared_settings(ours)
    columns = st.columns(len(compared), gap="small")
    for column, configuration, timeline in zip_longest(columns, compared, timelines):
        with column.container(border=True, key=f"card {configuration.letter}", height="stretch"):
            if configuration.letter == SENT:
                st.html(letter_heading(SENT, AS_RECORDED))
                st.html(f'<div class="hl-small">{escape(as_sent_line(timeline))}</div>')
            elif configuration is ours[0]:
                _baseline(ours, names)
            else:
                _draw_other(ours.index(configuration) - 1, configuration, ours, names)


def letter_heading(letter: str, words: str) -> str:
    """A letter in its colour, and what it stands for."""
    return f'<div class="hl-title"><b class="hl-letter hl-letter-{letter}">{letter}</b> {escape(words)}</div>'


def _baseline(compared: list[Configuration], names: list[str]) -> None:
    base, full = compared[0], len(compared) > MOST_CONFIGURATIONS
    st.html(letter_heading("A", "The playground’s settings"))
    for name in names:
        value = escape(value_in_words(name, base.settings.value(name)))
        st.html(_line(name, f'<span class="hl-value">{value}</span>'))
    st.button(
        "Add a configuration",
        key="add",
        on_click=configurations.add_configuration,
        disabled=full,
        help=f"At most {1 + MOST_CONFIGURATIONS} are compared" if full else "One more, which begins as a copy of A",
    )


def _line(name: str, value: str) -> str:
    """A setting's title and, beside it, its value as HTML."""
    return f'<div class="hl-line"><span class="hl-field">{escape(full_title(name))}</span> {value}</div>'


def _draw_other(which: int, configuration: Configuration, compared: list[Configuration], names: list[str]) -> None:
    """A card with its own changes as widgets, and as text what only others change."""
    letter = configuration.letter
    different = changed_values(compared[0].settings.values(), configuration.settings.values())
    words = f"{len(different)} setting{'s' * (len(different) > 1)} changed" if different else "The same as A"
    st.html(letter_heading(letter, words))
    for name in names:
        if name in configuration.changes:
            _draw_change(which, configuration, name, differs=name in different)
        else:
            value = escape(value_in_words(name, configuration.settings.value(name)))
            line = _line(name, f'<span class="hl-same">{value}, as in A</span>')
            st.html(f'<div class="hl-as-a">{line}</div>')
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _add_change(which, configuration)
        st.button(
            "Use this one",
            key=f"use {letter}",
            on_click=_use,
            args=(which, letter),
            help="Makes it A, the playground’s settings. A’s settings move here.",
        )
        st.button(
            "Copy",
            key=f"copy {letter}",
            on_click=configurations.add_configuration,
            args=(which,),
            disabled=len(compared) > MOST_CONFIGURATIONS,
            type="tertiary",
        )
        st.button(
            "Remove",
            key=f"remove {letter}",
            on_click=configurations.remove_configuration,
            args=(which,),
            disabled=len(compared) == 2,
            type="tertiary",
        )


def _draw_change(which: int, configuration: Configuration, name: str, *, differs: bool) -> None:
    """One change: its widget, marked if it makes a difference, and a button to undo it."""
    letter, origin = configuration.letter, configuration.resolution.provenance[name]
    mark = "hl-differs" if differs else "hl-alike"
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", wrap=False, key=f"{mark}-{letter}-{name}"
    ):
        if origin.locked:
            lock = f"🔒\ufe0e {escape(value_in_words(name, origin.value))}, {locked_by(origin)}"
            st.html(f'<div class="hl-field">{escape(title_of(name))}</div><div class="hl-same">{lock}</div>')
        else:
            with st.container():
                setting_widget(
                    name, origin.value, key=f"{letter} {name}", choose=partial(configurations.change_setting, which)
                )
                _draw_refusal(configuration, name)
        about = f"Go back to A’s value in {letter}"
        st.button(
            "×", key=f"undo {letter} {name}", on_click=configurations.reset_setting, args=(which, name), help=about
        )


def _draw_refusal(configuration: Configuration, name: str) -> None:
    """Why a value chosen here was refused: model calls, for one, need consent in the playground first."""
    for candidate in configuration.resolution.provenance[name].refused:
        if candidate.source == "you":
            problem = f"{one_line(str(candidate.raw), 40)} was refused: {candidate.why}"
            st.html(f'<div class="hl-refused">{escape(problem)}</div>')


def _add_change(which: int, configuration: Configuration) -> None:
    letter, provenance = configuration.letter, configuration.resolution.provenance
    free = [n for n in setting_names() if n not in configuration.changes and not provenance[n].locked]
    key = f"another {letter} {len(configuration.changes)}"
    st.selectbox(
        ADD_CHANGE,
        free,
        index=None,
        format_func=full_title,
        key=key,
        placeholder=ADD_CHANGE,
        label_visibility="collapsed",
        width="stretch",
        on_change=_start_change,
        args=(which, key, configuration),
    )


def _start_change(which: int, key: str, configuration: Configuration) -> None:
    name = session.widget_value(key)
    if name:
        configurations.change_setting(which, name, configuration.settings.value(name))


def _use(which: int, letter: str) -> None:
    configurations.use_configuration(which)
    session.announce(f"{letter} is now A: the playground’s settings. What was A is now {letter}.")


def shared_settings(compared: list[Configuration]) -> None:
    """The settings all share; those that aren't at their default at a glance."""
    base, names, count = compared[0], configurations.compared_settings(compared), len(compared)
    alike = [n for n in setting_names() if n not in names]
    decided = [n for n in alike if base.resolution.provenance[n].source != "default"]
    shown = ", ".join(f"{full_title(n)} {value_in_words(n, base.settings.value(n))}" for n in decided)
    with st.expander(f"{len(alike)} settings are the same in {'both' if count == 2 else f'all {count}'}"):
        st.html(f'<div class="hl-small">{escape(shown or "All of them at their defaults")}.</div>')
        rest = "".join(
            f"<tr><td>{escape(full_title(n))}</td><td>{escape(value_in_words(n, base.settings.value(n)))}</td></tr>"
            for n in alike
        )
        st.html(f'<div class="hl-table"><table><tbody>{rest}</tbody></table></div>')
