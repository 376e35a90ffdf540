"""The corpus: files of this machine or uploads, else the open file's conversations, else our samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError
from historylab.formats.load import UPLOAD_BYTES, Conversations, load
from historylab.formats.samples import samples
from historylab.tuning.corpus import Source, to_sources
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import cached, drawers, session, tuning_choices
from historylab.wording.loading import home_as_tilde
from historylab.wording.untrusted import one_line

MEMORY = "What you open stays in this server's memory and is gone with the tab."
AT_ONCE = 60_000  # messages: a few seconds
IN_PLACE = "A folder or file on this machine, read where it is, of any size"


@dataclass(frozen=True)
class Corpus:
    """Conversations, and files that are read while they are measured; `where` they are from, in words."""

    sources: Sequence[Source]
    where: str

    @property
    def key(self) -> str:
        """What it is: files as they were when they were found."""
        keys = (one.digest if isinstance(one, Conversation) else repr(one) for one in self.sources)
        return blake2b("\n".join(keys).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()

    @property
    def _paths(self) -> set[str]:
        return {one.path for one in self.sources if not isinstance(one, Conversation)}

    @property
    def is_quick(self) -> bool:
        """Whether measuring it takes so little time that it starts without a click."""
        return not self._paths and sum(len(one) for one in self.sources if isinstance(one, Conversation)) <= AT_ONCE

    @property
    def size(self) -> str:
        """ "24 conversations", or "the conversations of 37 files" before these are read."""
        if files := len(self._paths):
            return f"the conversations of {count_of(files, 'file')}"
        return count_of(len(self.sources), "conversation")

    def about(self, measured: int, *, done: bool) -> str:
        """ "24 conversations from our samples": those that were measured."""
        return f"{'' if done else 'The first '}{count_of(measured, 'conversation')} {self.where}"


def chosen_corpus() -> Corpus:
    """What is to be measured."""
    tuning, opened = session.tab().tuning, session.tab().opened
    if tuning.on_disk:
        return Corpus(tuning.on_disk.pieces, f"from “{one_line(home_as_tilde(tuning.on_disk.path), 80)}”")
    if uploads := tuning.uploads:
        found = [conversation for conversations in uploads.values() for conversation in conversations]
        remarks = sum(conversations.report.remarks for conversations in uploads.values())
        partly = f" ({count_of(remarks, 'record')} skipped or read with a warning)" if remarks else ""
        return Corpus(found, f"from {count_of(len(uploads), 'file')}{partly}")
    if opened and opened.listing and isinstance(path := opened.files[0].given.data, Path):
        return Corpus(list(to_sources([path])), "from the open file")
    if opened and len(opened.conversations) > 1:
        return Corpus(opened.conversations, "from the open file")
    return Corpus([conversation for name in samples() for conversation in cached.sample(name)], "from our samples")


def corpus_field(key: str) -> None:
    """A popover to choose other files than those of that corpus."""
    limit, tuning = UPLOAD_BYTES // 1_000_000, session.tab().tuning
    with st.popover("Use other conversations", key=f"corpus {key}"):  # another key closes it
        if on_this_machine():
            with st.form("on disk", border=False):
                st.text_input(IN_PLACE, key="path", placeholder="~/.claude/projects")
                st.form_submit_button("Measure it", on_click=_use_named_path)
        st.file_uploader(
            f"Files of conversations, at most {limit} MB each",
            accept_multiple_files=True,
            key="corpus-upload",
            on_change=session.hand_value,
            args=("corpus-upload", _use_uploads),
            max_upload_size=limit,
        )
        st.caption(MEMORY)
        if tuning.uploads or tuning.on_disk:
            st.button("Stop using these files", key="forget-uploads", on_click=tuning_choices.use_corpus, args=({},))


def _use_named_path() -> None:
    if path := session.widget_value("path"):
        tuning_choices.use_files_on_disk(path)
        drawers.ask_for("start workload")


def _use_uploads(given_files: Sequence[UploadedFile]) -> None:
    uploads: dict[str, Conversations] = {}
    for given in given_files:
        name = Path(given.name).name
        try:
            uploads[f"{len(uploads)} {name}"] = load(given.getvalue(), name=name, max_bytes=UPLOAD_BYTES)
        except HistoryLabError as problem:
            session.report_problem(f"“{one_line(name, 80)}”: {problem}")
    tuning_choices.use_corpus(uploads)
