"""Search and filters, and the list they leave: a page of it at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from historylab.recordings.entries import SOURCES
from historylab.recordings.library import Library
from historylab.recordings.place import named_place
from historylab.recordings.search import Match
from historylab.ui.library.conversation_list import browser_list, opened_row, sorted_column, ticked_rows
from historylab.ui.library.measuring import Rows
from historylab.ui.library.reading import read_recorded
from historylab.ui.library.rows import COLUMNS, SORTED, browser_row
from historylab.ui.session import library as choices
from historylab.ui.session import session
from historylab.wording.library import NOT_RECORDING, NOTHING_YET, SOURCE_CHOICES, headline
from historylab.wording.untrusted import escape, replace_hidden

PER_PAGE = 50
EVERYWHERE = "Everywhere"
SEARCH, SOURCE, TAGS, LIST = "library-search", "library-source", "library-tags", "conversations"


def search_bar(library: Library) -> None:
    """The search, and what to list."""
    chosen = session.tab().library
    with st.container(horizontal=True, vertical_alignment="bottom", key="library-bar"):
        st.text_input(
            "Search conversations",
            chosen.search,
            type="search",
            placeholder="Search all conversations",
            label_visibility="collapsed",
            key=session.seed_widget(SEARCH, chosen.search),
            on_change=session.hand_value,
            args=(SEARCH, choices.list_matching),
        )
        known = [source for source in SOURCES if source != "recorded" or library.recorded]
        st.selectbox(
            "From",
            [EVERYWHERE, *known],
            ([EVERYWHERE, *known].index(chosen.source) if chosen.source in known else 0),
            format_func=lambda source: SOURCE_CHOICES.get(source, EVERYWHERE),
            label_visibility="collapsed",
            key=session.seed_widget(SOURCE, chosen.source or EVERYWHERE),
            on_change=session.hand_value,
            args=(SOURCE, _choose_source),
            width=220,
        )
        tags = list(dict.fromkeys((*library.known_tags(), *chosen.wanted_tags)))
        st.multiselect(
            "Tags",
            tags,
            chosen.wanted_tags,
            format_func=replace_hidden,
            placeholder="Any tags",
            label_visibility="collapsed",
            accept_new_options=True,
            key=session.seed_widget(TAGS, chosen.wanted_tags),
            on_change=session.hand_value,
            args=(TAGS, choices.choose_tags),
            width=260,
        )


def _choose_source(given: object) -> None:
    choices.choose_source(next((source for source in SOURCES if source == given), None))


def found_of(library: Library) -> list[Match]:
    """What is listed: after a search or by tags all recorded conversations are read first, with a bar that shows it."""
    chosen = session.tab().library
    if (chosen.search.strip() or chosen.wanted_tags) and chosen.source in (None, "recorded"):
        read_recorded(library)
    return library.find(chosen.search, lambda: choices.index(library), source=chosen.source, tags=chosen.wanted_tags)


def sort_found(found: Sequence[Match], rows: Rows) -> list[Match]:
    """The same in the order that is asked for: what isn't measured, or not known, comes last."""
    column = session.tab().library.sort
    value, sign = SORTED.get(column.removeprefix("-")), 1 if column.startswith("-") else -1
    if value is None:
        return list(found)
    loads = {match.key: rows.load(match.key) for match in found}
    known = {key: amount for key, load in loads.items() if load and (amount := value(load)) is not None}
    return sorted(found, key=lambda match: (match.key not in known, sign * known.get(match.key, 0)))


def list_headline(found: Sequence[Match], rows: Rows) -> None:
    """The number that is listed, and how many of them lost something."""
    chosen = session.tab().library
    narrowed = bool(chosen.source or chosen.wanted_tags)
    losing = None if rows.missing else rows.workload.losing
    said = headline(len(found), chosen.search, chosen=narrowed, losing=losing, ranked=not chosen.sort)
    st.html(f'<h1 class="hl-verdict">{escape(said)}</h1>')


def listing(library: Library, found: Sequence[Match], measured: Rows) -> None:
    """The page of the list that is turned to, and the way to the others."""
    chosen = session.tab().library
    if not found:
        _draw_empty(library)
        return
    pages = -(-len(found) // PER_PAGE)
    page = min(_page_of_open(found) if chosen.page is None else chosen.page, pages - 1)
    rows, keys = _rows(library, found[page * PER_PAGE : (page + 1) * PER_PAGE], measured)
    browser_list(
        LIST,
        {"label": "Conversations", "columns": COLUMNS, "rows": rows, "sort": chosen.sort},
        lambda: _open(library, keys),
        lambda: _tick(keys),
        _sort,
    )
    if pages > 1:
        _pages(page, pages)
    if not (library.recorded or named_place()):
        st.html(f'<div class="hl-meta">{escape(NOT_RECORDING)}</div>')


def _page_of_open(found: Sequence[Match]) -> int:
    """The page on which the conversation on screen stands, from 0."""
    return next((place // PER_PAGE for place, match in enumerate(found) if choices.is_open(match.key)), 0)


def _draw_empty(library: Library) -> None:
    if session.tab().library.search or session.tab().library.source or session.tab().library.wanted_tags:
        st.button("List all conversations", key="list-everything", on_click=choices.list_everything)
    elif library.recorded:
        st.html(f'<div class="hl-cost">{escape(NOTHING_YET)}</div>')


def _rows(library: Library, shown: Sequence[Match], measured: Rows) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of what is still there, and their keys."""
    chosen = session.tab().library
    rows, keys = [], []
    for match in shown:
        try:
            load, ticked = measured.load(match.key), match.key in chosen.ticked
            rows.append(browser_row(library, match, chosen.search, load, ticked=ticked))
        except KeyError:  # deleted meanwhile
            continue
        keys.append(match.key)
    return rows, keys


def _open(library: Library, keys: Sequence[str]) -> None:
    clicked = opened_row(LIST)
    if clicked and 0 <= clicked[0] < len(keys):
        choices.open_entry(library, keys[clicked[0]], clicked[1])


def _sort() -> None:
    if (column := sorted_column(LIST)) in SORTED:
        choices.sort_by(column)


def _tick(keys: Sequence[str]) -> None:
    rows, yes = ticked_rows(LIST)
    choices.tick([keys[row] for row in rows if 0 <= row < len(keys)], yes=yes)


def _pages(page: int, pages: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="library-pages"):
        st.button("Previous page", key="page-before", disabled=page == 0, on_click=choices.turn_to, args=(page - 1,))
        st.html(f'<span class="hl-meta">Page {page + 1:,} of {pages:,}</span>', width="content")
        st.button("Next page", key="page-after", disabled=page + 1 >= pages, on_click=choices.turn_to, args=(page + 1,))
