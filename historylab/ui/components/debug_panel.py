"""The debug panel of `?debug=true`, in AgentDock's words: policy, length, the source of each field, messages."""

from __future__ import annotations

import platform

import streamlit as st

from historylab._version import __version__
from historylab.conversation import Conversation
from historylab.figures.untrusted import escaped, one_line
from historylab.settings.resolve import Resolution
from historylab.ui import state

FIELDS = {"policy": "Policy", "length": "Length"}
SOURCES = {"url": "URL"}
VERSIONS = f"HistoryLab {__version__}, Streamlit {st.__version__}, Python {platform.python_version()}"


def debug_panel(resolution: Resolution, conversation: Conversation) -> None:
    """A bordered panel above everything else."""
    rows = "".join(
        f"<tr><th>{word}</th><td>{escaped(resolution.provenance[name].value)}</td>"
        f"<td>Source: {_source(resolution, name)}</td></tr>"
        for name, word in FIELDS.items()
    )
    agent = escaped(one_line(state.agent(), 60))
    with st.container(border=True, key="debug"):
        st.html(
            '<div class="hl-title">Debug</div><div class="hl-table"><table><tbody>'
            f"{rows}<tr><th>Messages</th><td>{len(conversation):,}</td><td>Agent: {agent}</td></tr></tbody>"
            "</table></div>"
            f'<div class="hl-meta">{VERSIONS}</div>'
        )


def _source(resolution: Resolution, name: str) -> str:
    origin = resolution.provenance[name]
    source = SOURCES.get(origin.source, origin.source)
    return escaped(source) + (f" (<code>{escaped(origin.name)}</code>)" if origin.name not in ("", name) else "")
