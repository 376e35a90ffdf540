"""One setting on screen: its widget, from its type and bounds, and where its value came from.

A value the environment sets is shown as text with a lock and the variable's name, because nothing here can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from historylab.figures.setting_words import SOURCE_WORDS, choice_word, help_of, schema_of, show_value, title_of
from historylab.figures.untrusted import escaped
from historylab.registry import SEVERAL, members
from historylab.settings.model import FIELDS_THAT_CHOOSE
from historylab.settings.resolve import Provenance, Resolution
from historylab.ui import state

POLICIES = {"none": "None", "lastN": "Last N", "all": "All"}
MODELS = ("gpt-5.5", "gpt-5", "gpt-4.1", "gpt-4o", "gpt-4", "claude-opus-4-5", "claude-sonnet-4-5", "gemini-2.5-pro")
STEPS = {"budget": 500, "reserve": 100, "overhead": 100, "window": 1000}


def setting_field(resolution: Resolution, name: str) -> None:
    """Draw the field or option `name`."""
    origin = resolution.provenance[name]
    if origin.locked:
        _locked(name, origin)
    else:
        word = SOURCE_WORDS[origin.source]
        with st.container(
            gap=None, key=f"field {name}"
        ):  # the source stands on the label's line, but not in the label: that is read aloud
            st.html(f'<div class="hl-source hl-from-{word}" data-setting="{name}">{word}</div>')
            setting_widget(name, origin.value)
            if name in FIELDS_THAT_CHOOSE:
                _what_it_does(name, origin.value)


def _locked(name: str, origin: Provenance) -> None:
    st.html(
        f'<div class="hl-source" data-setting="{name}">environment</div>'
        f'<div class="hl-field">{escaped(title_of(name))}</div>'
        f'<div class="hl-locked"><b>🔒\ufe0e {escaped(show_value(origin.value))}</b>'
        f'<div class="hl-meta">set by <code>{escaped(origin.name)}</code></div></div>'
    )


def _what_it_does(family: str, chosen: str) -> None:
    known = members(family)
    summaries = [known[member].summary for member in chosen.split("+") if member != "off"]
    if summaries:
        st.html(f'<div class="hl-meta hl-does">{escaped(" ".join(summaries))}</div>')


def setting_widget(name: str, value: Any, *, key: str = "", choose: Callable[[str, Any], None] = state.choose) -> None:
    """The widget alone. What is chosen goes to `choose(name, value)`; `key` tells it from others like it."""
    schema, label, key = schema_of(name), title_of(name), key or f"set {name}"
    common = {"key": key, "help": help_of(name) or None, "on_change": _choose, "args": (name, key, choose)}
    kind = schema.get("type") or next((s["type"] for s in schema.get("anyOf", ()) if s.get("type") != "null"), "string")
    if name == "policy":
        state.seed(common["key"], value)
        st.segmented_control(label, list(POLICIES), format_func=POLICIES.get, required=True, **common)
    elif name in FIELDS_THAT_CHOOSE:
        _choice(name, value, label, common)
    elif name == "model":
        options = list(MODELS if value in MODELS else (value, *MODELS))
        state.seed(common["key"], value)
        st.selectbox(label, options, accept_new_options=True, **common)
    elif "enum" in schema:
        state.seed(common["key"], value)
        st.segmented_control(label, schema["enum"], format_func=choice_word, required=True, **common)
    elif kind == "boolean":
        state.seed(common["key"], bool(value))
        st.toggle(label, **common)
    elif kind in ("integer", "number"):
        _number(name, value, label, schema, whole=kind == "integer", common=common)
    else:
        state.seed(common["key"], "" if value is None else str(value))
        st.text_input(label, **common)


def _choice(name: str, value: str, label: str, common: dict[str, Any]) -> None:
    known = members(name)
    order = sorted(known, key=lambda member: (member != "off", member))
    common["help"] = "  \n".join([common["help"] or "", *(f"**{choice_word(m)}**: {known[m].summary}" for m in order)])
    if name in SEVERAL:
        state.seed(common["key"], [m for m in value.split("+") if m != "off"])
        st.multiselect(label, [m for m in order if m != "off"], format_func=choice_word, placeholder="Off", **common)
        return
    state.seed(common["key"], value)
    st.selectbox(label, order, format_func=choice_word, **common)


def _number(name: str, value: Any, label: str, schema: Mapping, *, whole: bool, common: dict[str, Any]) -> None:
    read = int if whole else float
    least, most = bounds_of(schema)
    state.seed(common["key"], None if value is None else read(value))
    st.number_input(
        label,
        min_value=read(least or 0) if whole or least else 0.01,
        max_value=None if most is None else read(most),
        step=STEPS.get(name, 1) if whole else 0.05,
        value=None if value is None else "min",
        placeholder="not set",
        **common,
    )


def bounds_of(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The least and the most a number may be; pydantic calls them by either name."""
    found = {**schema, **next((s for s in schema.get("anyOf", ()) if s.get("type") != "null"), {})}
    return found.get("minimum", found.get("ge")), found.get("maximum", found.get("le"))


def _choose(name: str, key: str, choose: Callable[[str, Any], None]) -> None:
    value = state.value_of(key)
    if name in SEVERAL:
        value = "+".join(value) or "off"
    if value is None:
        value = "" if name == "window" else None
    if value is not None:
        choose(name, value)
