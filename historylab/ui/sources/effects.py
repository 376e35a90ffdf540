"""The effect of settings as they are tried: verdict and map, and the conversation replayed without each source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.planning.replay import Timeline
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.ui.request.request_field import current_request
from historylab.ui.request.retention_map import retention_map
from historylab.ui.request.verdict_line import legend
from historylab.ui.session import cached, choices, session, viewing, what_if
from historylab.ui.sources.source_order import effect_shown
from historylab.wording.sources import SettingsEffect, difference, effect_sentence, same_outcome, says_anything
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape
from historylab.wording.verdict import WOULD_SEE, seen_sentence


def show_effects(conversation: Conversation, resolution: Resolution, places: Mapping[str, Any]) -> None:
    """Fill each source's card with what would be if it were switched the other way."""
    off = session.tab().what_if.off
    for source, place in places.items():
        if source not in off and not says_anything(resolution, source):
            continue
        other = what_if.tried_resolution(off ^ {source}).settings
        try:
            effect_shown(place, _effect(conversation, source, resolution.settings, other, on=source not in off))
        except HistoryLabError as problem:
            effect_shown(place, f"{'Without' if source not in off else 'With'} it, nothing could be sent: {problem}")


def _effect(conversation: Conversation, source: str, now: Settings, other: Settings, *, on: bool) -> str:
    then = None if now == other else effect_of(conversation, other)
    return effect_sentence(source, effect_of(conversation, now), then, on=on)


def strict_effect(conversation: Conversation, resolution: Resolution) -> str:
    """What would be if the environment were strict, or were not; "" where the server decides or it sets nothing."""
    on = what_if.is_strict_as_tried()
    other = what_if.tried_resolution(strict=not on)
    if what_if.decided_by_server() is not None or not (resolution.strict or other.strict):
        return ""
    lead = f"{'Without' if on else 'With'} it, "
    told = _compare(conversation, resolution.settings, other.settings, lead)
    return told or f"{lead}the model would see the same."


def against_real(conversation: Conversation, resolution: Resolution) -> str:
    """What is tried against the settings really in effect; "" where they come to the same."""
    really = choices.resolution().settings
    return _compare(conversation, resolution.settings, really, "With the settings really in effect, ")


def _compare(conversation: Conversation, now: Settings, other: Settings, lead: str) -> str:
    if now == other:
        return ""
    try:
        before, after = effect_of(conversation, now), effect_of(conversation, other)
    except HistoryLabError:  # the page says so of the settings it is about
        return ""
    return "" if same_outcome(before, after) else f"{lead}{difference(before, after)}."


def effect_of(conversation: Conversation, settings: Settings) -> SettingsEffect:
    """What settings come to on the conversation; no model is called for a trial."""
    return cached.settings_effect(conversation, offline(settings), viewing.must_remember())


@session.fragment
def tried_picture(timeline: Timeline, compared: str) -> None:
    """Draw what it would do to the request shown, how that compares with what is real, and the map."""
    number = current_request(timeline)
    said = escape(seen_sentence(timeline, number, sees=WOULD_SEE))
    st.html(f'<div class="hl-title" data-said="{cached.browser_key(timeline)}">{said}</div>')
    with st.container():
        if compared:
            st.html(f'<div class="hl-effect">{with_terms(compared, "fact", "request")}</div>')
    legend(timeline, number)
    retention_map(timeline, number, key="tried-map")
