"""The recording that the page Live watches: which conversation of it is on screen, and the way to the playground."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError, StoreError
from historylab.formats.load import Conversations, first_asking
from historylab.recordings.place import named_place
from historylab.recordings.watch import Watch, WatchedConversation
from historylab.ui.session import cached_recording, drawers, session, viewing
from historylab.ui.session.given_files import bound_uploads
from historylab.ui.session.session import tab
from historylab.ui.session.tab import GivenFile, ReadFile

MOST_LISTED = 50
TO_PLAYGROUND = "to the playground"


def recording() -> Watch | None:
    """The recording that the server was started with; None if it names none. Raises StoreError."""
    place = named_place()
    return cached_recording.open_watch(place) if place else None


def newest_line() -> int | str:
    """The number of the newest line there is; or why it can't be read."""
    try:
        watch = recording()
        return watch.poll() if watch else 0
    except StoreError as problem:
        return str(problem)


def on_screen(listed: Sequence[WatchedConversation], watch: Watch) -> WatchedConversation | None:
    """The conversation shown: the one picked while the recording has it, else the newest that has a request."""
    picked = tab().live.picked
    return (watch.find(picked) if picked else None) or next((one for one in listed if one.requests), None)


def pick(conversation: str) -> None:
    """Stay with that conversation, at its newest request."""
    live = tab().live
    live.picked, live.request = conversation, None
    session.touch()


def follow_newest() -> None:
    """Show whichever conversation has the newest request."""
    pick("")


def show_request(conversation: str, request: int | None) -> None:
    """Show that request (from 0) of it, and stay with it; None is the newest, whenever one comes."""
    live = tab().live
    live.request = request
    if request is not None and live.picked != conversation:
        live.picked = conversation
        session.touch()  # the list says so


def check_decisions(conversation: str, line: int) -> None:
    """Plan the requests of that conversation again, and compare; until a line comes after this one."""
    tab().live.checked = conversation, line


def main_conversation(found: Conversations) -> Conversation:
    """The one of a recording's conversation that is shown: a log may hold more, of which one makes requests."""
    return found[first_asking(found)]


def open_in_playground(watch: Watch, id: str, request: int | None = None, message: int | None = None) -> None:
    """Open a conversation as any file of the recording is opened; there at that request and message (from 0)."""
    try:
        found, known = watch.conversations(id), watch.find(id)
        given = next(bound_uploads([GivenFile(f"{(known and known.title) or id}.jsonl", watch.file(id), id)]))
    except HistoryLabError as problem:
        session.report_problem(f"The conversation can't be opened: {problem}")
        return
    viewing.open_conversations(found, "", first_asking(found), (ReadFile(given, found.report),))
    if request is not None:
        viewing.select_request(request)
    if message is not None:
        viewing.reveal_message(message)
    ask_for_playground()
    session.touch()


def ask_for_playground() -> None:
    """Have the page leave for it, when it is drawn."""
    drawers.ask_for(TO_PLAYGROUND)


def leaves_for_playground() -> bool:
    """Whether a click just opened something there. True once; the way there has no address, and the state wins."""
    leaves = drawers.take_open_request(TO_PLAYGROUND)
    if leaves:
        session.touch()
    return leaves
