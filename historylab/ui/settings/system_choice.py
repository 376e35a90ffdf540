"""The choice of a system: its preset, what that does to this conversation in one line, and the way back to it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Resolution
from historylab.settings.trimmer_options import SYSTEM_OF_TRIMMER, trimmer_of_system
from historylab.systems.presets.base import Preset, presets
from historylab.ui.session import chosen_system, session
from historylab.ui.session.choices import AS_SENT
from historylab.ui.session.chosen_trimmer import (
    current_trimmer,
    missing_libraries,
    offered_trimmers,
    trimmer_title,
)
from historylab.ui.session.shown_timeline import knows_sent, shows_as_sent
from historylab.ui.settings.main_fields import LABEL, field_row, row_label
from historylab.ui.settings.trimmer_fields import describe_trimmer
from historylab.wording.as_sent import AS_RECORDED, as_sent_line, smaller_falls_sentence
from historylab.wording.lane_line import OWN
from historylab.wording.settings import show_value, title_of
from historylab.wording.system_line import system_line
from historylab.wording.untrusted import escape

TITLE, PUBLISHED = "System", "As published"
ABOUT = (
    "Starts from the settings of a published system, or from what a provider's API does on its servers. “Your own "
    "settings” brings back what was set before."
)
TRIMMERS = "A framework’s trimmer is run from its installed library."
NOT_DECIDED = "The settings below decided nothing of it: once you change one, you see what they would send instead."
MOST_CHANGES = 3


def system_choice(resolution: Resolution, *, as_sent: bool = False, trimmers: bool = False) -> Any:
    """Draw the choice. Returns the place of its label, which tells what was sent once that is known.

    `as_sent`: what was really sent is one of them, where the open file knows; `trimmers`: so are those to be had here.
    """
    found, known = chosen_system.current_preset(), as_sent and knows_sent()
    name, variant = (found[0].name, found[1]) if found else ("", "")
    offered = [f"{SYSTEM_OF_TRIMMER}{each}" for each in offered_trimmers()] if trimmers else []
    if offered and current_trimmer():
        name = f"{SYSTEM_OF_TRIMMER}{current_trimmer()}"
    elif known and shows_as_sent(resolution):
        name = AS_SENT
    options = [*([AS_SENT] if known else []), "", *([] if resolution.strict else presets()), *offered]
    with field_row("system"):
        with st.container(width=LABEL):
            place = st.empty()
            place.html(row_label(TITLE, _about(resolution, found, trimmers=trimmers)))
        st.selectbox(
            TITLE,
            options,
            options.index(name),
            format_func=_title,
            key=session.seed_widget("system", name, words=[_title(option) for option in options]),
            on_change=session.hand_value,
            args=("system", chosen_system.choose_system),
            disabled=len(options) < 2,
            label_visibility="collapsed",
        )
    if found and found[0].variants:
        _variants(found[0], variant)
    return place


def _variants(preset: Preset, variant: str) -> None:
    options = ["", *preset.variants]
    with field_row("variant"):
        st.html(row_label("Variant", f"What {preset.title} offers, or plans."), width=LABEL)
        st.selectbox(
            "Variant",
            options,
            options.index(variant),
            format_func=lambda v: v or PUBLISHED,
            key=session.seed_widget("variant", variant),
            on_change=session.hand_value,
            args=("variant", partial(chosen_system.choose_preset, preset.name)),
            label_visibility="collapsed",
        )


def sentence_lead(resolution: Resolution, *, as_sent: bool) -> str:
    """The beginning of the sentence: whose settings they are, or that they would be sent instead of what was."""
    if as_sent and knows_sent() and shows_as_sent(resolution):
        return "Or"
    found = chosen_system.current_preset()
    if found is None:
        return ""
    changed, _ = chosen_system.preset_changes(resolution)
    return f"{found[0].title}, with changes:" if changed else f"{found[0].title}:"


def describe_system(place: Any, timeline: Timeline, conversation: Conversation) -> None:
    """Fill the place the settings left: what the system does to this conversation, or did."""
    if place is None:
        return
    if timeline.run:
        describe_trimmer(place, timeline)
    elif is_as_sent(timeline):
        told = " ".join(filter(None, (as_sent_line(timeline), smaller_falls_sentence(timeline), NOT_DECIDED)))
        place.html(row_label(TITLE, told))
    elif found := chosen_system.current_preset():
        preset, _ = found
        line = system_line(preset.title, preset.rule(timeline.settings), timeline, len(conversation))
        assumed = "".join(f"<div>{escape(said)}</div>" for said in preset.assumes(timeline.settings).splitlines())
        note = f'<div class="hl-meta hl-assumed">{assumed}</div>' if assumed else ""
        place.html(f'<div class="hl-small">{escape(line)}</div>{note}')


def _title(name: str) -> str:
    if trimmer := trimmer_of_system(name):
        return trimmer_title(trimmer)
    return AS_RECORDED if name == AS_SENT else presets()[name].title if name else OWN


def _about(resolution: Resolution, found: tuple[Preset, str] | None, *, trimmers: bool) -> str:
    """Explain what the choice does, which fields the environment holds against the system, and what isn't installed."""
    said, (_, held) = [ABOUT], chosen_system.preset_changes(resolution)
    if found and held:
        named = ", ".join(_name(found[0], name) for name in held)
        said.append(f"Set by the environment, not by {found[0].title}: {named}.")
    if trimmers:
        said.append(TRIMMERS)
        if missing := missing_libraries():
            said.append(f"For more: pip install {' '.join(missing)}.")
    return " ".join(said)


def back_to_system(resolution: Resolution) -> None:
    """The way back to the system as it was published, where something was changed."""
    found, (changed, _) = chosen_system.current_preset(), chosen_system.preset_changes(resolution)
    if not found or not changed:
        return
    preset, variant = found
    published = preset.decides(variant)
    changes = [f"{_name(preset, name)} was {show_value(published[name])}" for name in changed[:MOST_CHANGES]]
    more = f", and {len(changed) - MOST_CHANGES} more" if len(changed) > MOST_CHANGES else ""
    st.button(
        f"Back to {preset.title}",
        key="system-back",
        type="tertiary",
        on_click=chosen_system.restore_preset,
        help=f"{'; '.join(changes)}{more}.",
    )


def _name(preset: Preset, name: str) -> str:
    return next((field.label for field in preset.fields if field.setting == name), title_of(name))
