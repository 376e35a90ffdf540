"""Every error HistoryLab raises on purpose, as one tree.

    HistoryLabError
    ├── SettingsError           (also ValueError)   an unknown setting, or a value outside its bounds
    ├── UnknownMember           (also ValueError)   a family has no member of that name
    ├── LoadError               (also ValueError)   a file that cannot be read as a conversation
    │   ├── UnknownFormat                           no format recognises it, or several do
    │   ├── TooLarge                                it exceeds a stated limit
    │   └── NothingRead                             none of several files could be read
    ├── StoreError              (also ValueError)   a store cannot keep what it was given, or cannot be reached
    │   └── StoreLost                               … and may or may not have kept what it was given last
    ├── PlanError                                   a stage broke a rule of the plan
    │   └── NothingToSend                           the settings leave no message, which every API refuses
    ├── InstrumentError                             a counter, summarizer or model failed
    │   └── ModelError                              a chat model gave no answer
    ├── MissingLibrary          (also ImportError)  what was asked for needs a library that isn't installed
    └── WorkerLost                                  part of a sweep failed in every attempt

Every message states what was asked, what was found and what to do. Any other exception that escapes is a bug.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any


class HistoryLabError(Exception):
    """The base class: catches every error HistoryLab raises on purpose."""


class SettingsError(HistoryLabError, ValueError):
    """An unknown setting, or a value that is not valid for it."""


class UnknownMember(HistoryLabError, ValueError):
    """A family (pruners, counters, …) has no member of that name. `titles`: a member's title → its name."""

    def __init__(self, family: str, name: object, known: list[str], titles: Mapping[str, str] | None = None):
        from difflib import get_close_matches

        by_word = {word.casefold(): given for word, given in [*zip(known, known, strict=True), *(titles or {}).items()]}
        near = get_close_matches(str(name).casefold()[:80], by_word, n=2)
        meant = f" (did you mean {' or '.join(dict.fromkeys(by_word[word] for word in near))}?)" if near else ""
        super().__init__(f"there is no {family} {name!r:.80}{meant}; choose one of {', '.join(known)}")
        self.family, self.name, self.known = family, name, known


class LoadError(HistoryLabError, ValueError):
    """A file or text could not be read as a conversation."""


class UnknownFormat(LoadError):
    """No format recognises the content, or more than one does.

    `claims`: how surely each format recognised it, by name. `nearest`: the formats it has most in common with.
    `proposals`: where its messages may be, each with a `shape` that `load` takes. `lists`: without any, the paths of
    the lists in it, each with keys of its items.
    """

    def __init__(
        self,
        message: str,
        claims: Mapping[str, float] | None = None,
        nearest: Sequence[str] = (),
        proposals: Sequence[Any] = (),
        lists: Mapping[str, Sequence[str]] | None = None,
    ):
        super().__init__(message)
        self.claims, self.nearest, self.proposals = dict(claims or {}), tuple(nearest), tuple(proposals)
        self.lists = dict(lists or {})


class TooLarge(LoadError):
    """The content exceeds a stated limit."""


class NothingRead(LoadError):
    """None of several files could be read. `skipped`: path → reason."""

    def __init__(self, skipped: Mapping[str, str]):
        why = list(skipped.values())
        super().__init__(why[0] if len(why) == 1 else f"none of the {len(why):,} files could be read: {'; '.join(why)}")
        self.skipped = dict(skipped)


class StoreError(HistoryLabError, ValueError):
    """A store cannot keep what it was given, or cannot be reached."""


class StoreLost(StoreError):
    """A store was lost while it wrote: it may or may not have kept what it was given."""


class PlanError(HistoryLabError):
    """A stage broke one of the four rules; the message names the stage and the rule."""


class NothingToSend(PlanError):
    """The settings leave no message of a request, which no API would take."""


class InstrumentError(HistoryLabError):
    """A counter, summarizer, relevance scorer or chat model failed.

    `pause`: seconds for which other requests will most likely fail too (key refused, server unreachable); else 0.
    """

    def __init__(self, message: str, *, pause: float = 0):
        super().__init__(message)
        self.pause = pause


class ModelError(InstrumentError):
    """A chat model gave no answer.

    Attributes:
        kind: why, for those who show it: `no_key`, `address`, `private`, `key` (401), `forbidden` (403), `not_found`
            (404), `busy` (429), `too_long`, `refused` (another 4xx), `server` (5xx), `redirect`, `network`, `timeout`,
            `unusable`, `end` (of what is replayed).
        status: the HTTP status; 0 where there was none.
        wait: seconds the server asks to wait, if it says so.
        quote: the server's own words, shortened, without keys.
        window, requested: of a request that is too long, tokens the model takes and those it had, as far as known.
    """

    def __init__(
        self,
        message: str,
        kind: str = "unusable",
        *,
        pause: float = 0,
        status: int = 0,
        wait: float | None = None,
        quote: str = "",
        window: int | None = None,
        requested: int | None = None,
    ):
        super().__init__(message, pause=pause)
        self.kind, self.status, self.wait, self.quote = kind, status, wait, quote
        self.window, self.requested = window, requested


class MissingLibrary(HistoryLabError, ImportError):
    """What was asked for needs a library that isn't installed; the message has the command that installs it."""


@contextmanager
def needs(libraries: str, what: str) -> Iterator[None]:
    """Around an import: MissingLibrary, with `pip install {libraries}`, where `what` needs what isn't installed."""
    try:
        yield
    except ModuleNotFoundError as problem:
        said = f"{what} needs {problem.name}, which isn't installed: pip install {libraries}"
        raise MissingLibrary(said, name=problem.name) from None


class WorkerLost(HistoryLabError):
    """A part of a sweep failed, or lost its worker, in every attempt."""
