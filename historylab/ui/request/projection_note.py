"""That the messages on screen are not the conversation's own, but as a system has them."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.registry import member
from historylab.ui.session import chosen_system, opening
from historylab.wording.untrusted import escape


def projected_note(timeline: Timeline, number: int) -> None:
    """A line where a projection or a layout stands between what was said and what request `number` sends."""
    parts = [*_projection(timeline), *_layout(timeline, number)]
    if parts:
        st.html(f'<div class="hl-meta hl-projected">{escape(" ".join(parts))}</div>')


def _projection(timeline: Timeline) -> list[str]:
    settings = timeline.settings
    if settings.projection == "off":
        return []
    found = chosen_system.current_preset()
    how = found[0].seen_as if found and found[0].seen_as else f"as “{member('projection', settings.projection).title}”"
    said, shown = len(opening.conversation()), len(timeline.conversation)
    made = f": {shown:,} made from the conversation's {said:,}" if shown != said else ""
    return [f"The messages are shown {how}{made}."]


def _layout(timeline: Timeline, number: int) -> list[str]:
    """What the layout does, where it does anything to the messages said so far."""
    plan = timeline.plans[number]
    said = list(timeline.conversation.messages[: plan.size])
    if plan.layout is None or plan.layout(said) == said:
        return []
    arranged = member("layout", timeline.settings.layout).summary
    return [f"What is sent is arranged besides, as the exact payload shows: {arranged[:1].lower()}{arranged[1:]}"]
