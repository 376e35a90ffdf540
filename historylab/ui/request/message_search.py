"""The search over messages: which of them hold some words, how many those are, and what to say when none does."""

from __future__ import annotations

from itertools import islice
from unicodedata import normalize

import numpy as np
import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.ui.session import session, viewing
from historylab.wording.untrusted import escape, one_line

KEY = "search"
LONGEST = 200  # characters searched for
QUOTE = 40  # of them that are said again


def matching_messages(conversation: Conversation, size: int, words: str) -> np.ndarray:
    """bool[size]: the messages that hold the words: in role, name, text, or the names and arguments of tool calls.

    Case, width and kind of space make no difference, nor how an accent is written.
    """
    wanted = fold_case(words)
    if not wanted:
        return np.ones(size, bool)
    return np.fromiter((wanted in text for text in islice(_searchable(conversation), size)), bool, size)


def fold_case(text: str) -> str:
    """The text as it is compared."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def _searchable(conversation: Conversation) -> list[str]:
    return conversation.remember("searchable", lambda: [_said(message) for message in conversation])


def _said(message: Message) -> str:
    """All of a message that is searched, a part a line, so that no match runs over two of them."""
    calls = (part for call in message.tool_calls for part in (call.name, call.arguments))
    return "\n".join(fold_case(part) for part in (message.role, message.name or "", message.content, *calls))


# -- on screen


def search_field() -> None:
    """Where the words are typed; the messages follow while one types."""
    st.text_input(
        "Search",
        session.tab().search,
        type="search",
        placeholder="Search messages",
        label_visibility="collapsed",
        live=True,
        key=session.seed_widget(KEY, session.tab().search),
        on_change=_search,
    )


def hit_count(here: int, everywhere: int, among: str) -> None:
    """How many messages were found `among` those of the filter; among all of them, if that says more."""
    elsewhere = f", {everywhere - here:,} elsewhere" if everywhere > here else ""
    where = f" in “{escape(among)}”" if among else ""
    holds = "message holds" if here == 1 else "messages hold"
    st.html(f'<div class="hl-meta" role="status">{here:,} {holds} {_quoted()}{where}{elsewhere}</div>')


def nothing_found(_: int, everywhere: int, among: str) -> None:
    """That there is no such message, where one looked for it, and the way to look further."""
    if everywhere:
        holds = "message does" if everywhere == 1 else "messages do"
        st.html(f'<p class="hl-meta" role="status">Nothing in “{escape(among)}” holds {_quoted()}.</p>')
        st.button(
            f"Search everything: {everywhere:,} {holds}",
            key="search-everything",
            on_click=viewing.filter_by,
            args=(viewing.EVERYTHING,),
        )
        return
    st.html(f'<p class="hl-meta" role="status">Nothing said so far holds {_quoted()}.</p>')
    st.button("Clear the search", key="search-nothing", on_click=viewing.search_for, args=("",))


def _quoted() -> str:
    return f"“<bdi>{escape(one_line(session.tab().search, QUOTE))}</bdi>”"


def _search() -> None:
    viewing.search_for((session.widget_value(KEY) or "")[:LONGEST])
