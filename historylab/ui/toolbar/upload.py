"""Uploading files: the formats that are read, the limit, and the way beyond it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from historylab.formats.load import UPLOAD_BYTES
from historylab.registry import members
from historylab.ui.session import opening, session
from historylab.ui.session.tab import GivenFile
from historylab.wording.loading import best_known_formats, formats_by_folder
from historylab.wording.untrusted import escape

LIMIT = UPLOAD_BYTES // 1_000_000
MEMORY = "What you open stays in this server’s memory, for this tab alone, up to 15 minutes after it is closed."
LARGER = (
    f"Each file may be up to {LIMIT} MB. A larger one, or a whole folder, is read where it is: "
    "<code>historylab FILE-or-FOLDER</code>."
)


def upload() -> None:
    """The field for files, and what may be given."""
    st.file_uploader(
        "Files of conversations",
        accept_multiple_files=True,
        key="upload",
        on_change=_open_uploads,
        max_upload_size=LIMIT,
    )
    st.html(_formats())
    st.html(f'<div class="hl-meta">{LARGER} {MEMORY}</div>')


def _open_uploads() -> None:
    given = session.widget_value("upload") or ()
    opening.ask_for_upload({file.file_id: GivenFile(Path(file.name).name, file.getvalue()) for file in given})


def _formats() -> str:
    known = ", ".join(map(escape, best_known_formats()))
    groups = "".join(
        f"<li><b>{heading}</b>: {', '.join(escape(member.title) for member in found)}</li>"
        for heading, found in formats_by_folder().items()
    )
    return (
        f'<div class="hl-small">Reads {known} and more; as they are, or in a ZIP or gzip archive.</div>'
        f'<details class="hl-meta hl-folded"><summary>All {len(members("format"))} formats</summary>'
        f"<ul>{groups}</ul></details>"
    )
