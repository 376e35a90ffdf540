"""Session state: the open tab's record, the mark that a click leaves on it, and the values of widgets.

This room alone touches `st.session_state` and `st.query_params`, and it alone assigns a field of the tab's state. All
of it lives in one plain session key, because a widget's own value is gone as soon as its page is left; widgets are
seeded from here before they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec

import streamlit as st

from historylab.ui.session.tab import TabState

KEY = "historylab"
LATE = 2.0  # seconds that a browser is behind at most
_NOTHING = object()
P = ParamSpec("P")


def tab() -> TabState:
    """This tab's state, made at its first run. Read it anywhere; write it through this room's functions."""
    if KEY not in st.session_state:
        st.session_state[KEY] = TabState()
    state: TabState = st.session_state[KEY]
    return state


def begin_with(state: TabState) -> None:
    """Go on with this state instead."""
    st.session_state[KEY] = state


# -- clicks


def touch() -> None:
    """Note a click: this tab's state is newer than the address the browser sends with it."""
    tab().address.click()


def fragment(draw: Callable[P, None], *, every: float | None = None) -> Callable[P, None]:
    """Declare a fragment: redrawn alone after a click in it, with the whole page if something around it was clicked.

    A busy browser sends two clicks in one message, and Streamlit takes that for the fragment's if one of them is:
    typing into the search and then pressing D would show no drawer. `every` so many seconds it is drawn by itself.
    """

    @wraps(draw)
    def draw_or_rerun(*args: P.args, **kwargs: P.kwargs) -> None:
        if tab().address.clicked:
            st.rerun()
        draw(*args, **kwargs)

    return st.fragment(draw_or_rerun, run_every=every)


def redraw_page() -> None:
    """Draw the whole page anew: what it shows has changed without a click."""
    st.rerun()


# -- notices


def report_problem(problem: str) -> None:
    """Show this problem at the top of the page. What was open stays."""
    tab().problem = problem
    touch()


def announce(text: str) -> None:
    """Show once what a click just did."""
    tab().announcement = text
    touch()


def clear_announcement() -> None:
    """The page has shown it."""
    tab().announcement = ""


def note_logged(entry: str) -> bool:
    """Record the latest log entry. Returns whether it differs from the one before."""
    differs = tab().logged != entry
    tab().logged = entry
    return differs


# -- time


def begin_page(name: str) -> None:
    """The page of that name begins to be drawn."""
    state = tab()
    state.page, state.began = name, perf_counter()


def seconds_so_far() -> float:
    """Seconds since the page began to be drawn."""
    return perf_counter() - tab().began


# -- widgets


def seed_widget(key: str, value: Any, *, may_be_empty: bool = False, words: Collection[str] = ()) -> str:
    """Set a widget's value before it is drawn, where it is drawn already and holds another; returns its key.

    A new widget takes the value from its own argument. A browser that is behind may put it on the page from a later
    answer than its first, which would no longer carry what was set, and then report that the field was emptied. Only a
    number that `may_be_empty` has None as its argument, for that is what it holds when it is emptied. Of a choice with
    other `words` than before the value is set as well: a browser holds the word, and goes on telling the one before.
    """
    reworded = tuple(words) != tab().field_words.get(key, tuple(words))
    if words:
        tab().field_words[key] = tuple(words)
    if st.session_state[key] != value or reworded if key in st.session_state else may_be_empty:
        st.session_state[key] = value
    return key


def key_of_field(key: str, value: Any) -> str:
    """The key of a field that also other controls set: a new one whenever it holds another value than the browser has.

    With each message a browser sends all its fields, and one that is behind the value from before; under the same key
    that would be a choice, and undo what was set.
    """
    state = tab()
    if st.session_state.get(_versioned_key(key), value) != value:
        state.field_versions[key] = state.field_versions.get(key, 0) + 1
    return _versioned_key(key)


def value_of_field(key: str) -> Any:
    """What such a field holds, in its callback; Streamlit calls that for the earlier ones, too."""
    return widget_value(_versioned_key(key))


def _versioned_key(key: str) -> str:
    times = tab().field_versions.get(key)
    return f"{key} {times}" if times else key


def leave_fields() -> None:
    """Note what the settings' fields hold as a file or a system brings others: told again soon, it is no choice."""
    held = {str(key): value for key, value in st.session_state.items() if str(key).startswith("set ")}
    tab().fields_before = held, perf_counter()


def is_told_late(key: str) -> bool:
    """Tell whether a browser that is behind tells what the field held before, and nothing else was told since."""
    held, at = tab().fields_before
    if perf_counter() - at < LATE and held.get(key, _NOTHING) == widget_value(key):
        return True
    held.pop(key, None)
    return False


def widget_value(key: str) -> Any:
    """The value of a widget, in its callback."""
    return st.session_state.get(key)


def hand_value(key: str, take: Callable[[Any], object]) -> None:
    """Hand what a widget holds to `take`, in its callback; nothing where that is None: it was emptied, or is gone."""
    if (value := widget_value(key)) is not None:
        take(value)


def told_by(key: str, name: str) -> Any:
    """The value a component of ours told under that name, in its callback; None if it told none, or is gone."""
    return (widget_value(key) or {}).get(name)


def forget_widget(key: str) -> None:
    """Empty a text field, in its callback: what was typed is held nowhere else by Streamlit."""
    st.session_state[key] = ""
