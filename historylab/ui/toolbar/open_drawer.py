"""The drawer that opens a conversation: files, a session of this machine, pasted text, a sample, a generated one.

From it one also comes to the conversations that are only being made: a chat, and what an app sends now.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.formats.samples import samples
from historylab.registry import members
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import cached, drawers, machine_sessions, opening, session
from historylab.ui.session.tab import GivenFile, ToOpen
from historylab.ui.shared.page import link_to_page
from historylab.ui.toolbar.found_sessions import found_sessions
from historylab.ui.toolbar.refused_files import refused_files
from historylab.ui.toolbar.upload import MEMORY, upload
from historylab.wording.loading import size_in_words
from historylab.wording.untrusted import escape


def open_button() -> None:
    """The button that opens the drawer."""
    st.button(
        "Open",
        key="open-drawer",
        on_click=drawers.open_drawer,
        args=(opening.KEY,),
    )
    if drawers.take_open_request(opening.KEY):
        _drawer()


@st.dialog("Open a conversation", position="right", width="medium")
def _drawer() -> None:
    drawers.stands(opening.KEY)
    if session.tab().opened is None:  # a sample's link was followed
        session.redraw_page()
    with _read_asked() if session.tab().to_open else st.container():
        refused_files()
        _ways()


def _read_asked() -> DeltaGenerator:
    """Open what was asked for, then draw the page anew; returns where to draw the drawer if nothing was opened.

    The fields are gone meanwhile: a file given to them now would be lost with them when the page is drawn.
    """
    place = st.empty()
    with place.container():
        if opening.read_asked():
            st.rerun()
    return place.container()


def _ways() -> None:
    ways = {"Upload": upload, "This machine": _machine, "Paste": _paste, "Sample": _sample, "Generate": _generate}
    if not on_this_machine():
        del ways["This machine"]
    way = st.segmented_control(
        "From",
        list(ways),
        default="Upload",
        required=True,
        key="way",
        label_visibility="collapsed",
        on_change=opening.keep_drawer_open,
    )
    ways[way or "Upload"]()
    with st.container(horizontal=True, key="other-sources"):
        link_to_page("talk", "Talk to a model")
        link_to_page("live", "Watch a live app")


def _machine() -> None:
    found_sessions("drawer", opening.keep_drawer_open)
    st.text_input(
        "A file or folder on this machine, read where it is, of any size",
        key="path",
        placeholder="~/.claude/projects",
        on_change=_open_path,
    )


def _open_path() -> None:
    machine_sessions.open_path(session.widget_value("path") or "")
    opening.keep_drawer_open()


def _sample() -> None:
    with st.container(gap=None, key="samples"):
        for sample in samples().values():
            loaded = cached.sample(sample.name)
            size = f"{len(loaded):,} conversations, the first with " if len(loaded) > 1 else ""
            about = f"{loaded.report.format} · {size}{size_in_words(loaded[0])}"
            st.button(
                sample.title,
                key=f"sample {sample.name}",
                type="tertiary",
                on_click=_ask_for_sample,
                args=(sample.name,),
            )
            st.html(f'<div class="hl-meta">{escape(sample.description)}<br>{escape(about)}</div>')


def _ask_for_sample(name: str) -> None:
    opening.ask_for_sample(name)
    if session.tab().to_open:
        opening.keep_drawer_open()


def _paste() -> None:
    st.text_area(
        "JSON, JSON lines, or a chat as text",
        key="pasted",
        height=240,
        placeholder='[{"role": "user", "content": "…"}]',
        on_change=opening.keep_drawer_open,
    )
    st.button("Open what I pasted", key="open-pasted", type="primary", on_click=_open_pasted)
    st.caption(MEMORY)


def _open_pasted() -> None:
    text = session.widget_value("pasted") or ""
    opening.note_to_open(ToOpen((GivenFile("", text.encode("utf-8", "replace")),)))
    opening.keep_drawer_open()


def _generate() -> None:
    known = members("generator")
    chosen = st.selectbox(
        "Kind",
        list(known),
        format_func=lambda n: known[n].attributes.get("title", n),
        key="generator",
        on_change=opening.keep_drawer_open,
    )
    st.caption(known[chosen].summary)
    for option in known[chosen].options:
        schema = option.schema
        st.number_input(
            schema.get("title", option.name),
            schema.get("minimum"),
            schema.get("maximum"),
            option.default,
            key=f"{chosen}.{option.name}",
            help=option.help or None,
            on_change=opening.keep_drawer_open,
        )
    st.button("Generate", key="generate", type="primary", on_click=_open_generated, args=(chosen,))


def _open_generated(name: str) -> None:
    given = {o.name: session.widget_value(f"{name}.{o.name}") for o in members("generator")[name].options}
    opening.ask_for_generated(name, {option: value for option, value in given.items() if value is not None})
    opening.keep_drawer_open()
