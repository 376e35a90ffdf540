"""The open conversation and the part of it on screen: request, message, filters; marks and questions.

Moving about redraws one fragment, so those functions don't `touch()`: a touch would redraw the whole page. Functions
that change anything in the rest of the page or in the link do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.listing import Listing
from historylab.formats.load import Conversations
from historylab.recall.must_remember import marked_in_file
from historylab.recall.proposals import propose_questions
from historylab.recall.questions import Question
from historylab.settings.link import STARS, RefusedParameter
from historylab.ui.session import landing, upload_budget
from historylab.ui.session.chosen_trimmer import current_trimmer, keep_trimmer
from historylab.ui.session.session import leave_fields, tab, touch
from historylab.ui.session.tab import Opened, ReadFile

MOST_QUESTIONS, LONGEST_QUESTION = 20, 300
EVERYTHING, FOUND = "everything", "found"
TABS = "side"
"""The key of the tabs; what they hold is the open one's label."""
SOURCES, DEBUG = "Sources", "Debug"
"""Tabs that addresses open."""


def open_conversations(
    conversations: Conversations,
    spec: str,
    which: int = 0,
    files: tuple[ReadFile, ...] = (),
    listing: Listing | None = None,
    listed: int = 0,
) -> None:
    """Open these conversations. The view goes back to the last request, and another file's own settings are used."""
    state = tab()
    if state.opened is None or state.opened.conversations is not conversations:
        state.recorded, state.recorded_dismissed = True, False
        if state.opened is not None:
            trimmer = current_trimmer()
            landing.leave()
            leave_fields()
            state.as_sent = None
            keep_trimmer(trimmer)
    state.opened, state.problem = Opened(conversations, spec, which, files, None, listing, listed), ""
    state.asked = ("", 0)
    state.request = state.message = state.trial = None  # a trial is about a message of the conversation before
    state.stars, state.questions = marked_in_file(state.opened.original), ()
    upload_budget.hold(state.opened)
    state.library.page = None


def open_latest_file(name: str) -> None:
    """Open the file that was open last in this tab of those a link has that name for, which can't tell them apart.

    Nothing is opened if none is listed any more.
    """
    named = [held for held in tab().library.held if landing.name_in_link(held.opened) == name]
    if named:
        file = max(named, key=lambda held: held.at).opened
        open_conversations(file.conversations, "", file.which, file.files, file.listing, file.listed)


def current_file() -> Opened:
    """The file that is open. A page calls `opening.conversation()` first, which opens one."""
    found = tab().opened
    if found is None:
        raise RuntimeError("no conversation is open: call opening.conversation() first")
    return found


# -- moving about: a fragment's own


def select_request(request: int) -> None:
    """Show that request (from 0)."""
    state = tab()
    state.request, state.playing = request, False


def select_message(message: int | None) -> None:
    """Explain that message (from 0); None closes the explanation."""
    tab().message = message


def reveal_message(message: int) -> None:
    """Explain a message chosen outside the list, which scrolls to it."""
    state = tab()
    state.message, state.picks = message, state.picks + 1


def search_for(words: str) -> None:
    """Search the messages for these words. Without any, the list no longer shows what was found alone."""
    state = tab()
    state.search = words
    if not words.strip() and state.show == FOUND:
        state.show = EVERYTHING


def ask_about(words: str, request: int) -> None:
    """Ask why that request (from 0) had these words or not."""
    tab().asked = words, request


def filter_by(name: str) -> None:
    """Show the messages that filter lets through."""
    tab().show = name


def view_as(view: str) -> None:
    """Show the messages as rows or as a chat."""
    tab().view = view


def show_tab(label: str) -> None:
    """Open that tab, and scroll to it."""
    st.session_state[TABS] = label
    tab().shown_tabs += 1


def open_tab() -> str:
    """The open tab's label; "" before there are any."""
    return st.session_state.get(TABS) or ""


def keep_tab(among: Collection[str]) -> None:
    """Leave the open tab open if it still is `among` the tabs: with others than before Streamlit opens the first."""
    if open_tab() in among:
        st.session_state[TABS] = open_tab()
    else:
        st.session_state.pop(TABS, None)


def show_payload(view: str) -> None:
    """Show a request's payload whole, or what changed in it."""
    tab().payload = view


def show_only_differing(only: bool) -> None:
    """On Compare, step through only the requests that differ."""
    tab().only_differing = only


def edit_compared(letter: str) -> None:
    """On Compare, open the settings of that configuration; of none for "" """
    tab().compare_edits = letter
    touch()


# -- what must be remembered


def must_remember() -> tuple[int, ...]:
    """Indices of the messages that must be remembered, ascending, in the open conversation before any projection."""
    return tab().stars


def set_must_remember(indices: Iterable[int]) -> None:
    """Mark these messages, and no others, as ones that must be remembered."""
    tab().stars = tuple(sorted(set(indices)))
    touch()


def follow_marks(marks: Sequence[int] | None) -> None:
    """Mark what a link marks, by its number in the original; the file's own marks if the link has none.

    A number of no message is reported.
    """
    state, now = tab(), current_file()
    original, edited = now.original, now.edited
    marked = marked_in_file(original) if marks is None else tuple(i for i in marks if i < len(original))
    state.stars = marked if edited is None else tuple(i for i, key in enumerate(edited.keys) if key in marked)
    beyond = ",".join(str(i + 1) for i in marks or () if i >= len(original))
    if beyond:
        held = f"the conversation has {count_of(len(original), 'message')}"
        state.misread = (*state.misread, RefusedParameter(STARS, beyond, held))


def marks_for_link(file: Opened) -> tuple[int, ...] | None:
    """The marks a link must carry, as the original numbers its messages, for that is what it opens.

    None where they are the file's own, or the file was uploaded or pasted.
    """
    keys = file.edited.keys if file.edited else range(len(file.original))
    marked = tuple(sorted(keys[i] for i in must_remember() if keys[i] >= 0))
    return None if not file.spec or marked == marked_in_file(file.original) else marked


# -- questions


def questions() -> tuple[Question, ...]:
    """Questions that might be asked later, those proposed with their answer. They are in no link."""
    if not (texts := tab().questions):
        return ()  # proposing takes a while
    known = {question.text: question for question in proposed_questions()}
    return tuple(known.get(text) or Question(text) for text in texts)


def proposed_questions() -> tuple[Question, ...]:
    """Questions that the open conversation could be asked, those a model proposed last."""
    conversation = current_file().conversation
    return propose_questions(conversation) + tab().proposed.get(conversation.digest, ())


def ask_question(text: str, *, yes: bool) -> None:
    """Take this among the questions, or out of them."""
    others = [asked for asked in tab().questions if asked != text]
    set_questions("\n".join([*others, text] if yes else others))


def set_questions(text: str) -> None:
    """Take the lines of this text as the questions."""
    lines = (" ".join(line.split())[:LONGEST_QUESTION] for line in text.splitlines())
    tab().questions = tuple(dict.fromkeys(filter(None, lines)))[:MOST_QUESTIONS]
