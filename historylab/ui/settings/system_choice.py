"""The choice of a system: its preset, what that does to this conversation in one line, and the way back to it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Resolution
from historylab.systems.presets.base import Preset, presets
from historylab.ui.session import chosen_system, session
from historylab.ui.session.choices import AS_SENT
from historylab.ui.session.shown_timeline import knows_sent, shows_as_sent
from historylab.wording.as_sent import AS_RECORDED, as_sent_line, smaller_falls_sentence
from historylab.wording.settings import show_value, title_of
from historylab.wording.system_line import system_line
from historylab.wording.untrusted import escape

OWN, PUBLISHED = "Your own settings", "As published"
NOT_DECIDED = "Nothing below decided it. What you change shows what these settings would send instead."
MOST_CHANGES = 3


def system_choice(resolution: Resolution, *, as_sent: bool = False) -> Any:
    """Draw the choice. Returns the place for the line, which needs the replay.

    `as_sent`: what was really sent is one of them, where the open file knows.
    """
    found, known = chosen_system.current_preset(), as_sent and knows_sent()
    name, variant = (found[0].name, found[1]) if found else ("", "")
    if known and shows_as_sent(resolution):
        name = AS_SENT
    options = [*([AS_SENT] if known else []), "", *([] if resolution.strict else presets())]
    st.selectbox(
        "System",
        options,
        options.index(name),
        format_func=_title,
        key=session.seed_widget("system", name, words=[_title(option) for option in options]),
        on_change=session.hand_value,
        args=("system", chosen_system.choose_system),
        disabled=len(options) < 2,
        help="Starts from the settings of a published system, or from what a provider's API does on its servers, and "
        "shows its fields under their own names. “Your own settings” brings back what was set before. “As recorded” "
        "shows what was really sent, where the file knows.",
    )
    if found and found[0].variants:
        st.selectbox(
            f"{found[0].title} for",
            options := ["", *found[0].variants],
            options.index(variant),
            format_func=lambda v: v or PUBLISHED,
            key=session.seed_widget("variant", variant),
            on_change=session.hand_value,
            args=("variant", partial(chosen_system.choose_preset, name)),
            label_visibility="collapsed",
        )
    place = st.empty() if found or name == AS_SENT else None
    if name == AS_SENT:
        st.html(f'<div class="hl-meta">{NOT_DECIDED}</div>')
    if found:
        _draw_changes(found[0], variant, resolution)
    return place


def describe_system(place: Any, timeline: Timeline, conversation: Conversation) -> None:
    """Fill the place `system_choice` left: what the system does to this conversation, or did."""
    if place and is_as_sent(timeline):
        fell = smaller_falls_sentence(timeline)
        note = f'<div class="hl-meta hl-assumed">{escape(fell)}</div>' if fell else ""
        place.html(f'<div class="hl-small hl-system">{escape(as_sent_line(timeline))}</div>{note}')
    elif found := chosen_system.current_preset():
        preset, _ = found
        line = system_line(preset.title, preset.rule(timeline.settings), timeline, len(conversation))
        assumed = "".join(f"<div>{escape(said)}</div>" for said in preset.assumes(timeline.settings).splitlines())
        note = f'<div class="hl-meta hl-assumed">{assumed}</div>' if assumed else ""
        place.html(f'<div class="hl-small hl-system">{escape(line)}</div>{note}')


def _title(name: str) -> str:
    return AS_RECORDED if name == AS_SENT else presets()[name].title if name else OWN


def _draw_changes(preset: Preset, variant: str, resolution: Resolution) -> None:
    changed, held = chosen_system.preset_changes(resolution)
    published = preset.decides(variant)
    if held:
        named = ", ".join(_name(preset, name) for name in held)
        st.html(f'<div class="hl-meta">🔒\ufe0e Set by the environment, not by {preset.title}: {escape(named)}.</div>')
    if not changed:
        return
    changes = [f"{_name(preset, name)} was {show_value(published[name])}" for name in changed[:MOST_CHANGES]]
    more = f", and {len(changed) - MOST_CHANGES} more" if len(changed) > MOST_CHANGES else ""
    title, listed = escape(preset.title), escape("; ".join(changes) + more)
    st.html(f'<div class="hl-small hl-changed"><b>{title}, with changes</b>: {listed}.</div>')
    st.button(f"Back to {_possessive(preset.title)}", key="system-back", on_click=chosen_system.restore_preset)


def _name(preset: Preset, name: str) -> str:
    return next((field.label for field in preset.fields if field.setting == name), title_of(name))


def _possessive(title: str) -> str:
    return f"{title}'" if title.endswith("s") else f"{title}'s"
