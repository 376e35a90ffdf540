"""Every error HistoryLab raises on purpose, drawn as one tree.

    HistoryLabError
    ├── SettingsError           (also ValueError)   a setting has no such name, value or bound
    ├── UnknownMember           (also ValueError)   a family has no member of that name
    ├── LoadError               (also ValueError)   a file is no conversation we can read
    │   ├── UnknownFormat                           no format, or several, recognise it
    │   ├── TooLarge                                it is over a stated limit
    │   └── NothingRead                             of several files, none could be read
    ├── StoreError              (also ValueError)   a store cannot keep a message, or cannot reach what it keeps
    ├── PlanError                                   a stage broke a rule of the plan
    ├── InstrumentError                             a counter, summarizer or model could not do its work
    └── WorkerLost                                  part of a sweep could not be done, however often it was tried

A message says what was asked, what was found, and what to do. Anything else that escapes is a bug.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches


class HistoryLabError(Exception):
    """The root: catch this to catch every refusal of HistoryLab."""


class SettingsError(HistoryLabError, ValueError):
    """A setting was given a name, value or bound that cannot be."""


class UnknownMember(HistoryLabError, ValueError):
    """A family (pruners, counters, …) has no member of that name. `titles`: what people call members → their names."""

    def __init__(self, family: str, name: object, known: list[str], titles: Mapping[str, str] | None = None):
        by_word = {word.casefold(): given for word, given in [*zip(known, known, strict=True), *(titles or {}).items()]}
        near = get_close_matches(str(name).casefold()[:80], by_word, n=2)
        meant = f" (did you mean {' or '.join(dict.fromkeys(by_word[word] for word in near))}?)" if near else ""
        super().__init__(f"there is no {family} {name!r:.80}{meant}; choose one of {', '.join(known)}")
        self.family, self.name, self.known = family, name, known


class LoadError(HistoryLabError, ValueError):
    """A file or text could not be read as a conversation."""


class UnknownFormat(LoadError):
    """No format, or more than one, recognises the content."""


class TooLarge(LoadError):
    """The content is over a limit we state."""


class NothingRead(LoadError):
    """Of several files none could be read. `skipped`: each one's path → the reason."""

    def __init__(self, skipped: Mapping[str, str]):
        why = list(skipped.values())
        super().__init__(why[0] if len(why) == 1 else f"none of the {len(why):,} files could be read: {'; '.join(why)}")
        self.skipped = dict(skipped)


class StoreError(HistoryLabError, ValueError):
    """A conversation store cannot keep a message, or cannot reach what it keeps."""


class PlanError(HistoryLabError):
    """A stage broke one of the four rules; the message names the stage and the rule."""


class InstrumentError(HistoryLabError):
    """A counter, summarizer, relevance scorer or chat model could not do its work.

    `pause`: seconds for which any other request would most likely fail alike (key refused, nobody there); else 0.
    """

    def __init__(self, message: str, *, pause: float = 0):
        super().__init__(message)
        self.pause = pause


class WorkerLost(HistoryLabError):
    """A part of a sweep failed or lost its worker every time it was given out."""
