"""The difference map: which messages only one of two configurations sends, request by request, with the scrubber."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.figures.difference_fates import Difference
from historylab.figures.difference_map import difference_looks
from historylab.figures.retention_map import view
from historylab.planning.replay import Timeline
from historylab.tuning.compare import LETTERS
from historylab.ui.compare.configurations import Configuration
from historylab.ui.session import cached, session, viewing
from historylab.ui.session.must_remember import starred
from historylab.ui.shared.history_map import history_map, map_look
from historylab.ui.shared.timeline_data import TimelineData
from historylab.wording.palette import Look

KEY = "difference map"
AGAINST = "against"


def difference_map(compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int) -> None:
    """Draw where A and another differ, with request `number` (from 0) and the selected message marked."""
    letter = _letter(compared)
    base, other = timelines[0], timelines[LETTERS.index(letter)]
    _legend(letter)
    packed, key = cached.packed_difference(base, other, letter)
    message = session.tab().message
    known = message is not None and message < base.plans[number].size
    data = TimelineData(cached.packed_conversation(base), packed, key)
    history_map(KEY, data, view(key, number, message if known else None, starred(base)), lambda: _look(base))


def _letter(compared: Sequence[Configuration]) -> str:
    """The one drawn against A; a choice if there are several."""
    letters = [configuration.letter for configuration in compared[1:]]
    chosen = session.tab().against
    if chosen not in letters:
        viewing.compare_against(chosen := letters[0])
    if len(letters) > 1:
        st.segmented_control(
            "A against",
            letters,
            default=chosen,
            required=True,
            key=session.seed_widget(AGAINST, chosen),
            on_change=lambda: viewing.compare_against(session.widget_value(AGAINST)),
        )
    return chosen


def _legend(letter: str) -> None:
    """The legend of colours and textures, the largest difference first."""
    colours = {Difference.ONLY_A: "only-A", Difference.ONLY_B: f"only-{letter}"}
    looks = sorted(difference_looks(letter).items(), reverse=True)
    chips = "".join(_chip(look, colours.get(difference, difference.name.lower())) for difference, look in looks)
    st.html(f'<div class="hl-title">Who sends which message</div><div class="hl-chips">{chips}</div>')


def _chip(look: Look, name: str) -> str:
    return f'<span title="{look.meaning}">{look.mark(name)}{look.word}</span>'


def _look(base: Timeline) -> None:
    request, message = map_look(KEY, base)
    if request is not None:
        viewing.select_request(request)
        if message is not None:
            viewing.select_message(message)
