"""A note that the messages on screen are a projection of the conversation, or are rearranged when sent."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.registry import member
from historylab.ui.session import chosen_system, opening
from historylab.wording.untrusted import escape
from historylab.wording.verdict import count_shown


def projected_note(timeline: Timeline, number: int) -> None:
    """A line where a projection or a layout stands between the conversation and what request `number` sends."""
    parts = [*_projection(timeline), *_layout(timeline, number)]
    if parts:
        st.html(f'<div class="hl-meta hl-projected">{escape(" ".join(parts))}</div>')


def _projection(timeline: Timeline) -> list[str]:
    settings = timeline.settings
    if settings.projection == "off":
        return []
    found = chosen_system.current_preset()
    how = found[0].seen_as if found and found[0].seen_as else f"as “{member('projection', settings.projection).title}”"
    given, shown = len(opening.conversation()), count_shown(timeline.conversation)
    counts = f": {shown:,} made from the conversation's {given:,}" if shown != given else ""
    return [f"The messages are shown {how}{counts}."]


def _layout(timeline: Timeline, number: int) -> list[str]:
    """A sentence on the layout, if it changes the messages so far."""
    plan = timeline.plans[number]
    messages = list(timeline.conversation.messages[: plan.size])
    if plan.layout is None or plan.layout(messages) == messages:
        return []
    arranged = member("layout", timeline.settings.layout).summary
    return [f"They are rearranged before being sent, as the exact payload shows: {arranged[:1].lower()}{arranged[1:]}"]
