"""The messages so far: what this request does with each, its tokens, and why; choosing one brings the answer."""

from __future__ import annotations

from typing import Any

import streamlit as st

from historylab.counters.badge import recorded_otherwise
from historylab.counters.base import guessed_parts
from historylab.figures.sent_otherwise import summary_at
from historylab.planning.replay import Timeline
from historylab.planning.steps import Step
from historylab.registry import member
from historylab.ui.request.message_selection import CHAT, FILTERS, LIST, choose_message, found_messages
from historylab.ui.session import cached, chosen_system, opening, session, viewing
from historylab.ui.session.must_remember import starred_messages
from historylab.ui.shared.message_list import draw_messages, keep_in_browser, list_look
from historylab.wording.context import counted_by
from historylab.wording.phrases import uncapitalize
from historylab.wording.untrusted import escape
from historylab.wording.verdict import count_shown

KEY = "messages"


def message_list(timeline: Timeline, number: int) -> None:
    """The messages at request `number` (from 0), as rows or as a chat."""
    step, packed = timeline.steps[number], _packed_parts(timeline)
    kept = {name: key for name, (_, key) in packed.items()}
    _projected_note(timeline, number)
    draw_messages(KEY, {**kept, **_view(timeline, step)}, found_messages(step), lambda: _look(timeline))
    how = escape(counted_by(timeline))  # holds the model's name, which a link may set
    st.html(
        f'<span class="hl-meta">Tokens by {how}, formatting included. Choose a message to see why, since when, and '
        "what would keep it.</span>"
    )
    keep_in_browser(packed)  # last: the list stays in its place as a chat, too


def _packed_parts(timeline: Timeline) -> dict[str, tuple[bytes, str]]:
    """What rarely changes, and the keys by which the list asks for it."""
    packed = {"lines": cached.packed_lines(timeline), "otherwise": cached.packed_otherwise(timeline)}
    if session.tab().view == CHAT:
        packed["bubbles"] = cached.packed_bubbles(timeline.conversation)
    return packed


def _view(timeline: Timeline, step: Step) -> dict[str, Any]:
    """What is looked at, as the list in the browser takes it."""
    tab = session.tab()
    return {
        "timeline": cached.packed_map(timeline)[1],
        "request": step.number,
        "message": tab.message,
        "picks": tab.picks,
        "show": tab.show,
        "view": tab.view,
        "searching": bool(tab.search.strip()),
        "starred": sorted(map(int, starred_messages(timeline))),
        "summary": summary_at(timeline, step.number),
        "estimated": timeline.counter.exact
        and bool(guessed_parts(timeline.original))
        and not recorded_otherwise(timeline.counter, timeline.original),
    }


def _look(timeline: Timeline) -> None:
    look = list_look(KEY, timeline)
    if look.get("show") in FILTERS:
        viewing.filter_by(look["show"])
    if look.get("view") in (LIST, CHAT):
        viewing.view_as(look["view"])
    if look.get("message") is not None:
        choose_message(timeline, look["request"], look["message"])
    elif "message" in look:
        viewing.select_message(None)


def _projected_note(timeline: Timeline, number: int) -> None:
    """A line where a projection or a layout stands between the conversation and what request `number` sends."""
    parts = [*_projection(timeline), *_layout(timeline, number)]
    if parts:
        st.html(f'<div class="hl-meta">{escape(" ".join(parts))}</div>')


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
    if plan.layout is None or timeline.settings.layout == "off" or plan.layout(messages) == messages:
        return []
    arranged = member("layout", timeline.settings.layout).summary
    return [f"They are rearranged before being sent, as the exact payload shows: {uncapitalize(arranged)}"]
