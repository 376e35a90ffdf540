"""Reading a given file another way: as a format of one's choice; and a shape to keep, as read by or as written."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.formats.shapes.shape import Shape
from historylab.registry import members
from historylab.ui.session import opening, session
from historylab.ui.session.tab import GivenFile, ToOpen
from historylab.ui.toolbar.save_written import save_written

SAVE_SHAPE, SHAPE_FILE = "Save this shape", "shape.json"
SHAPE_USE = "For the next file: load(…, shape=…) in Python, --shape on the command line"


def format_choice(given: GivenFile, chosen: str, first: Sequence[str], why: str) -> None:
    """All formats, with `first` the ones that stand out and `why` they do; choosing one reads the file as that."""
    known = members("format")
    others = sorted((name for name in known if name not in first), key=lambda name: known[name].title.lower())
    names = [*(name for name in first if name in known), *others]
    key = f"format of {given.name[:80]}"
    st.selectbox(
        "Read it as",
        names,
        names.index(chosen) if chosen in names else None,
        format_func=lambda name: known[name].title + (f" ({why})" if name in first else ""),
        placeholder="Choose a format",
        key=session.seed_widget(key, chosen if chosen in names else None),
        on_change=_reread,
        args=(given, key),
    )


def _reread(given: GivenFile, key: str) -> None:
    if name := session.widget_value(key):
        opening.note_to_open(ToOpen((given,), format=name))


def shape_download(shape: Shape) -> None:
    """A button that saves the shape, for Python and the command line."""
    st.download_button(
        SAVE_SHAPE,
        shape.as_json.encode(),
        SHAPE_FILE,
        "application/json",
        key="download-shape",
        on_click="ignore",
        help=SHAPE_USE,
    )


def written_shape_download(field: str) -> None:
    """The same button for the shape that is being written in the field of that label."""
    save_written(SAVE_SHAPE, field, SHAPE_FILE, about=SHAPE_USE)
