"""The figures side by side: each configuration's, and the difference from the first."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.tuning.compare import Figures
from historylab.ui.compare.configurations import Configuration
from historylab.wording.comparison import FigureCell, FigureRow, compare_in_rows, counting_note
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape


def difference_table(
    compared: Sequence[Configuration], timelines: Sequence[Timeline], figures: Sequence[Figures]
) -> None:
    """A row per figure that isn't empty for all of them, a column per configuration."""
    letters = [each.letter for each in compared]
    head = "".join(f'<th scope="col"><b class="hl-letter hl-letter-{letter}">{letter}</b></th>' for letter in letters)
    body = "".join(_row(row, cells, letters) for row, cells in compare_in_rows(figures))
    note = counting_note(letters, timelines)
    st.html(
        '<div class="hl-table hl-compare"><table role="table"><thead><tr><th scope="col">Over the whole conversation'
        f'</th>{head}</tr></thead><tbody>{body}</tbody></table></div><div class="hl-meta">{escape(note)}</div>'
    )


def _row(row: FigureRow, cells: Sequence[FigureCell], letters: Sequence[str]) -> str:
    about = f' <span class="hl-meta">{escape(row.about)}</span>' if row.about else ""
    title = with_terms(row.title, "tokens", "request", "budget", "fact", "cache")
    shown = "".join(map(_cell, cells, letters))
    return f'<tr role="row"><th scope="row" role="rowheader" class="hl-tips">{title}{about}</th>{shown}</tr>'


def _cell(cell: FigureCell, letter: str) -> str:
    """A value, and how it differs from the first, with a word for whether that is better; its letter on a phone."""
    word = f' <span class="hl-{cell.verdict}">{cell.verdict}</span>' if cell.verdict else ""
    same = " hl-alike" if cell.delta == "same" else ""
    delta = f'<span class="hl-delta{same}">{escape(cell.delta)}{word}</span>' if cell.delta or word else ""
    mark = f'<b class="hl-letter hl-letter-{letter}" aria-hidden="true">{letter}</b>'
    return f'<td role="cell">{mark}<span class="hl-value">{escape(cell.shown)}</span> {delta}</td>'
