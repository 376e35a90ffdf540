"""One setting on screen: its widget, from its type and bounds, and where its value came from.

A value the environment sets is shown as text with a lock and the variable's name, because nothing here can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.planning.strategies.filters.participants import named_authors
from historylab.registry import SEVERAL, members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.resolve import Provenance, Resolution
from historylab.systems.presets.base import PresetField
from historylab.ui.session import choices, landing, opening, session
from historylab.ui.settings.overhead_count import overhead_count
from historylab.wording.settings import (
    SOURCE_WORDS,
    choice_word,
    help_of,
    locked_by,
    member_word,
    schema_of,
    show_value,
    title_of,
)
from historylab.wording.untrusted import escape, replace_hidden

MODELS = ("gpt-5.5", "gpt-5", "gpt-4.1", "gpt-4o", "gpt-4", "claude-opus-4-5", "claude-sonnet-4-5", "gemini-2.5-pro")
MOST_OF_A_BROWSER = 2**53 - 1  # what is more is typed as text
STEPS = {"budget": 500, "reserve": 100, "overhead": 100, "window": 1000}


class WidgetArguments(TypedDict):
    """Arguments common to every widget of a setting."""

    key: str
    help: str | None
    on_change: Callable[[str, str, Callable[[str, Any], None]], None]
    args: tuple[str, str, Callable[[str, Any], None]]


def setting_field(resolution: Resolution, name: str, field: PresetField | None = None) -> None:
    """Draw the field or option `name`, as the system calls it if it is one of a preset's fields."""
    origin = resolution.provenance[name]
    if origin.locked:
        _draw_locked(name, origin, label_of(name, field))
    else:
        word, shown = SOURCE_WORDS[origin.source], landing.origin_word(origin)
        # the source stands on the label's line, but not in the label: that is read aloud
        st.html(f'<div class="hl-source hl-from-{word}{_beside(name)}" data-setting="{name}">{shown}</div>')
        setting_widget(name, origin.value, field=field)
        if name in FIELDS_THAT_CHOOSE:
            _what_it_does(name, origin.value)
    if name == "overhead":
        overhead_count(resolution)


def _beside(name: str) -> str:
    """The class of a source's word that stands at the edge: of fields whose help isn't there but by their label."""
    schema = schema_of(name)
    return " hl-edge" if name == "policy" or "enum" in schema or schema.get("type") == "boolean" else ""


def label_of(name: str, field: PresetField | None = None) -> str:
    """The setting's label, with the unit where a system gives one: "History length · user messages"."""
    return " · ".join(filter(None, (field.label, field.unit))) if field else title_of(name)


def _help(name: str, field: PresetField | None) -> str:
    if field is None:
        return help_of(name)
    published = f"Published as `{field.published}`." if field.published else ""
    return "  \n".join(filter(None, (field.help or help_of(name), published)))


def _draw_locked(name: str, origin: Provenance, label: str) -> None:
    st.html(
        f'<div class="hl-source hl-edge" data-setting="{name}">{SOURCE_WORDS[origin.source]}</div>'
        f'<div class="hl-field">{escape(label)}</div>'
        f'<div class="hl-locked"><b>🔒\ufe0e {escape(show_value(origin.value))}</b>'
        f'<div class="hl-meta">{locked_by(origin)}</div></div>'
    )


def _what_it_does(family: str, chosen: str) -> None:
    known = members(family)
    summaries = [known[member].summary for member in chosen.split("+") if member != "off"]
    if summaries:
        st.html(f'<div class="hl-meta hl-does">{escape(" ".join(summaries))}</div>')


def setting_widget(
    name: str,
    value: Any,
    *,
    key: str = "",
    choose: Callable[[str, Any], None] = choices.choose_setting,
    field: PresetField | None = None,
) -> None:
    """The widget alone. It calls `choose(name, value)` on every choice; `key` tells it from others like it."""
    schema, label, key = schema_of(name), label_of(name, field), key or f"set {name}"
    common: WidgetArguments = {
        "key": key,
        "help": _help(name, field) or None,
        "on_change": _choose,
        "args": (name, key, choose),
    }
    kind = schema.get("type") or next((s["type"] for s in schema.get("anyOf", ()) if s.get("type") != "null"), "string")
    if name in FIELDS_THAT_CHOOSE:
        _choice(name, value, label, field.choices if field else {}, common)
    elif name == "model":
        options = list(MODELS if value in MODELS else (value, *MODELS))
        session.seed_widget(common["key"], value)
        place = options.index(value)
        with _text_container(common["key"]):
            st.selectbox(label, options, place, format_func=replace_hidden, accept_new_options=True, **common)
    elif "enum" in schema:
        session.seed_widget(common["key"], value)
        st.segmented_control(label, schema["enum"], default=value, format_func=choice_word, required=True, **common)
    elif kind == "boolean":
        session.seed_widget(common["key"], bool(value))
        st.toggle(label, bool(value), **common)
    elif kind in ("integer", "number") and (value or 0) <= MOST_OF_A_BROWSER:
        _number(name, value, label, schema, whole=kind == "integer", common=common)
    elif people := _people(schema):
        _ids(value, label, people, several=schema["offers"] == "participants", common=common)
    elif between := schema.get("lines"):
        text = value.replace(between, "\n")
        session.seed_widget(common["key"], text)
        st.text_area(label, text, height=68, placeholder="never e-mail*", **common)
    else:
        text = "" if value is None else str(value)
        session.seed_widget(common["key"], text)
        st.text_input(label, text, **common)


def _choice(name: str, value: str, label: str, choices: Mapping[str, str], common: WidgetArguments) -> None:
    """The members of a family; a system's own, under its names, where it has some."""
    known = members(name)
    words = {m: choices.get(m) or member_word(name, m) for m in known}
    order = sorted(known, key=lambda m: (m != "off", words[m].lower()))
    order = [m for m in (*choices, value) if m in known] if choices else order
    order = list(dict.fromkeys(order))
    common["help"] = "  \n".join([common["help"] or "", *(f"**{words[m]}**: {known[m].summary}" for m in order)])
    if name in SEVERAL:
        chosen = [m for m in value.split("+") if m != "off"]
        options = [m for m in order if m != "off"]
        session.seed_widget(common["key"], chosen, words=words.values())
        st.multiselect(label, options, chosen, format_func=words.__getitem__, placeholder="Off", **common)
        return
    session.seed_widget(common["key"], value, words=words.values())
    if name == "policy":
        shown = {m: choices.get(m) or known[m].title for m in known}
        st.segmented_control(label, list(known), default=value, format_func=shown.__getitem__, required=True, **common)
    else:
        st.selectbox(label, order, order.index(value), format_func=words.__getitem__, **common)


def _people(schema: Mapping[str, Any]) -> list[str]:
    """The ids in the open conversation that such an option may hold; none where there are none."""
    if "offers" not in schema:
        return []
    found = named_authors(opening.conversation(), agents=schema["offers"] == "agents")
    return [name for name in found if "," not in name]


def _ids(value: str, label: str, people: list[str], *, several: bool, common: WidgetArguments) -> None:
    """Ids of the conversation, to choose from or to type."""
    if several:
        chosen = [name for name in (part.strip() for part in value.split(",")) if name]
        options = list(dict.fromkeys([*people, *chosen]))
        session.seed_widget(common["key"], chosen)
        with _text_container(common["key"]):
            st.multiselect(
                label,
                options,
                chosen,
                format_func=replace_hidden,
                accept_new_options=True,
                placeholder="Choose or type",
                **common,
            )
        return
    session.seed_widget(common["key"], value)
    options = list(dict.fromkeys(["", *people, value]))
    with _text_container(common["key"]):
        st.selectbox(
            label,
            options,
            options.index(value),
            format_func=lambda name: replace_hidden(name) or "Any agent",
            accept_new_options=True,
            **common,
        )


def _text_container(key: str) -> DeltaGenerator:
    """Around a choice in which text is typed as well: there the page's keys are letters."""
    return st.container(key=f"typed {key}")


def _number(
    name: str, value: Any, label: str, schema: Mapping[str, Any], *, whole: bool, common: WidgetArguments
) -> None:
    read = int if whole else float
    least, most = bounds_of(schema)
    value, may_be_empty = None if value is None else read(value), "anyOf" in schema
    session.seed_widget(common["key"], value, may_be_empty=may_be_empty)
    st.number_input(
        label,
        min_value=read(least or 0),  # a bound above 0 is checked by the settings, which explain it
        max_value=None if most is None else read(most),
        step=STEPS.get(name, 1) if whole else 0.05 if most == 1 or name == "counter_factor" else 0.5,
        format=None if whole else "%g",
        value=None if may_be_empty else value,  # this is what it holds when it is emptied
        placeholder="not set",
        **common,
    )


def bounds_of(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The least and the most a number may be; pydantic calls them by either name."""
    found = {**schema, **next((s for s in schema.get("anyOf", ()) if s.get("type") != "null"), {})}
    return found.get("minimum", found.get("ge")), found.get("maximum", found.get("le"))


def _choose(name: str, key: str, choose: Callable[[str, Any], None]) -> None:
    value = session.widget_value(key)
    if isinstance(value, list):
        value = ("+".join(value) or "off") if name in SEVERAL else ",".join(value)
    if value is None:
        value = "" if name == "window" else None
    if value is not None and (name not in FIELDS_THAT_CHOOSE or set(value.split("+")) <= set(members(name))):
        choose(name, value)  # a browser that is behind tells a word it still shows, which is no member
