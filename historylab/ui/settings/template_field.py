"""A template: a file of settings to start from, in place of the server's."""

from __future__ import annotations

import streamlit as st

from historylab.errors import HistoryLabError
from historylab.settings.sources import read_template
from historylab.ui.session import choices, session
from historylab.wording.untrusted import escape, one_line


def template_field(*, locked: bool) -> None:
    """The template in use, the way to give another, and to be without."""
    if used := choices.template_source():
        st.html(f'<div class="hl-small">Template: {escape(one_line(used, 80))}</div>')
    if locked:
        st.html('<div class="hl-meta">The environment is strict: a template you upload is ignored.</div>')
    if session.tab().template is not None:
        st.button("Remove the template", key="no-template", on_click=choices.use_template, args=(None,))
    st.file_uploader(
        "Template: a .env or JSON file to start from",
        key="template",
        on_change=_read,
        max_upload_size=1,
        disabled=locked,
    )


def _read() -> None:
    given = session.widget_value("template")
    if given is None:
        choices.use_template(None)
        return
    try:
        choices.use_template(read_template(given.getvalue()), given.name)
    except HistoryLabError as problem:
        session.report_problem(str(problem).replace("the text", f"“{one_line(given.name, 80)}”", 1))
