"""What-if values, tried in a source without touching the server's environment; they change this page's table only."""

from __future__ import annotations

import streamlit as st

from historylab.settings.model import setting_names
from historylab.settings.names import AGENTDOCK_ENVIRONMENT, environment_name, url_name
from historylab.settings.sources import SOURCES
from historylab.ui.session import choices, session
from historylab.ui.sources.source_table import HEADINGS
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape, one_line

ABOUT = "Try a value in any source. It appears in the table below and changes nothing else."


def what_if() -> None:
    """The form, and the values being tried."""
    with st.container(border=True, key="what-if"):
        st.html(f'<div class="hl-title">What if</div><div class="hl-meta">{ABOUT}</div>')
        setting, source, value, button = st.columns([3, 4, 3, 1], vertical_alignment="bottom")
        names = setting_names()
        chosen = setting.selectbox("Setting", names, key="if-setting", format_func=_label)
        source.selectbox("Source", _source_names(chosen), key="if-source", format_func=_source_name)
        value.text_input("Value", key="if-value", placeholder="any text")
        button.button("Try", key="if-try", on_click=_try, width="stretch")
        _tried_values()


def _source_name(place: tuple[str, str]) -> str:
    return f"{HEADINGS[place[0]]}: {place[1]}"


def _label(name: str) -> str:
    return name if "." in name else title_of(name)


def _source_names(setting: str) -> list[tuple[str, str]]:
    """The sources the setting may come from, each with its name there."""
    names = {
        "environment": [environment_name(setting), *filter(None, [AGENTDOCK_ENVIRONMENT.get(setting)])],
        "you": [setting],
        "url": [url_name(setting)],
        "template": [setting],
    }
    return [(source, name) for source in SOURCES for name in names.get(source, ())]


def _try() -> None:
    source, name = session.widget_value("if-source")
    choices.try_value(source, name, session.widget_value("if-value") or "")


def _tried_values() -> None:
    if not choices.tried_values():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        for source, name in choices.tried_values():
            text = one_line(session.tab().what_if[source][name], 40)
            st.html(
                f'<span class="hl-small">{HEADINGS[source]}: <code>{escape(name)}</code> = {escape(text)}</span>',
                width="content",
            )
        st.button("Remove what-ifs", key="if-clear", type="tertiary", on_click=choices.stop_trying)
