"""Consent to model calls: whether a replay on screen may call a model, and when.

A model's replies are cached for the whole process, so a replay that needs nothing new is shown at once. One that does
is shown as it is offline until a click; otherwise each move of a slider would call the model again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import token_hex
from time import perf_counter

import streamlit as st

from historylab.chat_models.base import open_chat_model
from historylab.chat_models.environment import model_and_host
from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.pipeline import open_instruments, plan_requests, project
from historylab.planning.recorded_state import noted_state
from historylab.planning.replay import Timeline, replay
from historylab.recall.model_proposals import ask_for_questions
from historylab.settings.consent import offline, settings_that_ask
from historylab.settings.model import Settings
from historylab.summarizers.reply_cache import CachedRepliesOnly, NotAsked
from historylab.ui.session import choices, session
from historylab.wording.untrusted import code_span


@dataclass(frozen=True, slots=True)
class Consented:
    """The decision on one replay: whether it may call the model.

    `settings` are the ones given, or the same offline; `mark` tells a replay from one that called the model at another
    time and got other replies, "" if it calls none; `timeline` is the replay, if getting the replies made it already,
    and `seconds` is how long that took.
    """

    settings: Settings
    mark: str = ""
    timeline: Timeline | None = None
    seconds: float = 0.0


def resolve_model_calls(conversation: Conversation, settings: Settings) -> Consented:
    """Decide whether this replay may call a model; where it calls one now, it is planned here, once."""
    if not settings_that_ask(settings):
        return Consented(settings)
    if not may_ask(settings):
        return Consented(offline(settings))
    state, key = session.tab(), _key(conversation, settings)
    if key in state.answered and not state.ask_now:
        return Consented(settings, state.answered[key])
    began = perf_counter()
    if state.ask_now or _first_for(conversation, settings):
        timeline = _replay_with_progress(conversation, settings)
    else:
        try:
            timeline = _replay_by_known_replies(conversation, settings)
        except NotAsked:
            return Consented(offline(settings))
    state.ask_now = False
    state.answered[key] = state.answered[conversation.digest] = token_hex(8)
    return Consented(settings, state.answered[key], timeline, perf_counter() - began)


def _key(conversation: Conversation, settings: Settings) -> str:
    return f"{model_and_host(settings.model)} {conversation.digest} {settings.key}"


def may_ask(settings: Settings) -> bool:
    """Whether this tab has consent to call this model, by its user or the environment."""
    resolution = choices.resolution()
    if session.tab().agreed == model_and_host(settings.model):
        return True
    return settings.model == resolution.settings.model and all(
        resolution.provenance[name].source == "environment" for name in settings_that_ask(settings)
    )


def set_consent(yes: bool) -> None:
    """Give consent to call the model, now and while the tab is open; or withdraw it."""
    state, resolved = session.tab(), choices.before_consent()
    state.agreed, state.ask_now = model_and_host(resolved.settings.model) if yes else "", yes
    session.touch()


def request_answers() -> None:
    """Let the next replay call the model for what it needs."""
    session.tab().ask_now = True
    session.touch()


def request_questions(who: str) -> None:
    """Let that model, as `model_and_host` names it, propose questions once: the click on its name is the consent."""
    session.tab().proposals_wanted = who


def proposals_wanted(model: str) -> bool:
    """Whether the latest click asked for proposals by this model."""
    return session.tab().proposals_wanted == model_and_host(model)


def propose_by_model(conversation: Conversation, model: str) -> None:
    """Ask the model for questions and keep them in this tab. Raises InstrumentError if it fails."""
    state = session.tab()
    state.proposals_wanted = ""
    state.proposed[conversation.digest] = ask_for_questions(conversation, open_chat_model(model))


def _first_for(conversation: Conversation, settings: Settings) -> bool:
    """Whether consent is the environment's, and no replay of this conversation has called the model yet.

    An edited conversation counts as the same one: else every edit would call it.
    """
    state = session.tab()
    if state.opened and state.opened.edited:
        return False
    return state.agreed != model_and_host(settings.model) and conversation.digest not in state.answered


def _replay_by_known_replies(conversation: Conversation, settings: Settings) -> Timeline:
    """The replay, from what the model replied before. Raises NotAsked if it needs anything new."""
    model, noted = CachedRepliesOnly(open_chat_model(settings.model)), noted_state(conversation)
    known = open_instruments(settings, chat_model=model, store=noted)
    # Explaining it plans again, and then as any other replay does.
    instruments = open_instruments(settings, store=noted)
    return replace(replay(conversation, settings, instruments=known), instruments=instruments)


def _replay_with_progress(conversation: Conversation, settings: Settings) -> Timeline:
    """The replay, asking the model for every reply it needs, with a progress bar."""
    projected = project(conversation, settings)
    instruments = open_instruments(settings, store=noted_state(conversation))
    total, plans = len(projected.columns.requests), []
    who = code_span(model_and_host(settings.model))
    bar = st.progress(0.0, f"{who} writes the summaries")
    try:
        for plan in plan_requests(projected, settings, instruments=instruments):
            plans.append(plan)
            written = f", the newest covers {count_of(plan.summary.covers, 'message')}" if plan.summary else ""
            done = f"{who}: request {len(plans):,} of {total:,}{written}"
            bar.progress(len(plans) / total, done)
    finally:
        bar.empty()
    return Timeline(projected, settings, instruments, tuple(plans), conversation)
