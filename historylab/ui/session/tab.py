"""Session state of one browser tab, as plain data: what is open, what was chosen, what is on screen.

Only the functions of this room assign its fields (tests/ui/test_session_state.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.edits import Edited
from historylab.errors import HistoryLabError, UnknownFormat
from historylab.formats.base import Report
from historylab.formats.listing import Listing
from historylab.formats.load import Conversations
from historylab.formats.sessions.find import FoundSessions
from historylab.formats.shapes.shape import Shape
from historylab.recall.questions import Question
from historylab.recordings.entries import Source
from historylab.settings.link import Place, RefusedParameter
from historylab.tuning.constraints import BETTER
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.session.address_sync import AddressSync
from historylab.ui.session.chat_session import ChatSession

FEW, MORE, MANY = 20, 50, 150
"""The most settings a search tries."""


@dataclass(frozen=True)
class GivenFile:
    """A file as it was given: its bytes, held by this tab alone, or its path on this machine; None: no longer held.

    `recorded` names the conversation of the server's recording that it has the lines of.
    """

    name: str
    data: bytes | Path | None
    recorded: str = ""


@dataclass(frozen=True)
class ReadFile:
    """A file that was read, with its report, and by which shape, if one was named."""

    given: GivenFile
    report: Report
    shape: Shape | None = None


@dataclass(frozen=True)
class RefusedFile:
    """A file that was not read, and why: a sentence that may quote it.

    `offers` is its first refusal, which says what may be tried, and stands whatever was tried since.
    """

    given: GivenFile
    why: HistoryLabError
    offers: UnknownFormat | None = None


@dataclass(frozen=True)
class ToOpen:
    """A request to open files, by a format or a shape if one is named; or `spec`, a sample or a generated one."""

    files: tuple[GivenFile, ...] = ()
    format: str = ""
    shape: Shape | None = None
    spec: str = ""
    which: int | None = None  # of its conversations; None: the first that asks a model


@dataclass(frozen=True)
class ChosenTrimmer:
    """A trimmer that was chosen in place of settings, with the options chosen for it.

    `beside` is what else was chosen then: it is shown for as long as that stays the same.
    """

    name: str
    options: dict[str, Any]
    beside: str


@dataclass(frozen=True)
class TriedChanges:
    """Settings tried with one click: the `changes`, what these `were`, and those of them `chosen` on screen before.

    `as_sent`: before them what was really sent was shown; or what a trimmer would send, of this `lane`.
    """

    changes: dict[str, Any]
    were: dict[str, Any]
    chosen: dict[str, Any]
    as_sent: bool = False
    lane: TrimmerLane | None = None


@dataclass
class Opened:
    """The open conversations: `spec` names them in a link (`sample:NAME`); it is empty for pasted text and `files`.

    `which` of its entries is on screen; `edited` is that one with the edits tried on it, which go with it. Of a large
    file there is a `listing`, and `listed` is the place in it of what is open. `stands_in`: a link was made from a file
    that it doesn't hold, and this sample is shown until that is opened.
    """

    conversations: Conversations
    spec: str
    which: int = 0
    files: tuple[ReadFile, ...] = ()
    edited: Edited | None = None
    listing: Listing | None = None
    listed: int = 0
    unmarked: set[int] = field(default_factory=set)  # messages deleted with their mark, by their key in `edited`
    stands_in: bool = False

    @cached_property
    def entries(self) -> tuple[Conversation, ...]:
        """All there is to choose from: the conversations, then the other branches of each."""
        branches = (branch for conversation in self.conversations for branch in conversation.branches)
        return (*self.conversations, *branches)

    @property
    def original(self) -> Conversation:
        """The conversation as it was opened."""
        return self.entries[self.which]

    @property
    def conversation(self) -> Conversation:
        """The conversation on screen."""
        return self.edited.conversation if self.edited else self.original


@dataclass
class WhatIf:
    """The sources as the tab Sources tries them, which changes nothing elsewhere."""

    texts: dict[str, str] = field(default_factory=dict)  # source → what it says, as if
    off: set[str] = field(default_factory=set)  # sources that say nothing, as if
    strict: bool | None = None  # whether the environment is strict, as if; None: as it is
    case: str = ""  # the ready case they come from

    def __bool__(self) -> bool:
        return bool(self.texts or self.off or self.strict is not None)


@dataclass
class TuneChoices:
    """The choices made for a search, and the volume that costs are extrapolated to."""

    varied: list[str] | None = None  # the axes a search varies; None: the usual ones
    most: int = MORE
    everywhere: bool = False  # over all conversations of the file, not the open one alone
    musts: list[str] = field(default_factory=list)
    aim: str = BETTER
    cache: str = ""  # empty: the one that the model's prices imply
    words: str = ""
    picked: str = ""  # settings key of the candidate looked at; empty: the recommended one
    volume: int = 10_000  # conversations a month


@dataclass
class LiveChoices:
    """What the page Live shows of a recording: the newest of it by itself, or what was picked."""

    picked: str = ""  # the conversation that stays; empty: whichever has the newest request
    request: int | None = None  # from 0; None is the newest
    checked: tuple[str, int] = ("", 0)  # the conversation whose decisions are checked, as of this line


@dataclass
class HeldFile:
    """What was opened in this tab, which the page Conversations goes on listing; `gone` are those taken off it."""

    number: int
    opened: Opened
    at: float  # seconds since 1970
    gone: set[int] = field(default_factory=set)


@dataclass
class LibraryChoices:
    """The choices made on the page Conversations."""

    held: list[HeldFile] = field(default_factory=list)
    numbered: int = 0  # how many were held so far
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of held ones, by their keys
    search: str = ""
    source: Source | None = None
    wanted_tags: list[str] = field(default_factory=list)
    sort: str = ""  # the column, the most first; with "-" the least first; empty: the newest first
    page: int | None = None  # of the list; None: the one with what is open
    ticked: dict[str, None] = field(default_factory=dict)  # keys, in the order of the clicks
    question: str = ""  # for which it shows what would be remembered


@dataclass(frozen=True)
class PageFailure:
    """A fault that ended a run of a page: `what` it was, without any text of a file, and `where` in our code."""

    page: str
    what: str
    where: tuple[str, ...]


@dataclass
class TabState:
    """One tab's state."""

    # settings
    you: dict[str, Any] = field(default_factory=dict)  # chosen on screen
    link: dict[str, str] = field(default_factory=dict)  # its own parameters, by URL name, and its version
    template: dict[str, Any] | None = None
    template_name: str = ""
    recorded: bool = True  # use what the open file was recorded with, where nothing else decides
    recorded_dismissed: bool = False  # the line that says so
    strict: bool = False  # this tab has the environment shut out the URL and what is chosen on screen
    system: str = ""  # the preset the settings began with, `NAME` or `NAME:VARIANT`
    system_linked: bool = False  # whether a link named it, and nobody here chose it
    as_sent: str | None = None  # what else was chosen when this was: AS_SENT; "": the settings; None: nobody chose
    trimmer: ChosenTrimmer | None = None  # what was chosen in place of settings
    before_preset: tuple[dict[str, Any], dict[str, str]] | None = None  # you and link before the first preset
    trial: TriedChanges | None = None  # what is tried to keep a message
    what_if: WhatIf = field(default_factory=WhatIf)
    prices: dict[str, dict[str, float]] = field(default_factory=dict)  # per model, dollars per million tokens
    compare: list[dict[str, Any]] | None = None  # what each of those compared changes; None: nothing chosen yet
    compared_without: frozenset[str] = frozenset()  # `link.YOURS` and `WAS_SENT`, where these are not compared
    compare_edits: str = ""  # the letter of the one whose settings are open; empty: none
    recommended: tuple[str, dict[str, Any]] | None = None  # a conversation's digest, and what a search found for it
    tuning: TuneChoices = field(default_factory=TuneChoices)
    live: LiveChoices = field(default_factory=LiveChoices)
    library: LibraryChoices = field(default_factory=LibraryChoices)

    # consent
    agreed: str = ""  # the model and server this tab has consent for
    ask_now: bool = False  # the click that lets a replay ask it
    answered: dict[str, str] = field(default_factory=dict)  # replays that asked → a mark of when they did

    # what is open, and what of it is on screen
    opened: Opened | None = None
    to_open: ToOpen | None = None  # what a click asked for, until the page or the drawer does it
    again: ToOpen | None = None  # what was open before the page was loaded, and changed on disk since
    uploaded: set[str] = field(default_factory=set)  # every file given so far, by the browser's ids
    refused: tuple[RefusedFile, ...] = ()  # files that were not read
    sessions: FoundSessions | None = None  # of coding agents on this machine, once they were asked for
    request: int | None = None  # from 0; None is the last
    message: int | None = None
    stars: tuple[int, ...] = ()  # messages that must be remembered, as the open conversation numbers them
    questions: tuple[str, ...] = ()  # what might be asked later
    proposed: dict[str, tuple[Question, ...]] = field(default_factory=dict)  # by a model, per conversation's digest
    proposals_wanted: str = ""  # the model and server that are to propose some, by a click just now
    show: str = "everything"
    search: str = ""  # words looked for in the messages
    asked: tuple[str, int] = ("", 0)  # words it was asked why of, and the request (from 0) shown then
    view: str = "list"
    picks: int = 0  # messages chosen outside the list, which then scrolls there
    payload: str = "What changed"  # or "Whole"
    shown_tabs: int = 0  # times one of the tabs was asked for
    only_differing: bool = False
    presenting: bool = False  # whether the link opens the presenter's view
    playing: bool = False  # whether Compare's maps play by themselves, until a request is chosen
    field_versions: dict[str, int] = field(default_factory=dict)  # how often another control set each field
    fields_before: tuple[dict[str, Any], float] = (
        {},
        0.0,
    )  # what they held before a file or a system; and when
    field_words: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the words that a choice offered last
    wanted: str = ""  # a drawer to open, or a work to begin, when the page is drawn
    drawer: str = ""  # the one that is drawn

    # the chat
    chat: ChatSession = field(default_factory=ChatSession)

    # notices
    problem: str = ""
    announcement: str = ""  # what a click just did, shown once
    logged: str = ""

    # the address
    linked: Place = field(default_factory=Place)  # what the link opens
    misread: tuple[RefusedParameter, ...] = ()
    address: AddressSync = field(default_factory=AddressSync)
    page: str = ""  # the one that is drawn
    began: float = 0  # when it began to be, by perf_counter
    failure: PageFailure | None = None

    # before the page was loaded
    token: str | None = None  # by which the browser asks for what is open here; "": nothing; None: it was told nothing
    asked_browser: bool = False  # whether it said what it had
    gone: str = ""  # the name of what was open and is no longer held
