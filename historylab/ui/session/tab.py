"""What a tab holds, as plain data: what is open, what was chosen, where one is looking. `ui/state.py` keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.edits import Edited
from historylab.formats.load import Conversations
from historylab.settings.link import Place, Refused
from historylab.ui.session.background_work import TuneChoices


@dataclass
class Opened:
    """The file that is open: `spec` is what a link says of it (`sample:NAME`), empty for this person's own.

    `edited` is what was tried on its conversation, and goes with it.
    """

    conversations: Conversations
    spec: str
    which: int = 0
    edited: Edited | None = None

    @property
    def original(self) -> Conversation:
        """The conversation as it was opened."""
        return self.conversations[self.which]

    @property
    def conversation(self) -> Conversation:
        """The conversation on screen."""
        return self.edited.conversation if self.edited else self.original


@dataclass
class TabState:
    """One tab's state. `written` is the query string we wrote last, so that a foreign one is recognised."""

    you: dict[str, Any] = field(default_factory=dict)
    link: dict[str, str] = field(default_factory=dict)
    template: dict[str, Any] | None = None
    template_name: str = ""
    opened: Opened | None = None
    asked: Place = field(default_factory=Place)
    misread: tuple[Refused, ...] = ()
    system: str = ""  # the preset the settings began with, `NAME` or `NAME:VARIANT`
    own: tuple[dict[str, Any], dict[str, str]] | None = None  # you and link as they were before the first preset
    agreed: str = ""  # the model and server this person said yes to
    ask_now: bool = False  # the click that lets a replay ask it
    answered: dict[str, str] = field(default_factory=dict)  # replays that were asked for → a mark of that asking
    compare: list[dict[str, Any]] | None = None  # what B, C and D change; None: not thought about yet
    request: int | None = None  # from 0; None is the last
    message: int | None = None
    stars: tuple[int, ...] = ()  # messages that must be remembered, as the open conversation numbers them
    questions: tuple[str, ...] = ()  # what might be asked later
    show: str = "everything"
    search: str = ""  # words the messages shown must hold
    view: str = "list"
    only_differing: bool = False
    against: str = "B"  # which configuration the difference map draws against A
    page: int | None = None  # of the messages; None is where their view opens
    picks: int = 0  # messages chosen outside the list, which must then be drawn anew to show it
    problem: str = ""
    told: str = ""  # what a click just did, said once
    written: dict[str, str] | None = None
    wrote: list[dict[str, str]] = field(default_factory=list)  # the query strings we wrote before that one
    on: str = ""  # the page that was drawn last
    touched: bool = False
    logged: str = ""
    what_if: dict[str, dict[str, str]] = field(default_factory=dict)
    prices: dict[str, dict[str, float]] = field(default_factory=dict)  # per model, where this person knows better
    tuning: TuneChoices = field(default_factory=TuneChoices)
    began: float = 0  # when the page began to be drawn, by perf_counter
    debug: bool | None = None  # whether the debug drawer is open; None: as the link says
    wanted: str = ""  # another drawer to open, or a work to begin, when the page is drawn
