"""The tab that key D and `?debug=true` of AgentDock's links open: how what is on screen came about."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.context_fill import context_budget
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.names import SYSTEM
from historylab.settings.resolve import Provenance, Resolution
from historylab.settings.sources import SOURCES
from historylab.systems import agentdock
from historylab.ui.debug.history_log import agentdock_settings
from historylab.ui.debug.inspector import inspector
from historylab.ui.debug.timings import timings, versions
from historylab.ui.request.request_field import current_request
from historylab.ui.session import chosen_system, landing, session
from historylab.wording.context import NOT_HELD, counted_by
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.settings import implied_by_link
from historylab.wording.trimmers import foreign_line
from historylab.wording.untrusted import escape

HEIGHT = 520  # pixels, of a table at most
TEMPLATE = "default (template)"
"""AgentDock has no word of its own for a template, its "default fallback"."""


def debug_tab(resolution: Resolution, conversation: Conversation, timeline: Timeline) -> None:
    """AgentDock's panel; the tokens of every message of the request shown; how long what took."""
    page = session.seconds_so_far()
    if is_foreign(timeline):
        st.html(f'<div class="hl-small">{escape(foreign_line(timeline))}</div>')
    else:
        _debug_panel(resolution, conversation)
    if timeline.plans:
        number = current_request(timeline)
        inspector(timeline, number)
        _message_tokens(timeline, number)
        timings(timeline, number, page)
    versions(timeline)


def _debug_panel(resolution: Resolution, conversation: Conversation) -> None:
    """AgentDock's panel as a table: its four words, each with its source.

    Beside them whether system messages are kept, which a link of ours may change too.
    """
    panel = agentdock.debug_panel(agentdock_settings(resolution), conversation)
    deciding = (resolution.provenance[name] for name in agentdock.FIELDS.values())
    strongest = _word(min(deciding, key=_rank))
    system = "kept" if resolution.settings.preserve_system_messages else "not kept"
    rows = [
        ("Policy", panel["policy"], _source(resolution, "policy")),
        ("Length", panel["length"], _source(resolution, "length")),
        ("System messages", system, _source(resolution, "preserve_system_messages")),
        ("Source", strongest, ""),
        ("Messages", f"{panel['messages']:,}", ""),
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
        f'<div class="hl-small">{plan.sent_tokens.sum():,} tokens of messages{summary} + {framing:,} of formatting + '
        f"{outside:,} {where} = {timeline.contexts[number]:,} sent, "
        f"of {context_budget(timeline, number):,}.</div>"
        f'<div class="hl-meta">Tokens by {escape(counted_by(timeline))}.</div>'
    )
