"""The messages that a request sends differently, with the decision of each configuration; a click explains one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.tuning.compare import differing_messages
from historylab.ui.compare.configurations import Configuration
from historylab.ui.session import session, viewing
from historylab.ui.shared.theme import is_dark
from historylab.wording.message_text import preview, speaker
from historylab.wording.palette import LOOKS

MOST_ROWS = 500


def differing_list(compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int) -> None:
    """The list for request `number` (from 0) of configurations whose messages match."""
    rows = differing_messages(timelines, number)
    if not len(rows):
        st.html('<p class="hl-meta">The same messages are sent with this request.</p>')
        return
    chosen = rows[-MOST_ROWS:]
    more = f", the newest {MOST_ROWS:,} of them below" if len(rows) > len(chosen) else ""
    differ = "1 message is" if len(rows) == 1 else f"{len(rows):,} messages are"
    st.html(f'<div class="hl-title">{differ} sent differently with this request{more}</div>')
    key = f"differing {number} {len(compared)}"
    st.dataframe(
        _columns(compared, timelines, number, chosen),
        key=key,
        height=38 + 35 * min(len(chosen), 12),
        hide_index=True,
        selection_mode="single-cell",
        on_select=lambda: _choose(key, chosen),
        alt=f"{count_of(len(chosen), 'message')} with the decision of each configuration; a click says why",
        column_config=_config(compared),
    )


def _choose(key: str, chosen: np.ndarray) -> None:
    cells = session.widget_value(key)["selection"]["cells"]
    if cells:
        viewing.select_message(int(chosen[cells[0][0]]))


def _config(compared: Sequence[Configuration]) -> Mapping[str, Any]:
    badges = st.column_config.MultiselectColumn(
        options=[look.badge for look in LOOKS.values()],
        color=[look.colour(is_dark()) for look in LOOKS.values()],
        width=116,
    )
    return {
        "#": st.column_config.NumberColumn(width=48),
        "role": st.column_config.TextColumn(width=84),
        "tokens": st.column_config.NumberColumn(format="localized", width=70),
        "text": st.column_config.TextColumn(width="large"),
        **{c.letter: badges for c in compared},
    }


def _columns(
    compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int, chosen: np.ndarray
) -> dict[str, list[Any]]:
    messages = [timelines[0].conversation[i] for i in chosen.tolist()]
    decisions = {
        c.letter: [[LOOKS[Action(a)].badge] for a in t.plans[number].actions[chosen].tolist()]
        for c, t in zip(compared, timelines, strict=True)
    }
    return {
        "#": (chosen + 1).tolist(),
        "role": [speaker(m, 40) for m in messages],
        **decisions,
        "tokens": timelines[0].plans[number].history.tokens[chosen].tolist(),
        "text": [preview(m) for m in messages],
    }
