"""Opening a conversation: a sample, a generated one, files or pasted text. If that fails, the open one stays.

A click only notes what to open. The drawer reads it, or else the page as it is drawn next: both can show how far the
reading is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError, UnknownFormat
from historylab.formats.load import first_asking
from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.formats.shapes.shape import Shape
from historylab.recordings.as_sent import knows_what_was_sent
from historylab.settings.link import OWN_FILE, REQUEST, WHICH, Place, RefusedParameter
from historylab.settings.names import SYSTEM
from historylab.settings.trimmer_options import trimmer_of_system
from historylab.ui.session import address, cached, drawers, landing, session, viewing
from historylab.ui.session.choices import AS_SENT, fingerprint
from historylab.ui.session.chosen_trimmer import follow_linked_trimmer
from historylab.ui.session.given_files import Show, bound_uploads, merge_files, read_files
from historylab.ui.session.large_files import large_file, open_large
from historylab.ui.session.tab import GivenFile, RefusedFile, ToOpen
from historylab.wording.phrases import capitalize_first, uncapitalize
from historylab.wording.untrusted import one_line

KEY = "open"
"""The drawer with all the ways to do so."""


def conversation() -> Conversation:
    """The conversation on screen; at the first run the one the link asks for, else the default sample."""
    state = session.tab()
    with st.container():  # drawn also when nothing is opened: the map below is made anew when its place changes
        if state.opened is None:
            _open_linked(state.linked)
        elif state.to_open and state.wanted != KEY:
            _open_here()
    return viewing.current_file().conversation


def note_to_open(to_open: ToOpen) -> None:
    """Note what to open."""
    session.tab().to_open, session.tab().gone = to_open, ""
    session.touch()


def keep_drawer_open() -> None:
    """Draw the drawer again with the page: what was clicked stands in it."""
    drawers.keep_open(KEY)


def ask_for_upload(files: Mapping[str, GivenFile], shape: Shape | None = None) -> None:
    """Open next what of these uploads, by their ids, was not opened before; by an uploaded shape if there is one.

    A busy browser tells of an upload again after its drawer has closed, alone or beside the next one.
    """
    uploaded = session.tab().uploaded
    if new := {id: file for id, file in files.items() if id not in uploaded}:
        note_to_open(ToOpen(tuple(new.values()), shape=shape))
        keep_drawer_open()
        uploaded.update(new)


def ask_for_sample(name: str) -> None:
    """Open one of our samples next, under its own settings where nobody chose any."""
    note_to_open(ToOpen(spec=f"sample:{name}"))
    if (story := landing.story_of(name)) and landing.is_free():
        state = session.tab()
        state.to_open = state.opened = None  # its link opens it
        address.take_over(story)


def ask_for_generated(name: str, options: dict[str, object]) -> None:
    """Generate a conversation and open it next."""
    note_to_open(ToOpen(spec=f"gen:{name}:" + ",".join(f"{option}={value}" for option, value in options.items())))


def open_asked(show: Show) -> bool:
    """Open what was asked for; files that could not be read stay with the tab. Returns whether anything was opened."""
    state = session.tab()
    asked, state.to_open = state.to_open, None
    if asked is None:
        return False
    awaited = state.opened is not None and state.opened.stands_in
    try:
        opened = _open(asked, show)
    except RerunException:  # a click elsewhere: the page begins anew, and opens it then
        state.to_open = asked
        raise
    if awaited and viewing.current_file().files:  # it is taken for the one that the link was made from
        _follow_place(state.linked)
    return opened


def _open(asked: ToOpen, show: Show) -> bool:
    state = session.tab()
    if asked.spec:
        try:
            _open_spec(asked.spec)
        except HistoryLabError as problem:
            state.problem = capitalize_first(str(problem))
            return True
        state.refused = ()
        return True
    if path := large_file(asked):
        return _open_large(path, show)
    found, refused = read_files(asked, show)
    held = bound_uploads([*(file.given for file in refused), *(file.given for file, _ in found)])
    state.refused = tuple(RefusedFile(next(held), file.why, _offers_of(file, state.refused)) for file in refused)
    if found:
        files = tuple(replace(file, given=next(held)) for file, _ in found)
        conversations = merge_files(found)
        which = first_asking(conversations) if asked.which is None else min(asked.which, len(conversations) - 1)
        viewing.open_conversations(conversations, "", which, files)
    return bool(found)


def _offers_of(file: RefusedFile, before: Sequence[RefusedFile]) -> UnknownFormat | None:
    """The refusal that says what may be tried with a file: this one, or the first, where one way was tried since."""
    if isinstance(file.why, UnknownFormat):
        return file.why
    return next((each.offers for each in before if each.given == file.given), None)


def _open_large(path: Path, show: Show) -> bool:
    try:
        open_large(path, show)
    except HistoryLabError as problem:
        session.tab().refused = (RefusedFile(GivenFile(path.name, path), problem),)
        return False
    session.tab().refused = ()
    return True


def forget_refused() -> None:
    """Let go of the files that could not be read."""
    session.tab().refused = ()
    session.touch()


def open_which(which: object) -> None:
    """Show another conversation, or branch, of what is open."""
    opened = viewing.current_file()
    session.touch()
    # A late click may still name one of the file before.
    if isinstance(which, int) and which in range(len(opened.entries)):
        viewing.open_conversations(
            opened.conversations, opened.spec, which, opened.files, opened.listing, opened.listed
        )


def _open_here() -> None:
    """Open what was asked for, on the page."""
    with st.spinner("Reading"):
        read_asked()


def read_asked() -> bool:
    """Open what was asked for, with a bar here that shows how far that is. Returns whether anything was opened."""
    place = st.empty()
    opened = open_asked(lambda share, words: place.progress(min(1.0, share), words))
    place.empty()
    return opened


def name_in_quotes(given: GivenFile) -> str:
    """The file's name in quotes, or what it is without one."""
    return f"“{one_line(given.name, 80)}”" if given.name else "What you pasted"


def refusal_of(file: RefusedFile) -> str:
    """ "“orders.json”: found a number, which …": a refusal in a sentence that may quote the file."""
    offered = file.why.proposals if isinstance(file.why, UnknownFormat) else ()
    why = str(file.why).removesuffix(f". {offered[0]}") if offered else str(file.why)  # offered as buttons
    pasted = re.sub("^the file ", "what you pasted ", why)
    return f"{name_in_quotes(file.given)}: {why}" if file.given.name else capitalize_first(pasted)


def _open_spec(spec: str) -> None:
    kind, _, name = spec.partition(":")
    if kind == "gen":
        name, _, given = name.partition(":")
        options = dict(pair.partition("=")[::2] for pair in given.split(",") if pair)
        viewing.open_conversations(cached.generate_file(name, tuple(options.items())), spec)
    else:
        name = name or DEFAULT_SAMPLE
        viewing.open_conversations(cached.sample(name), f"sample:{name}")


def _open_linked(linked: Place) -> None:
    """Open what a link names, or what the command line named; or else the default sample."""
    state = session.tab()
    served = () if linked.conversation else landing.files_served()
    named = "" if linked.conversation == OWN_FILE else linked.conversation
    state.to_open = ToOpen(spec=named or f"sample:{DEFAULT_SAMPLE}")
    if not named and (state.again or served):
        state.to_open = state.again or ToOpen(files=served)
    state.again = None
    _open_here()
    found = state.opened is not None
    if not found:
        problem = state.problem
        _open_spec(f"sample:{DEFAULT_SAMPLE}")
        about = f"The link's conversation can't be opened: {uncapitalize(problem)}"
        state.problem = about if named else problem
    elif linked.conversation == OWN_FILE and not viewing.current_file().files:
        viewing.current_file().stands_in, state.presenting = True, False
    else:
        _follow_place(linked)


def _follow_place(linked: Place) -> None:
    """Show of what is open now which conversation, request and marks a link names."""
    state, opened = session.tab(), viewing.current_file()
    if linked.which:
        opened.which = min(linked.which, len(opened.entries) - 1)
    state.misread = (*state.misread, *_beyond(linked))
    state.request = linked.request
    viewing.follow_marks(linked.stars if opened.which == linked.which else None)
    if linked.system == AS_SENT:
        state.as_sent = fingerprint()
    elif trimmer_of_system(linked.system):
        follow_linked_trimmer(linked)


def _beyond(linked: Place) -> Iterator[RefusedParameter]:
    """What a link names beyond what there is of it: the last one is shown instead."""
    entries, requests = len(viewing.current_file().entries), len(viewing.current_file().original.columns.requests)
    if linked.which >= entries:
        held = count_of(entries, "conversation")
        yield RefusedParameter(WHICH, str(linked.which + 1), f"the file holds {held}; the last is shown")
    if linked.system == AS_SENT and not knows_what_was_sent(viewing.current_file().original):
        yield RefusedParameter(SYSTEM, AS_SENT, "nothing in the conversation says what was sent; settings are shown")
    if linked.request is not None and linked.request >= requests > 0:
        made = count_of(requests, "request")
        yield RefusedParameter(REQUEST, str(linked.request + 1), f"the conversation makes {made}; the last is shown")
