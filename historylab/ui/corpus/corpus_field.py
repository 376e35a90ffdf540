"""The corpus: files uploaded for it, else the open file's conversations, else our samples."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError
from historylab.formats.load import UPLOAD_BYTES, Conversations, load
from historylab.formats.samples import samples
from historylab.ui.session import cached, session, tuning_choices
from historylab.wording.untrusted import one_line

MEMORY = "What you open stays in this server's memory and is gone with the tab."


def chosen_corpus() -> tuple[str, list[Conversation]]:
    """The corpus in words, and its conversations."""
    uploads, opened = session.tab().tuning.uploads, session.tab().opened
    if uploads:
        found = [conversation for conversations in uploads.values() for conversation in conversations]
        remarks = sum(conversations.report.remarks for conversations in uploads.values())
        partly = f" ({count_of(remarks, 'record')} skipped or read with a warning)" if remarks else ""
        return f"{count_of(len(found), 'conversation')} from {count_of(len(uploads), 'file')}{partly}", found
    if opened and len(opened.conversations) > 1:
        return f"{len(opened.conversations):,} conversations from the open file", list(opened.conversations)
    found = [conversation for name in samples() for conversation in cached.sample(name)]
    return f"{len(found):,} conversations from our samples", found


def corpus_field() -> None:
    """A popover to upload other files."""
    limit = UPLOAD_BYTES // 1_000_000
    uploads = session.tab().tuning.uploads
    with st.popover("Use other conversations"):
        st.file_uploader(
            f"Files of conversations, at most {limit} MB each",
            accept_multiple_files=True,
            key="corpus-upload",
            on_change=_uploaded,
            max_upload_size=limit,
        )
        st.caption(MEMORY)
        if uploads:
            st.button("Remove these files", key="forget-uploads", on_click=tuning_choices.use_corpus, args=({},))


def _uploaded() -> None:
    uploads: dict[str, Conversations] = {}
    for given in session.widget_value("corpus-upload") or ():
        name = Path(given.name).name
        try:
            uploads[f"{len(uploads)} {name}"] = load(given.getvalue(), name=name, max_bytes=UPLOAD_BYTES)
        except HistoryLabError as problem:
            session.report_problem(f"“{one_line(name, 80)}”: {problem}")
    tuning_choices.use_corpus(uploads)
