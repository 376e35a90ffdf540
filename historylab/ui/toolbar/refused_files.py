"""Files that could not be read: why, the lists in them that look like messages, and fields named by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.errors import LoadError
from historylab.formats.shapes.proposals import ShapeProposal
from historylab.formats.shapes.shape import Shape
from historylab.ui.session import opening, session
from historylab.ui.session.tab import GivenFile, RefusedFile, ToOpen
from historylab.ui.shared.notice import notice
from historylab.ui.toolbar.format_choice import format_choice, written_shape_download
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import code_span

MOST = 10
FIELD, SAVED = "The shape of the file, as JSON", "saved-shape"
EXAMPLE = Shape("who", "said", "history", time="at", roles={"bot": "assistant"})


def refused_files() -> None:
    """Each with its reason and what to try with it, the first few of them."""
    refused = session.tab().refused
    for place, file in enumerate(refused[:MOST]):
        notice(opening.refusal_of(file), "error")
        if file.given.data is not None:
            _proposals(place, file)
    if len(refused) > MOST:
        notice(f"{count_of(len(refused) - MOST, 'other file')} could not be read", "error")
    if len(refused) == 1 and refused[0].given.data:  # of an empty file no way of reading makes anything
        _by_hand(refused[0])


def _offered_shapes(file: RefusedFile) -> Sequence[ShapeProposal]:
    return file.offers.proposals if file.offers else ()


def _proposals(place: int, file: RefusedFile) -> None:
    """A button for each list that looks like messages."""
    for number, found in enumerate(_offered_shapes(file)):
        shape = found.shape
        where = code_span(str(shape.items), 60) if shape.items else "the file"
        fields = ", ".join(code_span(field, 40) for field in found.fields)
        st.button(
            f"Read {where} ({found.size}: {fields})",
            key=f"proposal {place} {number}",
            type="primary" if number == 0 else "secondary",
            on_click=_read,
            args=(file.given, shape),
        )


def _by_hand(file: RefusedFile) -> None:
    """Another format, or the shape of the file, to be kept for later."""
    nearest = file.offers.nearest if file.offers else ()
    format_choice(file.given, "", nearest, "nearest")
    unfolded = st.expander("Say yourself where the messages are", key="by hand", on_change=opening.keep_drawer_open)
    if not unfolded.open:
        return
    offered = _offered_shapes(file)
    with unfolded:
        said = st.text_area(
            FIELD,
            (offered[0].shape if offered else EXAMPLE).as_json,
            height=240,
            key=_field_of_shape(file.given),
            on_change=opening.keep_drawer_open,
            help="Which field says who speaks and what: the keys are in docs/formats.md, A format we don't know",
        )
        if not offered and file.offers and file.offers.lists:
            st.caption(f"In this file: {'; '.join(starmap(_list_named, file.offers.lists.items()))}")
        shape = _shape_in((said or "").encode(), "")
        with st.container(horizontal=True):
            st.button("Read by this shape", key="read-shaped", on_click=_read_by_written, args=(file.given,))
            if isinstance(shape, Shape):
                written_shape_download(FIELD)
        if isinstance(shape, LoadError):  # below the buttons, which stay where they are about to be clicked
            notice(capitalize_first(str(shape)), "error")
        _saved_shape(file.given)


def _field_of_shape(given: GivenFile) -> str:
    """The key of the field for a file's shape: what was written for one file is no other's."""
    return f"shape of {given.name[:80]}"


def _list_named(path: str, keys: Sequence[str]) -> str:
    where = code_span(path, 60) if path else "the list itself"
    return f"{where} with {', '.join(code_span(key, 40) for key in keys)}"


def _read_by_written(given: GivenFile) -> None:
    """Read by what the field holds now: it may have been written since the button was drawn."""
    shape = _shape_in((session.widget_value(_field_of_shape(given)) or "").encode(), "")
    if isinstance(shape, Shape):
        _read(given, shape)
    else:
        opening.keep_drawer_open()


def _saved_shape(given: GivenFile) -> None:
    """The field for a shape that was saved, which reads the file; why it can't, if it can't."""
    saved = st.file_uploader(
        "Or upload a shape you saved",
        "json",
        key=SAVED,
        max_upload_size=1,
        on_change=_read_by_saved,
        args=(given,),
    )
    if saved and isinstance(shape := _shape_in(saved.getvalue(), saved.name), LoadError):
        notice(capitalize_first(str(shape)), "error")


def _read_by_saved(given: GivenFile) -> None:
    saved = session.widget_value(SAVED)
    if saved and isinstance(shape := _shape_in(saved.getvalue(), saved.name), Shape):
        opening.ask_for_upload({saved.file_id: given}, shape)
    else:
        opening.keep_drawer_open()


def _shape_in(saved: bytes, name: str) -> Shape | LoadError:
    try:
        return Shape.of_json(saved, name)
    except LoadError as problem:
        return problem


def _read(given: GivenFile, shape: Shape) -> None:
    opening.note_to_open(ToOpen((given,), shape=shape))
    opening.keep_drawer_open()
