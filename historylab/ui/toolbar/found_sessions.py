"""Sessions of coding agents on this machine, listed when asked for and opened by their place in the list."""

from __future__ import annotations

import streamlit as st

from historylab.formats.sessions import Session
from historylab.ui.session import machine_sessions, opening, session
from historylab.wording.loading import home_as_tilde, session_in_words
from historylab.wording.untrusted import escape, one_line

SHOWN = 30
EVERY_PROJECT = "All projects"


def found_sessions() -> None:
    """A button to look for them; then the newest of a project, each with a button that opens it."""
    listed = session.tab().sessions
    if listed is None:
        st.button("Find sessions of Claude Code, Codex and Gemini CLI on this machine", key="seek", on_click=_find)
        st.html('<div class="hl-meta">They are read where those tools keep them, and only when you ask.</div>')
        return
    if not listed:
        st.html('<div class="hl-small">No session of Claude Code, Codex or Gemini CLI was found on this machine.</div>')
        st.button("Look again", key="seek", on_click=_find)
        return
    shown = _of_project(listed)
    for place, found in shown[:SHOWN]:
        _session(place, found)
    if len(shown) > SHOWN:
        st.html(f'<div class="hl-meta">The newest {SHOWN} of {len(shown):,}. Choose a project to see older ones.</div>')


def _of_project(listed: tuple[Session, ...]) -> list[tuple[int, Session]]:
    """The sessions of the project chosen, with their places in the list."""
    projects = dict.fromkeys(found.project for found in listed)
    chosen = st.selectbox(
        "Project",
        [EVERY_PROJECT, *projects],
        format_func=lambda project: one_line(home_as_tilde(project), 80),
        key="project",
        on_change=opening.keep_drawer_open,
    )
    return [(i, found) for i, found in enumerate(listed) if chosen in (EVERY_PROJECT, found.project)]


def _session(place: int, found: Session) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"session {place}"):
        st.html(
            f'<div class="hl-small">{escape(one_line(found.opening, 80) or "(no question)")}</div>'
            f'<div class="hl-meta">{escape(session_in_words(found))}</div>'
        )
        st.button("Open", key=f"open session {place}", on_click=_open, args=(place,))


def _find() -> None:
    machine_sessions.find_on_machine()
    opening.keep_drawer_open()


def _open(place: int) -> None:
    machine_sessions.open_session(place)
    opening.keep_drawer_open()
