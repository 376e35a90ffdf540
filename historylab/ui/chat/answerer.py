"""Who answers: the scripted model, a recorded conversation, or a model on a server; and the consent the last needs."""

from __future__ import annotations

import os

import streamlit as st

from historylab.chat_models.environment import ENVIRONMENT, ModelServer
from historylab.chat_models.replayed import next_messages, position_after
from historylab.errors import ModelError
from historylab.settings.model import Settings
from historylab.settings.names import PRIVATE_SERVERS
from historylab.ui.chat import asking
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import session, viewing
from historylab.ui.session.chat_session import MODEL, REPLAYED, SCRIPTED, ChatSession
from historylab.ui.shared.notice import notice
from historylab.wording.chat import NAME, SCRIPTED_ABOUT
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import code_span, escape, one_line

WORDS = {SCRIPTED: "Scripted", REPLAYED: "The open file", MODEL: "A model on a server"}
KEY, URL = "chat-key", "chat-url"


def answerer_field(chat: ChatSession, settings: Settings) -> None:
    """The choice, and what belongs to the chosen one."""
    st.segmented_control(
        "Who answers",
        list(WORDS),
        default=chat.answerer,
        format_func=WORDS.__getitem__,
        key=session.key_of_field("answerer", chat.answerer),
        on_change=lambda: _choose(chat),
        required=True,
        disabled=chat.running,
    )
    if chat.answerer == MODEL:
        _server(chat, settings)
    elif chat.answerer == REPLAYED:
        _transcript(chat, settings)
    else:
        st.html(f'<div class="hl-meta">{escape(SCRIPTED_ABOUT)}</div>')


def _choose(chat: ChatSession) -> None:
    who = session.value_of_field("answerer")
    if who in WORDS and not chat.running:
        chat.choose_answerer(who)
        if who == REPLAYED and chat.transcript is None:
            _replay_open(chat)
    session.touch()


# -- a recorded conversation


def _replay_open(chat: ChatSession) -> None:
    """Replay what is open, from where the chat stands in it."""
    transcript = viewing.current_file().conversation
    chat.replay_this(transcript, position_after(transcript, chat.conversation))


def _transcript(chat: ChatSession, settings: Settings) -> None:
    transcript = chat.transcript
    if transcript is None:
        return
    given = sum(m.role == "assistant" for m in transcript[: chat.position])
    of = sum(m.role == "assistant" for m in transcript)
    named = escape(one_line(transcript.title or "The open conversation", NAME))
    st.html(
        f'<div class="hl-meta">“{named}” answers: {given:,} of its {of:,} answers were given. Its tools give the '
        "results it recorded. Send its next message, or write one of your own.</div>"
    )
    left = bool(next_messages(transcript, chat.position))
    with st.container(horizontal=True, key="transcript"):
        st.button(
            "Send its next message",
            key="next-message",
            type="primary",
            disabled=not left or chat.running,
            on_click=asking.say_next,
            args=(settings,),
        )
        opened = viewing.current_file()
        if opened.conversations is not chat.shown and opened.conversation != transcript:
            st.button("Replay what is open now", key="replay-open", on_click=_replay_open, args=(chat,))


# -- a model on a server


def _server(chat: ChatSession, settings: Settings) -> None:
    """Which server is asked, the fields for another or a key, and the consent."""
    if chat.server is ENVIRONMENT and not ENVIRONMENT.is_set_up:
        told = "The environment has no OPENAI_API_KEY: type a key, or the base URL of a server that wants none."
        st.html(f'<div class="hl-meta">{told}</div>')
    fields = st.expander(
        "Server and key", expanded=not chat.server.is_set_up, key="server", on_change=session.touch, type="compact"
    )
    if fields.open:
        with fields:
            _server_fields(chat)
    st.checkbox(
        f"Send this chat to {code_span(settings.model)} at {code_span(chat.server.host)}",
        chat.agreed != "" and chat.may_ask(settings.model),
        key=session.seed_widget("chat-agreed", chat.agreed != "" and chat.may_ask(settings.model)),
        on_change=lambda: _agree(chat, settings.model),
        disabled=chat.running,
    )
    whose = "the key you typed" if chat.server.key else "no key" if chat.server.url else "this server’s key"
    st.html(
        f'<div class="hl-meta">What the plan keeps of it is sent with each request, with {whose}. The model is the '
        "one in the sidebar. Your yes holds for this tab, this model and this server.</div>"
    )


def _agree(chat: ChatSession, model: str) -> None:
    session.hand_value("chat-agreed", lambda yes: chat.agree(model, yes=yes))
    session.touch()


def _server_fields(chat: ChatSession) -> None:
    """Base URL and key: held in this tab's memory, and never drawn again."""
    st.text_input(
        "Base URL",
        chat.server.url,
        key=session.seed_widget(URL, chat.server.url),
        placeholder="https://api.openai.com/v1",
        max_chars=500,
        autocomplete="off",
        on_change=_take_url,
        args=(chat,),
        help="Of any server that speaks Chat Completions. Empty: the environment’s, or OpenAI.",
        disabled=chat.running,
    )
    if chat.address_problem:
        notice(chat.address_problem, "error")
    if chat.server.key:
        with st.container(horizontal=True, vertical_alignment="center", key="held-key"):
            st.html('<span class="hl-meta">A key is held in this tab’s memory.</span>', width="content")
            st.button("Forget it", key="forget-key", on_click=_forget_key, args=(chat,), disabled=chat.running)
        return
    st.text_input(
        "Key",
        type="password",
        key=KEY,
        max_chars=500,
        autocomplete="off",
        on_change=_take_key,
        args=(chat,),
        help="Held in this tab’s memory only. It is in no link, log, export, report or recording.",
        disabled=chat.running,
    )


def _take_url(chat: ChatSession) -> None:
    """Use the address that was typed. Its key was for another server, so it is forgotten."""
    typed = session.widget_value(URL)
    session.touch()
    if typed is None or (url := typed.strip()) == chat.server.url or chat.running:
        return
    server = ModelServer(url, public_only=bool(url) and not _private_allowed()) if url else ENVIRONMENT
    try:
        server.check_address()
    except ModelError as problem:
        session.forget_widget(URL)  # it may hold a key
        chat.refuse_address(f"{capitalize_first(str(problem))}.")
        return
    chat.use_server(server)


def _take_key(chat: ChatSession) -> None:
    key = (session.widget_value(KEY) or "").strip()
    session.forget_widget(KEY)
    session.touch()
    if key and not chat.running:
        chat.use_server(ModelServer(chat.server.url, key, public_only=chat.server.public_only))


def _forget_key(chat: ChatSession) -> None:
    chat.use_server(
        ModelServer(chat.server.url, public_only=chat.server.public_only) if chat.server.url else ENVIRONMENT
    )
    session.touch()


def _private_allowed() -> bool:
    """Whether whoever sits here may have private addresses asked: it is their machine, or its operator allows it."""
    return on_this_machine() or os.environ.get(PRIVATE_SERVERS, "").strip().lower() in ("1", "true", "yes")


def cannot_ask(chat: ChatSession, settings: Settings) -> str:
    """Why nothing can be said now, in the field for it; "" if it can."""
    if not chat.may_ask(settings.model):
        return "First agree above to whom this chat is sent"
    return "An answer is being made" if chat.running else ""
