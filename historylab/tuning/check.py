"""Check: whether settings, or what an app sent, meet wishes on conversations, and what that changes against others.

A wish on every conversation is a fact about it: held or broken. A percentage is an estimate over all of them: held or
broken where its interval says so, else unsure, as is whatever a file doesn't show. One or two conversations say nothing
of others, so there it is held or broken as seen. Costs are those of the recorded model and its cache, unless a wish
names another cache.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, NothingRead, SettingsError, UnknownFormat
from historylab.formats.files.folders import files_at
from historylab.formats.files.object_stores import is_address
from historylab.formats.files.pieces import split_file
from historylab.formats.load import Conversations
from historylab.formats.shapes.shape import Shape
from historylab.planning.replay import Timeline
from historylab.planning.validity import lost_prompts
from historylab.recordings.as_sent import why_not_as_sent
from historylab.trimmers.given import TrimmerChoice
from historylab.tuning.constraints import RELATIVE, Wish
from historylab.tuning.findings import (
    BROKEN,
    HELD,
    UNSURE,
    ConversationPlace,
    Finding,
    Spent,
    is_share,
    judge_wish,
    measure_spending,
    merge_findings,
)
from historylab.tuning.moving_cut import MovingCut, moving_cut, with_mend
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions, Replayed, open_lane


class Failure(NamedTuple):
    """A conversation in which a trimmer failed at some `requests` (of so many), and why it did so `first` (from 0).

    `of_base`: it isn't the one checked, but the one that this is set against.
    """

    place: ConversationPlace
    trimmer: str
    requests: int
    of: int
    first: int
    why: str
    of_base: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found.

    `lane` was checked. `now` is, per conversation of `places`, what it loses and costs, `before` the same in the lane
    that it is set `against`. `unread` says why a file could not be read, or a conversation not be judged; `left_out`
    are files that hold no conversation. `moving` is the conversation in which the cut moves most, of `moving_in` in
    which it moves at most requests. `driven` are the trimmers, `failures` the conversations in which one failed, the
    one checked first. `requests`: how many were judged, or failed, in all; `without_prompt`: how many of these a
    trimmer sends without the system prompt.
    """

    findings: tuple[Finding, ...]
    places: tuple[ConversationPlace, ...]
    lane: Lane
    against: Lane | None = None
    unread: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    partly_read: int = 0
    now: tuple[Spent, ...] = ()
    before: tuple[Spent, ...] = ()
    moving: tuple[ConversationPlace, MovingCut] | None = None
    moving_in: int = 0
    driven: tuple[TrimmerChoice, ...] = ()
    notes: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    requests: int = 0
    without_prompt: int = 0

    @property
    def broken_at(self) -> tuple[Failure, ...]:
        """The conversations in which the trimmer that is checked failed: an app would have failed there, too."""
        return tuple(failure for failure in self.failures if not failure.of_base)

    @property
    def verdict(self) -> str:
        """BROKEN if any wish is or the trimmer failed; HELD if any wish is held and none broken; else UNSURE."""
        return BROKEN if self.broken_at else self.of_wishes

    @property
    def of_wishes(self) -> str:
        """The verdict on the wishes alone."""
        found = {finding.verdict for finding in self.findings} or {HELD if self.before else UNSURE}
        return next(verdict for verdict in (BROKEN, HELD, UNSURE) if verdict in found)

    @property
    def unsure(self) -> int:
        """How often nothing can be said, and how many files could not be read."""
        return sum(finding.verdict == UNSURE for finding in self.findings) + len(self.unread)

    def fails(self, *, strict: bool = False) -> bool:
        """Tell whether a wish is broken or the trimmer failed; if `strict`, also if anything is unsure."""
        return self.verdict == BROKEN or (strict and (self.unsure > 0 or self.verdict == UNSURE))


def run_check(
    given: Conversation | str | os.PathLike[str] | Iterable[Conversation | str | os.PathLike[str]],
    lane: Lane,
    wishes: Sequence[Wish],
    *,
    against: Lane | None = None,
    options: MeasureOptions | None = None,
    shape: Shape | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Judge conversations, files and folders of them in a lane: settings, "as-sent", a trimmer; and `against` another.

    Aims are nothing to check and are left out. A file that can't be read makes the check unsure, and so does a
    conversation whose file doesn't say what was sent, where that is asked; one in a folder that is in no known format
    is left out. `progress` is called with (files done, files in all).

    Raises SettingsError for a file that isn't there or an empty folder, where no file says what was sent, and where a
    trimmer fails at every request; NothingRead if no file could be read, LoadError if none holds a conversation.
    """
    items = [given] if isinstance(given, Conversation | str | os.PathLike) else list(given)
    sources = _Sources(items, shape, progress)
    asked = list(dict.fromkeys(wish for wish in wishes if wish.name != "aim"))
    if against is None and (alone := [wish.said for wish in asked if wish.name in RELATIVE]):
        raise SettingsError(f"“{alone[0]}” needs settings to compare with, or what was sent: --against FILE or as-sent")
    options = options or MeasureOptions()
    findings, places, now, before = list[Finding](), list[ConversationPlace](), list[Spent](), list[Spent]()
    most: tuple[MovingCut, ConversationPlace, Replayed] | None = None
    moving_in, drives = 0, _Drives()
    for place, conversation in sources.read():
        if AS_SENT in (lane, against) and (why := why_not_as_sent(conversation)):
            sources.untold[_name(place)] = why
            continue
        replayed = Replayed(open_lane(conversation, lane, against), options)
        other = Replayed(open_lane(conversation, against, lane), options) if against else None
        drives.note(place, replayed.timeline)
        if other:
            drives.note(place, other.timeline, of_base=True)
        places.append(place)
        findings += (judge_wish(wish, place, replayed, other) for wish in asked)
        if other:
            now.append(measure_spending(replayed))
            before.append(measure_spending(other))
        if moving := moving_cut(replayed.timeline):
            moving_in += 1
            if most is None or moving.moved > most[0].moved:
                most = moving, place, replayed
    sources.require(places)
    drives.require()
    return Check(
        tuple(_order_by_wish(findings, asked)),
        tuple(places),
        lane,
        against,
        {**sources.unread, **sources.untold},
        tuple(sources.left_out),
        sources.partly_read,
        tuple(now),
        tuple(before),
        (most[1], with_mend(most[0], most[2].timeline)) if most else None,
        moving_in,
        tuple(drives.choices.values()),
        tuple(drives.notes),
        tuple(sorted(drives.failures, key=lambda failure: failure.of_base)),
        drives.requests,
        drives.without_prompt,
    )


def _name(place: ConversationPlace) -> str:
    return f"{place.file or place.title}{f', conversation {place.number:,}' if place.number else ''}"


def _order_by_wish(findings: Sequence[Finding], asked: Iterable[Wish]) -> Iterator[Finding]:
    """Wish by wish; those on a share are one finding over all conversations."""
    for wish in asked:
        own = [finding for finding in findings if finding.wish == wish]
        yield from [merge_findings(own)] if is_share(wish) else own


class _Drives:
    """The trimmers that were driven: how to read what they do, and where they failed."""

    def __init__(self) -> None:
        self.choices: dict[str, TrimmerChoice] = {}
        self.notes: dict[str, None] = {}
        self.failures: list[Failure] = []
        self.requests = self.without_prompt = 0
        self._judged: Counter[str] = Counter()

    def note(self, place: ConversationPlace, timeline: Timeline, *, of_base: bool = False) -> None:
        requests = len(timeline.plans)
        self.requests += 0 if of_base else requests
        if timeline.run is None:
            return
        self.without_prompt += 0 if of_base else int(lost_prompts(timeline).sum())
        name, errors = timeline.run.choice.name, timeline.errors
        self.choices.setdefault(name, timeline.run.choice)
        self.notes |= dict.fromkeys(timeline.run.notes)
        self._judged[name] += int(timeline.judged.sum())
        if errors:
            first = min(errors)
            self.failures.append(Failure(place, name, len(errors), requests, first, errors[first], of_base))

    def require(self) -> None:
        """Raises SettingsError where a trimmer failed at every request, as nothing can be said of one."""
        for failure in self.failures:
            if not self._judged[failure.trimmer]:
                raise SettingsError(f"{failure.trimmer} fails at every request: {failure.why}")


class _Sources:
    """Reads what is given one by one, and keeps what could not be read and why."""

    def __init__(
        self,
        given: Sequence[Conversation | str | os.PathLike[str]],
        shape: Shape | None,
        progress: Callable[[int, int], None] | None,
    ):
        self.partly_read = 0
        self.unread: dict[str, str] = {}
        self.untold: dict[str, str] = {}
        self.left_out: dict[str, str] = {}
        self._found: list[tuple[Conversation | str, bool]] = []
        for item in given:
            self._found += [(item, False)] if isinstance(item, Conversation) else _files(os.fspath(item))
        self._shape, self._progress = shape, progress

    def read(self) -> Iterator[tuple[ConversationPlace, Conversation]]:
        for done, (item, in_folder) in enumerate(self._found):
            if self._progress:
                self._progress(done, len(self._found))
            if isinstance(item, Conversation):
                yield ConversationPlace("", item.title), item
                continue
            seen = 0
            for piece in split_file(item, self._shape):
                try:
                    conversations = piece.read()
                except LoadError as problem:
                    other = in_folder and isinstance(problem, UnknownFormat)
                    (self.left_out if other else self.unread).setdefault(item, str(problem))
                    continue
                self.partly_read += isinstance(conversations, Conversations) and bool(conversations.report.remarks)
                several = len(conversations) > 1 or piece.stop is not None
                for conversation in conversations:
                    seen += 1
                    yield ConversationPlace(item, conversation.title, seen if several else 0), conversation
                    conversation.derived.clear()  # it refers back, and would wait for the garbage collector

    def require(self, places: Sequence[ConversationPlace]) -> None:
        """Raises an error if there was no conversation."""
        if not places and self.untold and not self.unread:
            raise SettingsError(next(iter(self.untold.values())))
        if not places and (self.unread or self.left_out):
            raise NothingRead(self.unread or self.left_out)
        if not places:
            raise LoadError("there is no conversation to check")


def _files(path: str) -> list[tuple[str | Conversation, bool]]:
    """The files at a path or an address, each with whether it was found there. SettingsError if there is none."""
    found = files_at(path)
    if found == [path] and not (is_address(path) or os.path.exists(path)):
        raise SettingsError(f"there is no file or folder {path!r} to check")
    if not found:
        raise SettingsError(f"the folder {path!r} holds no files")
    return [(file, file != path) for file in found]
