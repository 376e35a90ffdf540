"""Thresholds on screen: where each type of agent should compact, by a file without text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.tuning.threshold_words import (
    BY_TOKENS,
    COLUMNS,
    TRIED,
    threshold_notes,
    threshold_row,
    thresholds_headline,
    tried_rows,
)
from historylab.tuning.thresholds import Threshold, find_thresholds
from historylab.ui.session import cached
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import escape

UNFOLDED = 10
"""Types of agent of which what was tried is listed."""


def thresholds_view(conversations: Sequence[Conversation]) -> None:
    """A row per type of agent, what the rows rest on, and what other thresholds would cost."""
    work = cached.background_work("thresholds", " ".join(conversation.digest for conversation in conversations))
    if not work.done:
        with st.spinner("Trying thresholds"), work.lock:
            work.result, work.done = work.result or find_thresholds(conversations), True
    found: tuple[Threshold, ...] = work.result
    st.html(f'<h1 class="hl-verdict">{escape(thresholds_headline(found))}</h1>')
    st.html(f'<div class="hl-meta">{escape(BY_TOKENS)}</div>{_table(COLUMNS, map(threshold_row, found))}')
    st.html("".join(f'<div class="hl-meta">{escape(note)}</div>' for note in threshold_notes(found)))
    if tried := [each for each in found if each.tried][:UNFOLDED]:
        with st.expander("What other thresholds would cost", type="compact"):
            for each in tried:
                st.html(f'<div class="hl-title">{escape(each.agent)}</div>{_table(TRIED, tried_rows(each))}')


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first, *others = map(capitalize_first, columns)
    head = f"<th>{escape(first)}</th>" + "".join(f'<th class="hl-number">{escape(each)}</th>' for each in others)
    body = "".join(_row(columns, row) for row in rows)
    return f'<div class="hl-table hl-cards"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _row(columns: Sequence[str], row: Sequence[str]) -> str:
    (_, first), *others = zip(columns, row, strict=True)
    cells = (f'<td class="hl-number" data-label="{escape(name)}">{escape(cell)}</td>' for name, cell in others)
    return f"<tr><td>{escape(first)}</td>{''.join(cells)}</tr>"
