"""No answer: why, what to do, and buttons that do it. A request that is too long gets settings that fit."""

from __future__ import annotations

import streamlit as st

from historylab.chat_models.environment import ENVIRONMENT
from historylab.errors import HistoryLabError, ModelError
from historylab.planning.fit_window import Fit, settings_that_fit
from historylab.pricing import window_of
from historylab.settings.model import Settings
from historylab.ui.chat import asking
from historylab.ui.chat.bubbles import TEXT, bubble
from historylab.ui.session import choices, session
from historylab.ui.session.chat_answers import ChatFailure
from historylab.ui.session.chat_session import ChatSession
from historylab.wording.model_errors import NO_FIT, Told, fit_sentence, tell_model_error
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import escape, multiline


def failure_shown(chat: ChatSession, settings: Settings) -> None:
    """The failure of the last request, if it failed."""
    failure = chat.failure
    if failure is None or chat.running:
        return
    if failure.partial:
        text = f'<div class="hl-chat-text">{escape(multiline(failure.partial, TEXT))}</div>'
        broke = f'{text}<div class="hl-meta">It broke off here, and is no part of the chat.</div>'
        st.html(f'<div class="hl-chat">{bubble("assistant", "Model", broke)}</div>')
    told = _tell(chat, failure)
    fit = _fit(chat, failure, settings) if _is_too_long(failure.problem) else None
    remedy = told.remedy
    if _is_too_long(failure.problem):
        remedy = f"{told.remedy} {fit_sentence(fit)}" if fit else NO_FIT
    st.html(f'<div class="hl-notice hl-error" role="alert"><b>{escape(told.happened)}</b><br>{escape(remedy)}</div>')
    with st.container(horizontal=True, key="failed"):
        if fit:
            st.button(
                "Use these settings and ask again",
                key="fit",
                type="primary",
                on_click=_use,
                args=(fit,),
            )
        st.button(
            "Ask again",
            key="ask-again",
            disabled=not chat.may_ask(settings.model),
            on_click=asking.ask_again,
            args=(settings,),
        )


def _tell(chat: ChatSession, failure: ChatFailure) -> Told:
    if failure.problem is None:
        return Told(f"{capitalize_first(failure.reason)}.", "Ask again.")
    typed = chat.server is not ENVIRONMENT
    return tell_model_error(failure.problem, failure.settings.model, chat.server.host, typed=typed)


def _is_too_long(problem: HistoryLabError | None) -> bool:
    return isinstance(problem, ModelError) and problem.kind == "too_long"


def _fit(chat: ChatSession, failure: ChatFailure, settings: Settings) -> Fit | None:
    """Settings under which it fits; what the environment locks stays."""
    problem, plan = failure.problem, failure.plan
    if plan is None or not isinstance(problem, ModelError):
        return None

    def find() -> Fit | None:
        return settings_that_fit(
            chat.conversation,
            plan,
            failure.settings,
            lambda changes: choices.resolution(also=changes).settings,
            window=problem.window or _known_window(settings.model, plan.tokens),
            requested=problem.requested,
        )

    with st.spinner("Looking for settings that fit"):
        return chat.conversation.remember(("fits", settings.key, id(failure)), find, most=1)


def _known_window(model: str, sent: int) -> int | None:
    """The model's window by the price list, if it is one that the request can have exceeded."""
    known = window_of(model)
    return known if known and known < 2 * sent else None


def _use(fit: Fit) -> None:
    choices.choose_settings(fit.changes)
    asking.ask_again(choices.resolution().settings)
    session.touch()
