"""Opening a conversation: a sample, a generated one, an upload or pasted text. What was open stays if that fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.formats.load import UPLOAD_BYTES, load
from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.settings.link import Place
from historylab.ui.session import cached, state
from historylab.wording.untrusted import one_line

KEY = "open another"  # the popover with all the ways to do so


def conversation() -> Conversation:
    """The conversation on screen; at the first run the one the link asks for, else the default sample."""
    here = state.desk()
    if here.opened is None:
        _open_linked(here.asked)
    return here.opened.conversation


def open_sample(name: str) -> None:
    """Open one of our samples."""
    _open(lambda: state.open_conversations(cached.sample(name), f"sample:{name}"))


def open_generated(name: str, options: Mapping[str, Any]) -> None:
    """Make a conversation from a seed and open it."""
    said = ",".join(f"{option}={value}" for option, value in options.items())
    _open(lambda: state.open_conversations(cached.generated(name, tuple(options.items())), f"gen:{name}:{said}"))


def open_bytes(data: bytes, name: str) -> None:
    """Open what came from this person's disk or clipboard. It is held by this tab and by nothing else."""
    _open(
        lambda: state.open_conversations(load(data, name=name, max_bytes=UPLOAD_BYTES), spec=""),
        f"“{one_line(name, 80)}”: " if name else "",
    )


def open_which(which: object) -> None:
    """Show another conversation of the open file."""
    opened = state.desk().opened
    state.touch()
    if which in range(len(opened.conversations)):  # a late click may still name one of the file before
        state.open_conversations(opened.conversations, opened.spec, which)


def _open(action, about: str = "") -> bool:
    state.touch()
    try:
        action()
    except HistoryLabError as problem:
        said = str(problem)
        state.desk().problem = f"{about}{said}" if about else f"{said[:1].upper()}{said[1:]}"
        return False
    state.seed_widget(KEY, False)
    return True


def _open_linked(asked: Place) -> None:
    """What a link asks for: a sample, a generated conversation to make again, or else the default sample."""
    here = state.desk()
    kind, _, spec = asked.conversation.partition(":")
    if kind == "gen":
        name, _, said = spec.partition(":")
        open_generated(name, dict(pair.partition("=")[::2] for pair in said.split(",") if pair))
    else:
        open_sample(spec or DEFAULT_SAMPLE)
    found = here.opened is not None
    if not found:
        problem = here.problem
        open_sample(DEFAULT_SAMPLE)
        here.problem = f"The link's conversation can't be opened: {problem[:1].lower()}{problem[1:]}"
    here.touched = False
    here.opened.which = min(asked.which, len(here.opened.conversations) - 1)
    here.request = asked.request
    state.follow_marks(asked.stars if found and here.opened.which == asked.which else None)
