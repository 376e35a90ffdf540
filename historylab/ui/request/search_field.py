"""The page's search: a field; under it the messages found, each with its fate, and why the words weren't known."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.ui.request.message_search import found_in, matching_messages
from historylab.ui.request.message_selection import choose_message
from historylab.ui.request.request_tabs import MESSAGES
from historylab.ui.session import session, viewing
from historylab.ui.shared.search_hits import hit_look, search_hits
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import stopped_being_sent

KEY, HITS = "search", "hits"
SHOWN = 8  # hits under the field
LONGEST = 200  # characters searched for
QUOTE = 40  # of them quoted back


def search(timeline: Timeline, number: int) -> None:
    """The search field, and under it what it finds in the conversation; the list can show all of it."""
    with st.container(key="find"):
        st.text_input(
            "Search messages, or ask why one wasn’t known",
            session.tab().search,
            type="search",
            placeholder="Search, or ask why",
            label_visibility="collapsed",
            live=True,
            key=session.seed_widget(KEY, session.tab().search),
            on_change=_search,
        )
        search_hits(HITS, hits(timeline, number, session.tab().search), lambda: _look(timeline, number))


def hits(timeline: Timeline, number: int, words: str) -> dict[str, Any]:
    """What is shown of a search at request `number` (from 0), as the browser takes it."""
    words = words.strip()
    if not words:
        return {"words": "", "said": "", "more": "", "why": "", "hits": []}
    conversation = timeline.conversation
    found = np.flatnonzero(matching_messages(conversation, len(conversation), words))
    more = f"{len(found) - SHOWN:,} more: show them in the list" if len(found) > SHOWN else "Show in the list"
    return {
        "words": words,
        "said": _count_sentence(len(found), words),
        "more": more if len(found) else "",
        "why": f"Why didn’t it know “{one_line(words, QUOTE)}”?",
        "hits": [_hit(timeline, number, i, words) for i in found[:SHOWN].tolist()],
    }


def _count_sentence(count: int, words: str) -> str:
    quoted = f"“{one_line(words, QUOTE)}”"
    if not count:
        return f"No message contains {quoted}."
    return f"{count_of(count, 'message')} {'contains' if count == 1 else 'contain'} {quoted}."


def _hit(timeline: Timeline, number: int, i: int, words: str) -> dict[str, Any]:
    message = timeline.conversation[i]
    return {
        "message": i,
        "who": speaker(message, 40),
        "fate": _fate(timeline, number, i),
        "said": found_in(message, words),
    }


def _fate(timeline: Timeline, number: int, i: int) -> str:
    """ "× dropped since turn 9" """
    plan = timeline.plans[number]
    if i >= plan.size:
        return "said later"
    action = plan.action_of(i)
    if action <= Action.TRUNCATED:
        return LOOKS[action].badge
    since = stopped_being_sent(timeline, number, i)
    return f"{LOOKS[action].badge} since {timeline.steps[since].label}"


def _search() -> None:
    session.hand_value(KEY, lambda words: viewing.search_for(words[:LONGEST]))


def _look(timeline: Timeline, number: int) -> None:
    message, everything, asked = hit_look(HITS)
    if asked:
        viewing.ask_about(session.tab().search.strip(), number)
    elif everything:
        viewing.filter_by(viewing.FOUND)
        viewing.show_tab(MESSAGES)
    elif message is not None and 0 <= message < len(timeline.conversation):
        choose_message(timeline, number, message)
