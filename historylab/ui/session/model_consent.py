"""When a replay on screen may ask a model: only with a yes, and only what it must.

What a model answered is remembered by the whole process, so a replay that needs nothing new is shown at once. One that
does is shown as it is without the model, until somebody clicks; otherwise each move of a slider would ask again.
"""

from __future__ import annotations

from secrets import token_hex

import streamlit as st

from historylab.chat_models.base import open_chat_model
from historylab.chat_models.environment import model_and_host
from historylab.conversation.conversation import Conversation
from historylab.planning.pipeline import open_instruments, plan_requests, project
from historylab.settings.consent import offline, settings_that_ask
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings
from historylab.summarizers.reply_cache import NotAsked, OnlyRemembered
from historylab.ui.session import choices, session


def resolve_model_calls(conversation: Conversation, settings: Settings) -> Settings:
    """The settings to replay by: these if they ask nobody or may ask now, else the same without asking."""
    if not settings_that_ask(settings):
        return settings
    if not may_ask(settings):
        return offline(settings)
    state, key = session.tab(), _key(conversation, settings)
    asks_now = state.ask_now or _first_for(conversation, settings)
    if key in state.answered and not state.ask_now:
        return settings
    if not asks_now and _would_ask(conversation, settings):
        return offline(settings)
    _ask(conversation, settings)
    state.ask_now = False
    state.answered[key] = state.answered[conversation.digest] = token_hex(8)
    return settings


def answer_mark(conversation: Conversation, settings: Settings) -> str:
    """Tells a replay from one that asked at another time and was answered otherwise; "" if it asks nobody."""
    return session.tab().answered.get(_key(conversation, settings), "") if settings_that_ask(settings) else ""


def _key(conversation: Conversation, settings: Settings) -> str:
    return f"{model_and_host(settings.model)} {conversation.digest} {settings.key}"


def may_ask(settings: Settings) -> bool:
    """Whether the person at this screen said yes to asking this model, or the environment did."""
    resolution = choices.resolution()
    if session.tab().agreed == model_and_host(settings.model):
        return True
    return settings.model == resolution.settings.model and all(
        resolution.provenance[name].locked for name in settings_that_ask(settings)
    )


def set_consent(yes: bool) -> None:
    """This person lets the model be asked, now and while the tab is open; or no longer."""
    state = session.tab()
    resolved = resolve_settings(you=state.you, url=state.link, template=choices.template())
    state.agreed, state.ask_now = model_and_host(resolved.settings.model) if yes else "", yes
    session.touch()


def request_answers() -> None:
    """Let the next replay ask what it must."""
    session.tab().ask_now = True
    session.touch()


def _first_for(conversation: Conversation, settings: Settings) -> bool:
    """Whether the environment has a model asked that was not asked about this conversation yet.

    An edit makes no other conversation of it: else every one would ask.
    """
    state = session.tab()
    if state.opened and state.opened.edited:
        return False
    return state.agreed != model_and_host(settings.model) and conversation.digest not in state.answered


def _would_ask(conversation: Conversation, settings: Settings) -> bool:
    """Whether a replay needs an answer nobody gave before."""
    instruments = open_instruments(settings, chat_model=OnlyRemembered(open_chat_model(settings.model)))
    try:
        for _ in plan_requests(conversation, settings, instruments=instruments):
            pass
    except NotAsked:
        return True
    return False


def _ask(conversation: Conversation, settings: Settings) -> None:
    """Replay once, for the answers, and show how far it is."""
    total = max(1, len(project(conversation, settings).columns.requests))
    bar = st.progress(0.0, f"{model_and_host(settings.model)} writes the summaries")
    try:
        for number, plan in enumerate(plan_requests(conversation, settings), 1):
            written = f", the newest covers {plan.summary.covers:,} messages" if plan.summary else ""
            bar.progress(number / total, f"{model_and_host(settings.model)}: request {number:,} of {total:,}{written}")
    finally:
        bar.empty()
