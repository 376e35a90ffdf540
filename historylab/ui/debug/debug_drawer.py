"""The debug drawer: key D, or `?debug=true` as in AgentDock's links; Esc closes it. Everything about one request."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.context_fill import context_budget
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.names import SYSTEM
from historylab.settings.resolve import Provenance, Resolution
from historylab.settings.sources import SOURCES
from historylab.systems import agentdock
from historylab.ui.debug.history_log import agentdock_settings
from historylab.ui.debug.inspector import inspector
from historylab.ui.debug.timings import Seconds, timings, versions
from historylab.ui.request.payload import payload
from historylab.ui.request.request_field import current_request
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.session import address, chosen_system, drawers, landing, session
from historylab.ui.sources.setting_list import setting_list
from historylab.wording.as_sent import as_sent_line
from historylab.wording.context import NOT_HELD, counted_by
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.settings import implied_by_link
from historylab.wording.untrusted import escape, one_line
from historylab.wording.verdict import NO_REQUESTS

WIDTH = 900  # pixels: two settings with their sources fit side by side
HEIGHT = 520  # pixels, of a table at most
TEMPLATE = "default (template)"
"""AgentDock has no word of its own for a template, its "default fallback"."""


def debug_button() -> None:
    """The button that opens the drawer."""
    st.button(
        "Debug",
        key="debug",
        on_click=drawers.show_debug,
        args=(True,),
        help="How this came about",
    )


def debug_drawer(resolution: Resolution, conversation: Conversation, timeline: Timeline) -> None:
    """The drawer, while it is open. Call it last: it shows how long the page took."""
    if drawers.debug_is_shown():
        _drawer(resolution, conversation, timeline, session.seconds_so_far())


@st.dialog("Debug", position="right", width=WIDTH, on_dismiss=lambda: drawers.show_debug(False))
def _drawer(resolution: Resolution, conversation: Conversation, timeline: Timeline, page: Seconds) -> None:
    if is_as_sent(timeline):
        st.html(f'<div class="hl-small">{escape(as_sent_line(timeline))}</div>')
    else:
        _debug_panel(resolution, conversation)
    if not timeline.plans:
        st.html(f'<div class="hl-meta">{NO_REQUESTS}</div>')
        setting_list(resolution)
    else:
        _request(resolution, timeline, current_request(timeline), page)
    versions(timeline)


def _request(resolution: Resolution, timeline: Timeline, number: int, page: Seconds) -> None:
    st.html(f'<div class="hl-title">Request {number + 1:,}, {timeline.steps[number].label}</div>')
    inspector(timeline, number)
    draw = {
        "Request": lambda: payload(timeline, number, key="debug-payload"),
        "Tokens": lambda: _message_tokens(timeline, number),
        "Stages": lambda: stage_trace(timeline, number),
        "Sources": lambda: setting_list(resolution),
        "Timings": lambda: timings(timeline, number, page),
    }
    for name, tab in zip(draw, st.tabs(list(draw), key="debug-tab", on_change="rerun"), strict=True):
        if tab.open:
            with tab:
                draw[name]()


def _debug_panel(resolution: Resolution, conversation: Conversation) -> None:
    """AgentDock's panel as a table: its four words, each with its source.

    Beside them whether system messages are kept, which a link of ours may change too.
    """
    panel = agentdock.debug_panel(agentdock_settings(resolution), conversation)
    deciding = (resolution.provenance[name] for name in agentdock.FIELDS.values())
    strongest = _word(min(deciding, key=_rank))
    agent = one_line(address.linked_agent(), 60)
    system = "kept" if resolution.settings.preserve_system_messages else "not kept"
    rows = [
        ("Policy", panel["policy"], _source(resolution, "policy")),
        ("Length", panel["length"], _source(resolution, "length")),
        ("System messages", system, _source(resolution, "preserve_system_messages")),
        ("Source", strongest, "the strongest that decided one of the three"),
        ("Messages", f"{panel['messages']:,}", f"Agent: {agent}"),
    ]
    body = "".join(
        f'<tr><th>{word}</th><td class="hl-word">{escape(value)}</td><td>{escape(more)}</td></tr>'
        for word, value, more in rows
    )
    st.html(f'<div class="hl-table"><table><tbody>{body}</tbody></table></div>')


def _source(resolution: Resolution, name: str) -> str:
    origin = resolution.provenance[name]
    word = _word(origin)
    said = "" if implied_by_link(origin) or origin.name in ("", name) else f" ({origin.name})"
    return f"Source: {word}{said}"


def _word(origin: Provenance) -> str:
    system = chosen_system.current_preset()
    if implied_by_link(origin) and origin.name == SYSTEM and system:
        return f"default ({system[0].title})"
    return TEMPLATE if origin.source == "template" else landing.origin_word(origin)


def _rank(origin: Provenance) -> int:
    return SOURCES.index("default" if implied_by_link(origin) else origin.source)


def _message_tokens(timeline: Timeline, number: int) -> None:
    """Per message of request `number` (from 0) its tokens, and how many are sent; below it summary and framing."""
    plan = timeline.plans[number]
    messages = timeline.conversation.messages[: plan.size]
    st.dataframe(
        {
            "#": list(range(1, plan.size + 1)),
            "role": [speaker(m, 40) for m in messages],
            "decision": [LOOKS[Action(action)].badge for action in plan.actions.tolist()],
            "tokens": plan.history.tokens.tolist(),
            "sent": plan.sent_tokens.tolist(),
        },
        key="debug-tokens",
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * plan.size),
        alt=f"{count_of(plan.size, 'message')}: tokens, and how many of them are sent",
    )
    summary = f" + {plan.summary_tokens:,} of the summary" if plan.summary else ""
    outside, framing = int(timeline.contexts[number]) - plan.counted_tokens, plan.framing
    where = "outside the messages"
    if plan.is_sized:
        framing, where = framing - outside, NOT_HELD
    st.html(
        f'<div class="hl-small">{plan.sent_tokens.sum():,} tokens of messages{summary} + {framing:,} of framing + '
        f"{outside:,} {where} = {timeline.contexts[number]:,} sent, "
        f"of {context_budget(timeline, number):,}.</div>"
        f'<div class="hl-meta">Tokens by {escape(counted_by(timeline))}.</div>'
    )
