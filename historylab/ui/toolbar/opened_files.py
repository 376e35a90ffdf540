"""The open files as they were read: the format of each, what was left out, and the way to read one as another."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.base import Report
from historylab.formats.sub_agents import is_sub_agent
from historylab.ui.session import callers, coming_back, drawers, large_files, opening, session, viewing
from historylab.ui.session.tab import Opened, ReadFile
from historylab.ui.shared.notice import fold_lines
from historylab.ui.shared.page import link_to_page
from historylab.ui.toolbar.format_choice import format_choice, shape_download
from historylab.wording.loading import read_in_words, reasons_in_words
from historylab.wording.untrusted import escape, one_line

MOST_FILES = 40
NOT_IN_LINK = "The file behind this link isn’t included. Open that file to see what its sender saw; below is a sample."


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
    if opened.files:
        _forget_button(len(opened.files))


def picker() -> None:
    """One line where several are open: the conversation or branch before, the way to the list, the one after."""
    opened = viewing.current_file()
    if opened.listing:
        count, at, turn_to = len(opened.listing), opened.listed, large_files.open_listed_conversation
    else:
        count, at, turn_to = len(opened.entries), opened.which, opening.open_which
    if count < 2:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="which", width="content"):
        if at:
            st.button("Previous", key="entry-before", on_click=turn_to, args=(at - 1,))
        link_to_page("conversations", f"{_kind_of_entry(opened)}{at + 1:,} of {count:,}")
        if at + 1 < count:
            st.button("Next", key="entry-after", on_click=turn_to, args=(at + 1,))
        if caller := callers.caller_in_file():
            label = f"Back to message {caller[1] + 1:,}, which called this sub-agent"
            st.button(label, key="caller", type="tertiary", on_click=callers.return_to_call, args=caller)


def _kind_of_entry(opened: Opened) -> str:
    """The word for one that is no conversation of its own."""
    if opened.which >= len(opened.conversations):
        return "branch "
    return "sub-agent " if opened.which and is_sub_agent(opened.original) else ""


def _one_file(file: ReadFile) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="read as"):
        st.html(fold_lines(read_in_words(file.report), _reasons(file.report)))
        if file.given.data is not None:
            other = st.popover("Read as another format", type="tertiary", key="read another", on_change=session.touch)
            if other.open:
                with other:
                    format_choice(file.given, file.report.member, list(file.report.claims), "recognised")
                    if file.shape:
                        shape_download(file.shape)


def _several(files: Sequence[ReadFile], report: Report) -> None:
    lines = [f"{one_line(file.given.name, 60)}: {read_in_words(file.report)}" for file in files[:MOST_FILES]]
    lines += [f"… and {count_of(len(files) - MOST_FILES, 'other file')}"] if len(files) > MOST_FILES else []
    st.html(fold_lines(f"{len(files):,} files. {read_in_words(report)}", lines))


def refused_files_line() -> None:
    """An alarm where a file could not be read, with ways on; nothing otherwise."""
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


def _forget_button(files: int) -> None:
    label = "Forget this file" if files == 1 else "Forget these files"
    told = "Its messages leave this server’s memory, with your marks, questions and edits."
    st.button(label, key="forget-file", type="tertiary", help=told, on_click=coming_back.forget)


def missing_file_line() -> None:
    """A line on the file that is missing, if one is, with a way to open it: held no longer, or the one of a link."""
    gone = session.tab().gone
    if not gone and not viewing.current_file().stands_in:
        return
    told, label = (f"“{gone}” is no longer held here.", "Open it again") if gone else (NOT_IN_LINK, "Open the file")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="gone"):
        st.html(f'<div class="hl-notice" role="status">{escape(told)}</div>')
        st.button(label, key="open-gone", on_click=drawers.open_drawer, args=(opening.KEY,))
        st.button("Dismiss", key="forget-gone", type="tertiary", on_click=coming_back.forget_gone)


def _reasons(report: Report) -> list[str]:
    return list(reasons_in_words(report))
