"""The fields of a trimmer that isn't ours: its options by the library's names; what it does, and how to read that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypedDict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.registry import Option
from historylab.settings.trimmer_options import is_own_function, option_text
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.session import session
from historylab.ui.session.chosen_trimmer import (
    choose_trimmer_option,
    current_trimmer,
    lane_on_screen,
    options_of_lane,
    trimmer_title,
)
from historylab.wording.phrases import capitalize_first
from historylab.wording.trimmers import trimmer_line, trimmer_notes
from historylab.wording.untrusted import code_span, escape


def trimmer_fields(conversation: Conversation) -> DeltaGenerator | None:
    """The fields, and the place for the line that says what it does; None while they are folded."""
    name = current_trimmer()
    title = code_span(name) if is_own_function(name) else trimmer_title(name)
    unfolded = st.expander(title, expanded=True, key="trimmer fields", on_change=session.touch, type="compact")
    if not unfolded.open:
        return None
    with unfolded:
        place = st.empty()
        if lane := lane_on_screen(conversation):
            option_fields(lane, f"trim {name}", choose_trimmer_option)
    return place


def option_fields(lane: TrimmerLane, key: str, choose: Callable[[str, Any], None]) -> None:
    """A field per option of a trimmer, which tells `choose` its name and what it holds."""
    for option, value in options_of_lane(lane):
        _field(f"{key} {option.name}", option, value, partial(choose, option.name))


def describe_trimmer(place: DeltaGenerator, timeline: Timeline) -> None:
    """Fill the place: what it does to this conversation, and how to read that."""
    notes = "".join(f"<div>{escape(note)}</div>" for note in trimmer_notes(timeline))
    meta = f'<div class="hl-meta hl-assumed">{notes}</div>' if notes else ""
    place.html(f'<div class="hl-small">{escape(trimmer_line(timeline))}</div>{meta}')


class _Arguments(TypedDict):
    key: str
    help: str | None
    on_change: Callable[[str, Callable[[Any], object]], None]
    args: tuple[str, Callable[[Any], object]]


def _field(key: str, option: Option, value: Any, take: Callable[[Any], object]) -> None:
    """One option: a choice, a switch, a number, or text as on the command line."""
    schema, kind, about = option.schema, option.schema.get("type"), f"{capitalize_first(option.help)}."
    common: _Arguments = {
        "key": key,
        "help": about if option.help else None,
        "on_change": session.hand_value,
        "args": (key, take),
    }
    if "enum" in schema:
        session.seed_widget(key, value)
        st.segmented_control(option.name, schema["enum"], default=value, required=True, **common)
    elif kind == "boolean":
        session.seed_widget(key, bool(value))
        st.toggle(option.name, bool(value), **common)
    elif kind in ("integer", "number"):
        _number(option.name, value, schema, int if kind == "integer" else float, common)
    else:
        text = "" if value is None else option_text(value)
        session.seed_widget(key, text)
        st.text_input(option.name, text, placeholder="none", **common)


def _number(
    label: str, value: Any, schema: Mapping[str, Any], read: Callable[[Any], float], common: _Arguments
) -> None:
    least, most = schema.get("minimum", 0), schema.get("maximum")
    session.seed_widget(common["key"], read(value))
    st.number_input(
        label,
        min_value=read(least),
        max_value=None if most is None else read(most),
        value=read(value),
        step=read(1) if read is int else 0.05,
        **common,
    )
