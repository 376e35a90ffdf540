"""Searching messages: the hits, their number, and other places to look if there are none."""

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
QUOTE = 40  # of them quoted back


def matching_messages(conversation: Conversation, size: int, words: str) -> np.ndarray:
    """bool[size]: messages with the words in their role, name, text, or the names and arguments of their tool calls.

    Ignores case, character width, kind of space, and how accents are composed.
    """
    wanted = fold_case(words)
    if not wanted:
        return np.ones(size, bool)
    return np.fromiter((wanted in text for text in islice(_searchable(conversation), size)), bool, size)


def fold_case(text: str) -> str:
    """The text normalised for comparison."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def _searchable(conversation: Conversation) -> list[str]:
    return conversation.remember("searchable", lambda: [_searchable_text(message) for message in conversation])


def _searchable_text(message: Message) -> str:
    """Every searched part of a message on a line of its own, so that no match spans two parts."""
    calls = (part for call in message.tool_calls for part in (call.name, call.arguments))
    return "\n".join(fold_case(part) for part in (message.role, message.name or "", message.content, *calls))


# -- on screen


def search_field() -> None:
    """The search field; the list follows as you type."""
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
    """Show the number of messages found `among` the filter's, and elsewhere."""
    elsewhere = f", {everywhere - here:,} elsewhere" if everywhere > here else ""
    where = f" in “{escape(among)}”" if among else ""
    contain = "message contains" if here == 1 else "messages contain"
    st.html(f'<div class="hl-meta" role="status">{here:,} {contain} {_quoted()}{where}{elsewhere}</div>')


def nothing_found(_: int, everywhere: int, among: str) -> None:
    """A notice that nothing was found, and a button to search everything or clear the search."""
    if everywhere:
        holds = "message does" if everywhere == 1 else "messages do"
        st.html(f'<p class="hl-meta" role="status">Nothing in “{escape(among)}” contains {_quoted()}.</p>')
        st.button(
            f"Search everything: {everywhere:,} {holds}",
            key="search-everything",
            on_click=viewing.filter_by,
            args=(viewing.EVERYTHING,),
        )
        return
    st.html(f'<p class="hl-meta" role="status">No message so far contains {_quoted()}.</p>')
    st.button("Clear the search", key="search-nothing", on_click=viewing.search_for, args=("",))


def _quoted() -> str:
    return f"“<bdi>{escape(one_line(session.tab().search, QUOTE))}</bdi>”"


def _search() -> None:
    viewing.search_for((session.widget_value(KEY) or "")[:LONGEST])
