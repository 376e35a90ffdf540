"""The open files as they were read: the format of each, what was left out, and the way to read one as another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.base import Report
from historylab.formats.sub_agents import is_sub_agent
from historylab.ui.session import callers, drawers, opening, session, viewing
from historylab.ui.session.tab import Opened, ReadFile
from historylab.ui.shared.notice import fold_lines
from historylab.ui.toolbar.format_choice import format_choice, mapping_download
from historylab.ui.toolbar.large_file import large_file_picker
from historylab.wording.loading import read_in_words, reasons_in_words
from historylab.wording.untrusted import escape, one_line

MOST_FILES = 40


def opened_files() -> None:
    """The report on every open file, folded; for a sample of ours only if something was left out."""
    opened = viewing.current_file()
    report = opened.conversations.report
    if not opened.files:
        if report.remarks:
            st.html(fold_lines(read_in_words(report), _reasons(report)))
    elif opened.listing:
        skipped = [f"{where}: {why}" for where, why in opened.listing.skipped.items()]
        told = f"; {count_of(len(skipped), 'part')} could not be read" if skipped else ""
        st.html(fold_lines(f"A large file: each conversation is read when it is chosen{told}.", skipped[:MOST_FILES]))
    elif len(opened.files) == 1:
        _one_file(opened.files[0])
    else:
        _several(opened.files, report)
    _draw_refused()


def picker() -> None:
    """A choice among the conversations and branches of what is open, if there are several."""
    opened = viewing.current_file()
    entries, whole = opened.entries, len(opened.conversations)
    if opened.listing:
        large_file_picker(opened, opened.listing)
    if len(entries) < 2:
        return
    key = f"which {entries[0].digest} {len(entries)}"  # a browser keeps the words it shows as long as the key
    st.selectbox(
        _how_many(whole, len(entries) - whole),
        range(len(entries)),
        opened.which,
        format_func=lambda i: _entry_in_words(opened, i),
        key=session.seed_widget(key, opened.which),
        on_change=session.hand_value,
        args=(key, opening.open_which),
    )
    if caller := callers.caller_in_file():
        label = f"Back to message {caller[1] + 1:,}, which called this sub-agent"
        st.button(label, key="caller", type="tertiary", on_click=callers.return_to_call, args=caller)


def _entry_in_words(opened: Opened, place: int) -> str:
    """ "3. orders.json: Where is my order?": its number, its file if there are several, and its title."""
    whole, title = len(opened.conversations), one_line(opened.entries[place].title, 80)
    if place >= whole:
        return f"Other branch: {title}"
    ends = accumulate(file.report.conversations for file in opened.files)
    file = next((f for f, end in zip(opened.files, ends, strict=True) if place < end), None)
    name = f"{one_line(file.given.name, 40)}: " if file and len(opened.files) > 1 else ""
    below = "↳ " if place and is_sub_agent(opened.entries[place]) else ""
    return f"{place + 1}. {below}{name}{title}"


def _how_many(conversations: int, branches: int) -> str:
    of_others = f" and {branches:,} other branch{'' if branches == 1 else 'es'}" if branches else ""
    return f"This holds {count_of(conversations, 'conversation')}{of_others}"


def _one_file(file: ReadFile) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="read as"):
        st.html(fold_lines(read_in_words(file.report), _reasons(file.report)))
        if file.given.data is not None:
            other = st.popover("Read as another format", type="tertiary", key="read another", on_change=session.touch)
            if other.open:
                with other:
                    format_choice(file.given, file.report.member, list(file.report.claims), "recognised")
                    if file.mapping:
                        mapping_download(file.mapping)


def _several(files: Sequence[ReadFile], report: Report) -> None:
    lines = [f"{one_line(file.given.name, 60)}: {read_in_words(file.report)}" for file in files[:MOST_FILES]]
    lines += [f"… and {count_of(len(files) - MOST_FILES, 'other file')}"] if len(files) > MOST_FILES else []
    st.html(fold_lines(f"{len(files):,} files. {read_in_words(report)}", lines))


def _draw_refused() -> None:
    refused = session.tab().refused
    if not refused:
        return
    more = f" {count_of(len(refused) - 1, 'other file')} could not be read either." if len(refused) > 1 else ""
    title = one_line(viewing.current_file().conversation.title, 60)
    shown = "" if viewing.current_file().files else f" What is shown is “{title}”."
    why = escape(f"{opening.refusal_of(refused[0])}.{more}{shown}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="not read"):
        st.html(f'<div class="hl-notice hl-error" role="alert">{why}</div>')
        st.button("Read it another way", key="see-refused", on_click=drawers.open_drawer, args=(opening.KEY,))
        st.button("Dismiss", key="forget-refused", type="tertiary", on_click=opening.forget_refused)


def _reasons(report: Report) -> list[str]:
    return list(reasons_in_words(report))
