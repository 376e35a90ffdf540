"""The figures side by side: each configuration's, and the difference from A."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.compare import configurations
from historylab.ui.compare.configurations import Configuration
from historylab.wording.comparison import FigureCell, FigureRow, compare_in_rows, counting_note
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape


def difference_table(compared: Sequence[Configuration], timelines: Sequence[Timeline]) -> None:
    """A row per figure that isn't empty for all of them, a column per configuration, how they differ beside each."""
    rows = compare_in_rows(configurations.compared_figures(timelines))
    head = "".join(
        f'<th class="hl-number"><b class="hl-letter hl-letter-{c.letter}">{c.letter}</b></th>'
        f"{f'<th>beside {compared[0].letter}</th>' if c is not compared[0] else ''}"
        for c in compared
    )
    body = "".join(_row(row, cells) for row, cells in rows)
    note = counting_note([c.letter for c in compared], timelines)
    st.html(
        f'<div class="hl-table hl-compare"><table><thead><tr><th>Over the whole conversation</th>{head}</tr></thead>'
        f'<tbody>{body}</tbody></table></div><div class="hl-meta">{escape(note)}</div>'
    )


def _row(row: FigureRow, cells: Sequence[FigureCell]) -> str:
    about = f' <span class="hl-meta">{escape(row.about)}</span>' if row.about else ""
    title = with_terms(row.title, "tokens", "request", "budget", "fact", "cache")
    first, *others = cells
    return f'<tr><th class="hl-tips">{title}{about}</th>{_number(first)}{"".join(map(_beside, others))}</tr>'


def _number(cell: FigureCell) -> str:
    return f'<td class="hl-number">{escape(cell.shown)}</td>'


def _beside(cell: FigureCell) -> str:
    """A value, and beside it the difference from the first, with a word for whether that is better."""
    word = f' <span class="hl-{cell.verdict}">{cell.verdict}</span>' if cell.verdict else ""
    same = " hl-alike" if cell.delta == "same" else ""
    return f'{_number(cell)}<td class="hl-delta{same}">{escape(cell.delta)}{word}</td>'
