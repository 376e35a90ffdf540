"""One setting on screen: its widget, from its type and bounds, and where its value came from.

A value the environment sets is shown as text with a lock and the variable's name, because nothing here can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.planning.strategies.filters.participants import named_authors
from historylab.registry import SEVERAL, members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.resolve import Provenance, Resolution
from historylab.systems.presets.base import PresetField
from historylab.ui.session import choices, landing, opening, session
from historylab.ui.settings.amount import bounds_of, choose_amount, is_amount
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


LabelVisibility = Literal["visible", "collapsed"]


class WidgetArguments(TypedDict):
    """Arguments common to every widget of a setting."""

    key: str
    help: str | None
    label_visibility: LabelVisibility
    on_change: Callable[[str, str, Callable[[str, Any], None]], None]
    args: tuple[str, str, Callable[[str, Any], None]]


def setting_field(resolution: Resolution, name: str, field: PresetField | None = None, *, key: str = "") -> None:
    """Draw the field or option `name`, as the system calls it if it is one of a preset's fields."""
    origin = resolution.provenance[name]
    if origin.locked:
        _draw_locked(origin, label_of(name, field))
    else:
        # the source stands on the label's line, but not in the label: that is read aloud
        st.html(f'<div class="hl-source{_beside(name)}" {mark_attributes(origin)}>{source_shown(origin)}</div>')
        setting_widget(name, origin.value, key=key, field=field)
    if name == "overhead" and not key:
        overhead_count(resolution)


def source_shown(origin: Provenance) -> str:
    """The source of a value, in a word; "" where it is the default."""
    word = landing.origin_word(origin).partition(" ")[0]
    return "" if word == SOURCE_WORDS["default"] else word


def mark_attributes(origin: Provenance) -> str:
    """Attributes that say whose field it is and where its value came from."""
    return f'data-setting="{origin.setting}" data-source="{landing.origin_word(origin)}"'


def _beside(name: str) -> str:
    """The class of a source's word that stands at the edge: of fields whose help isn't there but by their label."""
    schema = schema_of(name)
    return " hl-edge" if "enum" in schema or schema.get("type") == "boolean" else ""


def label_of(name: str, field: PresetField | None = None) -> str:
    """The setting's label, with the unit where a system gives one: "History length · user messages"."""
    return " · ".join(filter(None, (field.label, field.unit))) if field else title_of(name)


def _help(name: str, field: PresetField | None) -> str:
    if field is None:
        return help_of(name)
    published = f"Published as `{field.published}`." if field.published else ""
    return "  \n".join(filter(None, (field.help or help_of(name), published)))


def _draw_locked(origin: Provenance, label: str) -> None:
    st.html(
        f'<div class="hl-source hl-edge" {mark_attributes(origin)}>{SOURCE_WORDS[origin.source]}</div>'
        f'<div class="hl-field">{escape(label)}</div>'
        f'<div class="hl-locked">{locked_value(origin)}<div class="hl-meta">{locked_by(origin)}</div></div>'
    )


def locked_value(origin: Provenance) -> str:
    """A value that nothing here can change, as HTML."""
    return f"<b>🔒\ufe0e {escape(show_value(origin.value))}</b>"


def setting_widget(
    name: str,
    value: Any,
    *,
    key: str = "",
    choose: Callable[[str, Any], None] = choices.choose_setting,
    field: PresetField | None = None,
    bare: bool = False,
) -> None:
    """The widget alone. It calls `choose(name, value)` on every choice; `key` tells it from others like it.

    A `bare` one stands beside its label: it is called by the setting's own title, which isn't drawn again.
    """
    schema, label, key = schema_of(name), title_of(name) if bare else label_of(name, field), key or f"set {name}"
    common: WidgetArguments = {
        "key": key,
        "help": None if bare else _help(name, field) or None,
        "label_visibility": "collapsed" if bare else "visible",
        "on_change": _choose,
        "args": (name, key, choose),
    }
    kind = schema.get("type", "string")
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
    elif is_amount(name):
        text = "" if value is None else f"{value:,}"
        session.seed_widget(common["key"], text)
        st.text_input(label, text, placeholder="not set", **common)
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
    known = {m: each for m, each in members(name).items() if not each.attributes.get("unlisted") or m in value}
    bare = common["help"] is None
    words = {m: choices.get(m) or (known[m].title if bare else member_word(name, m)) for m in known}
    order = list(known) if name == "policy" else sorted(known, key=lambda m: (m != "off", words[m].lower()))
    order = [m for m in (*choices, value) if m in known] if choices else order
    order = list(dict.fromkeys(order))
    if not bare:
        common["help"] = "  \n".join([common["help"] or "", *(f"**{words[m]}**: {known[m].summary}" for m in order)])
    if name in SEVERAL:
        chosen = [m for m in value.split("+") if m != "off"]
        options = [m for m in order if m != "off"]
        session.seed_widget(common["key"], chosen, words=words.values())
        st.multiselect(label, options, chosen, format_func=words.__getitem__, placeholder="Off", **common)
        return
    session.seed_widget(common["key"], value, words=words.values())
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
    session.seed_widget(common["key"], read(value))
    st.number_input(
        label,
        min_value=read(least or 0),  # a bound above 0 is checked by the settings, which explain it
        max_value=None if most is None else read(most),
        step=1 if whole else 0.05 if most == 1 or name == "counter_factor" else 0.5,
        format=None if whole else "%g",
        value=read(value),
        **common,
    )


def _choose(name: str, key: str, choose: Callable[[str, Any], None]) -> None:
    if session.is_told_late(key):
        return
    value = session.widget_value(key)
    if isinstance(value, list):
        value = ("+".join(value) or "off") if name in SEVERAL else ",".join(value)
    if name == "window" and value == "":
        choose(name, "")
    elif is_amount(name):
        if value:
            choose_amount(name, value, choose)
    elif value is not None and (name not in FIELDS_THAT_CHOOSE or set(value.split("+")) <= set(members(name))):
        choose(name, value)  # a browser that is behind tells a word it still shows, which is no member
