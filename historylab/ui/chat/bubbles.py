"""What was said, as bubbles: the newest of them, what each answer saw, and what happened in between."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from historylab.conversation.message import Message
from historylab.costs.amounts import count_of
from historylab.ui.session import session
from historylab.ui.session.chat_answers import STOPPED, ChatAnswer
from historylab.ui.session.chat_session import ChatSession
from historylab.wording.untrusted import escape, multiline, one_line

MOST_DRAWN = 50  # messages
TEXT, RESULT, ARGUMENTS = 6_000, 600, 200  # characters
SPEAKERS = {"user": "You", "assistant": "Model", "tool": "Tool result", "system": "System"}


def bubbles(chat: ChatSession) -> None:
    """The newest messages; those up to an answer are one element, and then comes what that saw."""
    said = chat.conversation
    first = max(0, len(said) - MOST_DRAWN)
    if first:
        earlier = f"{count_of(first, 'earlier message')} not drawn here; Inspect shows them all."
        st.html(f'<div class="hl-meta">{earlier}</div>')
    together = list[str]()
    for index in range(first, len(said)):
        message = said[index]
        together += _bubble(message, chat)
        if answer := chat.answer_of(message):
            _draw(together)
            together = []
            _saw(chat, answer, index)
    _draw(together)


def _draw(together: list[str]) -> None:
    if together:
        st.html(f'<div class="hl-chat">{"".join(together)}</div>')


def _saw(chat: ChatSession, answer: ChatAnswer, index: int) -> None:
    """The line about what it saw, which leads to it."""
    chosen = chat.chosen is answer
    with st.container(key=f"saw{'-chosen' if chosen else ''}-{index}"):
        st.button(
            answer.seen.line,
            key=f"look-{index}",
            type="tertiary",
            icon=":material/visibility:" if chosen else None,
            on_click=_look,
            args=(chat, answer),
        )


def _look(chat: ChatSession, answer: ChatAnswer) -> None:
    chat.look_at(answer)
    session.touch()


def _bubble(message: Message, chat: ChatSession) -> Iterator[str]:
    """A message as HTML, and the notes on what happened after it."""
    kind = message.role if message.role in SPEAKERS else "system"
    text = multiline(message.content, RESULT if kind == "tool" else TEXT)
    body = f'<div class="hl-chat-text">{escape(text)}</div>' if text else ""
    calls = "".join(
        f'<div class="hl-chat-call">Calls {escape(one_line(c.name, 60))} '
        f"<code>{escape(one_line(c.arguments, ARGUMENTS))}</code></div>"
        for c in message.tool_calls
    )
    stopped = '<div class="hl-meta">Stopped here.</div>' if message.metadata.get(STOPPED) else ""
    who = escape("Injected" if message.injected else SPEAKERS.get(message.role) or one_line(message.role, 30))
    yield bubble(kind, who, f"{body}{calls}{stopped}")
    for note in chat.notes_on(message):
        yield f'<div class="hl-chat-note" role="note">{escape(note)}</div>'


def bubble(kind: str, who: str, body: str) -> str:
    """One bubble as HTML; `who` and `body` are HTML."""
    return f'<div class="hl-chat-said hl-chat-{kind}"><div class="hl-chat-who">{who}</div>{body}</div>'
