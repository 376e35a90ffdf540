"""Taking the settings along: as a file of every registered exporter, to copy or download."""

from __future__ import annotations

import streamlit as st

from historylab.exporters.base import export
from historylab.registry import Member, members
from historylab.settings.resolve import Resolution

ORDER = ("dotenv", "shell")  # the rest follow by name


def export_button(resolution: Resolution) -> None:
    """The button that opens the drawer."""
    if st.button("Export", key="export", help="Take these settings along"):
        _drawer(resolution)


@st.dialog("Take these settings along", position="right", width="medium")
def _drawer(resolution: Resolution) -> None:
    known = members("exporter")
    names = [*ORDER, *sorted(set(known) - set(ORDER))]
    only_changed = st.toggle("Only what differs from the defaults", key="only-changed")
    name = st.segmented_control(
        "As", names, default=names[0], required=True, format_func=lambda n: known[n].attributes["title"], key="as"
    )
    _file(resolution, known[name or names[0]], only_changed=only_changed)


def _file(resolution: Resolution, member: Member, *, only_changed: bool) -> None:
    text = export(resolution.settings, member.name, only_changed=only_changed)
    file_name = member.attributes["file_name"]
    st.caption(member.summary)
    st.code(text, language=member.attributes.get("language"), height=min(420, 60 + 24 * text.count("\n")))
    st.download_button(
        f"Download {file_name}",
        text,
        file_name,
        member.attributes.get("mime"),
        key="download-settings",
        on_click="ignore",
        type="primary",
    )
