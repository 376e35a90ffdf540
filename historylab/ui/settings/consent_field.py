"""Consent to a model that writes summaries: what is sent, where to, how often; and what waits for a click."""

from __future__ import annotations

import streamlit as st

from historylab.chat_models.environment import display_host, model_and_host
from historylab.conversation.message import Summary
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.planning.strategies.folding import EARLIER
from historylab.settings.consent import refused_for_consent, settings_that_ask
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.ui.session import model_consent, session
from historylab.ui.shared.notice import notice
from historylab.wording.untrusted import code_span, escape, one_line

FIELD, MOST_CALLS, PROMPT = "summarizer", "summarizer.model.most_calls", "summarizer.model.prompt"
SHOWN = 200  # characters of instructions that are not ours


def consent_field(resolution: Resolution) -> None:
    """Under the choice of summarizer: the consent a model needs, where one was chosen."""
    settings, origin = resolution.settings, resolution.provenance[FIELD]
    on = FIELD in settings_that_ask(settings)
    if not on and not refused_for_consent(resolution, FIELD):
        return
    sent = (
        "The messages to summarise are sent as text, with this server's key, which is never shown: at most "
        f"{count_of(settings.value(MOST_CALLS), 'call')} per replay, and none twice for the same messages."
    )
    if prompt := settings.value(PROMPT):
        sent += f" Its instructions: “{one_line(prompt, SHOWN)}”."
    if origin.source == "environment":
        st.html(
            f'<div class="hl-meta">{escape(f"{model_and_host(settings.model)} writes the summaries. {sent}")}</div>'
        )
        return
    st.checkbox(
        f"Let {_model_and_host(settings)} write them",
        on,
        key=session.seed_widget("agreed", on),
        on_change=session.hand_value,
        args=("agreed", model_consent.set_consent),
    )
    st.html(f'<div class="hl-meta">{escape(sent)} Your consent applies to this tab until you withdraw it.</div>')


def model_call_notice(resolution: Resolution, timeline: Timeline) -> None:
    """That this replay would ask a model something new, or asked in vain; and the button that lets it."""
    settings = resolution.settings
    if not settings_that_ask(settings):
        return
    who, replaced = (
        model_and_host(settings.model),
        [] if not settings_that_ask(timeline.settings) else fallback_summaries(timeline),
    )
    if settings_that_ask(timeline.settings) and not replaced:
        return
    asked_in_vain = f"{who} did not write all summaries. {replaced[-1].note}" if replaced else ""
    text, button = st.columns([5, 2], vertical_alignment="center")
    with text:
        notice(
            asked_in_vain
            or f"{who} has not summarised these messages yet; until you ask it, lines of the original stand in"
        )
    button.button(
        "Ask again" if replaced else "Ask for the summaries",
        key="ask",
        on_click=model_consent.request_answers,
        help=f"Sends messages to {_model_and_host(settings)}.",
        width="stretch",
    )


def _model_and_host(settings: Settings) -> str:
    """The model, which a link may name, and its server, as Markdown."""
    return f"{code_span(settings.model)} at {code_span(display_host())}"


def fallback_summaries(timeline: Timeline) -> list[Summary]:
    """The summaries of a replay that the fallback wrote, each once, in order."""
    author = timeline.instruments.summarizer.name
    made = {plan.summary.made_at: plan.summary for plan in timeline.plans if plan.summary}
    return [summary for summary in made.values() if summary.by not in (author, EARLIER)]
