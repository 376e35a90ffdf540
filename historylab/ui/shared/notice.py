"""A notice in one sentence, or a sentence that unfolds. Streamlit's own would read Markdown into an untrusted text."""

from collections.abc import Sequence

import streamlit as st

from historylab.wording.untrusted import escape, one_line

ROLES = {"error": "alert", "note": "status"}


def notice(text: str, kind: str = "note") -> None:
    """Show the text, which may quote anything, as a note or an error."""
    end = "" if text.endswith((".", "!", "?")) else "."
    st.html(f'<div class="hl-notice hl-{kind}" role="{ROLES[kind]}">{escape(text)}{end}</div>')


def fold_lines(summary: str, lines: Sequence[str]) -> str:
    """HTML: the summary, with the lines to unfold if there are any."""
    shown = escape(one_line(summary, 300))
    if not lines:
        return f'<div class="hl-meta">{shown}</div>'
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<details class="hl-meta hl-folded"><summary>{shown}</summary><ul>{listed}</ul></details>'
