"""The settings of ours nearest to a trimmer: looked for at a click, and compared once they are found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.settings.link import MOST_CONFIGURATIONS
from historylab.settings.model import Settings
from historylab.tuning.compare import changed_values
from historylab.tuning.nearest import Nearest, nearest_settings
from historylab.ui.compare.configurations import Configuration, add_configuration
from historylab.ui.session import choices, drawers, session
from historylab.ui.session.chosen_trimmer import NEAREST
from historylab.ui.session.thread_work import Key, Tell, follow_work, is_followed
from historylab.ui.shared.notice import fold_lines
from historylab.wording.trimmers import nearest_sentence


def nearest_search(compared: list[Configuration], timelines: Sequence[Timeline]) -> None:
    """The search under way, or asked for by a click, with a bar; what it finds is compared with the others then."""
    for each, timeline in zip(compared, timelines, strict=True):
        asked = f"{NEAREST} {each.letter}", *([NEAREST] if each.trimmer else [])
        wanted = any(map(drawers.take_open_request, asked)) or is_followed(_key(timeline))
        if wanted and _find(timeline, each.letter):
            found: Nearest = timeline.derived[NEAREST]
            if found.is_near:
                add_configuration(compared, _changes(found.settings))
            session.redraw_page()


def nearest_answer(configuration: Configuration, compared: list[Configuration], timeline: Timeline) -> None:
    """In a trimmer's lane: the button that looks for the nearest settings; how near they are, once they are known."""
    found: Nearest | None = timeline.derived.get(NEAREST)
    if found:
        st.html(fold_lines(nearest_sentence(found), found.differences))
    key = f"{NEAREST} {configuration.letter}"
    if len(compared) == MOST_CONFIGURATIONS or (found and not found.is_near):
        return
    if found and found.safe != found.settings and not _is_compared(found.safe, compared):
        st.button(
            "Add them with the system prompt",
            key=f"safe {configuration.letter}",
            on_click=add_configuration,
            args=(compared, _changes(found.safe)),
            help="Compares the nearest settings that send every system message",
        )
    if not (found and _is_compared(found.settings, compared)):
        st.button(
            "Nearest settings",
            key=key,
            on_click=drawers.open_drawer,
            args=(key,),
            help="Looks for settings of ours that send the same, and compares them",
        )


def _find(timeline: Timeline, letter: str) -> bool:
    """Look for them in at most half a minute, unless they are known; tell whether they are now."""

    def search(tell: Tell) -> None:
        timeline.remember(NEAREST, lambda: nearest_settings(timeline, progress=tell))

    def words(tried: int, most: int) -> str:
        return f"Looking for settings near {letter}: {tried:,} of at most {most:,} tried"

    return NEAREST in timeline.derived or follow_work(_key(timeline), search, words, lambda: None)


def _key(timeline: Timeline) -> Key:
    return NEAREST, id(timeline)


def _changes(settings: Settings) -> dict[str, object]:
    return changed_values(choices.resolution().settings.values(), settings.values())


def _is_compared(settings: Settings, compared: Sequence[Configuration]) -> bool:
    return any(each.is_ours and each.settings == settings for each in compared)
