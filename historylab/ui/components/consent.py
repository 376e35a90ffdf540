"""A person's yes to a model that writes summaries: what is sent, to whom, how often; and what waits for a click."""

from __future__ import annotations

import streamlit as st

from historylab.chat_models.environment import whom
from historylab.conversation import Summary
from historylab.figures.untrusted import escaped, one_line
from historylab.replay import Timeline
from historylab.settings.consent import asking, refused_for_consent
from historylab.settings.resolve import Resolution
from historylab.ui import asking as asked
from historylab.ui import state
from historylab.ui.components.notice import notice

FIELD, MOST_CALLS, PROMPT = "summarizer", "summarizer.model.most_calls", "summarizer.model.prompt"
SHOWN = 200  # characters of instructions that are not ours


def consent(resolution: Resolution) -> None:
    """Under the choice of who writes summaries: the yes that a model needs, where somebody chose one."""
    settings, origin = resolution.settings, resolution.provenance[FIELD]
    on = FIELD in asking(settings)
    if not on and not refused_for_consent(resolution, FIELD):
        return
    sent = (
        "The messages that a summary stands for are sent as text, with this server's key, which nobody sees: at most "
        f"{settings.value(MOST_CALLS):,} times a replay, nothing twice."
    )
    if prompt := settings.value(PROMPT):
        sent += f" It is told: “{one_line(prompt, SHOWN)}”."
    if origin.locked:
        st.html(f'<div class="hl-meta">{escaped(f"{whom(settings.model)} writes the summaries. {sent}")}</div>')
        return
    st.checkbox(
        f"Let {whom(settings.model)} write them",
        on,
        key=state.seed("agreed", on),
        on_change=lambda: asked.agree(state.value_of("agreed")),
    )
    st.html(f'<div class="hl-meta">{escaped(sent)} Your yes counts for this tab, until you take it back.</div>')


def waiting(resolution: Resolution, timeline: Timeline) -> None:
    """That this replay would ask a model something new, or asked in vain; and the button that lets it."""
    settings = resolution.settings
    if not asking(settings):
        return
    who, replaced = whom(settings.model), [] if not asking(timeline.settings) else fallbacks(timeline)
    if asking(timeline.settings) and not replaced:
        return
    asked_in_vain = f"{who} wrote not all summaries. {replaced[-1].note}" if replaced else ""
    said, button = st.columns([5, 2], vertical_alignment="center")
    with said:
        notice(
            asked_in_vain
            or f"{who} has not seen what these settings fold; until you ask it, lines of the original stand there"
        )
    button.button(
        "Ask again" if replaced else "Ask for the summaries",
        key="ask",
        on_click=asked.ask_now,
        help=f"Sends messages to {who}.",
        width="stretch",
    )


def fallbacks(timeline: Timeline) -> list[Summary]:
    """The summaries of a replay that the fallback wrote, each once, in order."""
    author = timeline.instruments.summarizer.name
    made = {plan.summary.made_at: plan.summary for plan in timeline.plans if plan.summary}
    return [summary for summary in made.values() if summary.by != author]
