"""Opening a conversation: a sample, a generated one, an upload or pasted text. If that fails, the open one stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.formats.load import UPLOAD_BYTES, load
from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.settings.link import Place
from historylab.settings.names import OPEN
from historylab.ui.session import cached, session, viewing
from historylab.wording.untrusted import one_line

KEY = "open another"  # the popover with all the ways to do so


def conversation() -> Conversation:
    """The conversation on screen; at the first run the one the link asks for, else the default sample."""
    if session.tab().opened is None:
        _open_linked(session.tab().linked)
    return viewing.opened().conversation


def open_sample(name: str) -> None:
    """Open one of our samples."""
    session.touch()
    _open_sample(name)


def _open_sample(name: str) -> None:
    _open(lambda: viewing.open_conversations(cached.sample(name), f"sample:{name}"))


def open_generated(name: str, options: Mapping[str, Any]) -> None:
    """Generate a conversation and open it."""
    session.touch()
    _open_generated(name, options)


def _open_generated(name: str, options: Mapping[str, Any]) -> None:
    spec = f"gen:{name}:" + ",".join(f"{option}={value}" for option, value in options.items())
    _open(lambda: viewing.open_conversations(cached.generated(name, tuple(options.items())), spec))


def open_bytes(data: bytes, name: str) -> None:
    """Open an uploaded file or pasted text. This tab alone holds it."""
    session.touch()
    _open(
        lambda: viewing.open_conversations(load(data, name=name, max_bytes=UPLOAD_BYTES), spec=""),
        f"“{one_line(name, 80)}”: " if name else "",
    )


def open_path(path: Path) -> None:
    """Open a file of the machine that serves the page, read where it is."""
    session.touch()
    _open_path(path)


def _open_path(path: Path) -> None:
    _open(lambda: viewing.open_conversations(load(path), spec=""), f"“{one_line(path.name, 80)}”: ")


def open_which(which: object) -> None:
    """Show another conversation of the open file."""
    opened = viewing.opened()
    session.touch()
    # A late click may still name one of the file before.
    if isinstance(which, int) and which in range(len(opened.conversations)):
        viewing.open_conversations(opened.conversations, opened.spec, which)


def _open(action: Callable[[], None], about: str = "") -> None:
    try:
        action()
    except HistoryLabError as problem:
        why = str(problem)
        session.tab().problem = f"{about}{why}" if about else f"{why[:1].upper()}{why[1:]}"
        return
    session.seed_widget(KEY, False)


def _open_linked(linked: Place) -> None:
    """Open what a link names: a sample, a generated conversation to make again, or else the default sample."""
    state = session.tab()
    kind, _, spec = linked.conversation.partition(":")
    if not kind and (path := os.environ.get(OPEN)):
        _open_path(Path(path))
    elif kind == "gen":
        name, _, options = spec.partition(":")
        _open_generated(name, dict(pair.partition("=")[::2] for pair in options.split(",") if pair))
    else:
        _open_sample(spec or DEFAULT_SAMPLE)
    found = state.opened is not None
    if not found:
        problem = state.problem
        _open_sample(DEFAULT_SAMPLE)
        about = f"The link's conversation can't be opened: {problem[:1].lower()}{problem[1:]}"
        state.problem = about if kind else problem
    opened = viewing.opened()
    opened.which = min(linked.which, len(opened.conversations) - 1)
    state.request = linked.request
    viewing.follow_marks(linked.stars if found and opened.which == linked.which else None)
