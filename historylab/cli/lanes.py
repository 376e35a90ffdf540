"""The lane of a command that isn't settings: --as-sent, what was really sent, or --trimmer, one that isn't ours."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO, cast

from historylab.cli.base import settings_from
from historylab.cli.progress import progress_bar
from historylab.errors import MissingLibrary, PlanError, SettingsError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.planning.replay import Timeline
    from historylab.tuning.replayed import Lane, TrimmerLane

WITH_A_VALUE = ("--trimmer", "--trimmer-option", "--trimmer-seconds", "--trimmer-form")
"""The options of a trimmer whose value is the next argument."""
STDOUT, STDERR = 1, 2
NAMES = ("trimmer", "against")
"""Options that may name a trimmer, to which those after them belong."""


def add_as_sent(parser: argparse.ArgumentParser) -> None:
    """--as-sent."""
    parser.add_argument(
        "--as-sent",
        action="store_true",
        help="what was really sent, as far as the file says so, instead of what settings would send",
    )


def add_trimmer(parser: argparse.ArgumentParser, dest: str = "trimmers", *, several: bool = False) -> None:
    """--trimmer and its options."""
    more = "; repeat it for more, each with its own options after it" if several else ""
    about = f"what this trimmer would send: one of historylab.trimmers(), or a function of yours{more}"
    parser.add_argument(
        "--trimmer", action=_InOrder, dest=dest, const="trimmer", metavar="NAME or MODULE:FUNCTION", help=about
    )
    add_trimmer_options(parser, dest)


def add_trimmer_options(parser: argparse.ArgumentParser, dest: str = "trimmers") -> None:
    """The options that say how the trimmer named before them is driven."""
    parser.add_argument(
        "--trimmer-option",
        action=_InOrder,
        dest=dest,
        const="options",
        type=_read_option,
        metavar="KEY=VALUE",
        help="an option of the trimmer named before it, its value as JSON or text; repeat it for more",
    )
    parser.add_argument(
        "--trimmer-carry",
        action=_InOrder,
        dest=dest,
        const="carry",
        nargs=0,
        help="give it what it returned last and what was said since, as an app does that overwrites its history",
    )
    parser.add_argument(
        "--trimmer-form",
        action=_InOrder,
        dest=dest,
        const="form",
        metavar="NAME",
        help="how it takes messages, where its annotations don't tell (default: chat_completions)",
    )
    parser.add_argument(
        "--trimmer-seconds",
        action=_InOrder,
        dest=dest,
        const="seconds",
        type=_read_seconds,
        metavar="N",
        help="how long it may take for an answer (default: 10)",
    )


def add_against(parser: argparse.ArgumentParser, help: str) -> None:
    """--against, which takes settings, as-sent or a trimmer; `read_against` reads it."""
    parser.add_argument(
        "--against", action=_InOrder, dest="trimmers", const="against", metavar="FILE, as-sent or TRIMMER", help=help
    )


class _InOrder(argparse.Action):
    """Notes what is given in its order, so that an option belongs to the trimmer named before it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        given = getattr(namespace, self.dest, None) or []
        setattr(namespace, self.dest, [*given, (self.const, True if self.nargs == 0 else values)])


def _read_option(text: str) -> tuple[str, Any]:
    """KEY=VALUE; a value that is no JSON is text."""
    from historylab.settings.trimmer_options import read_option_text

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, for instance max_tokens=4000")
    return name.strip(), read_option_text(value)


def _read_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


def read_trimmer(arguments: argparse.Namespace) -> TrimmerLane | None:
    """The trimmer to drive, if one was named. Raises SettingsError for several, and for one that can't be opened."""
    found = read_trimmers(arguments)
    if len(found) > 1:
        raise SettingsError("name one --trimmer; historylab compare takes several")
    return found[0] if found else None


def read_trimmers(arguments: argparse.Namespace) -> list[TrimmerLane]:
    """The trimmers that were named, each with its own options. Raises SettingsError for one that can't be opened."""
    found = [given for kind, given in _group_words(arguments) if kind == "trimmer"]
    counting = _read_counting(arguments) if found else {}
    return [_open_trimmer(given, counting) for given in found]


def _read_counting(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of --set that count and price what is sent."""
    from historylab.tuning.replayed import COUNTING

    names = [name for name in dict(getattr(arguments, "set", ())) if name in COUNTING]
    settings = settings_from(arguments) if names else None
    return {name: settings.value(name) for name in names} if settings else {}


def read_against(arguments: argparse.Namespace) -> Lane | None:
    """The lane that --against names: settings in a file, what was sent, or a trimmer."""
    from historylab.trimmers.given import is_trimmer_name
    from historylab.tuning.replayed import read_lane

    found = [given for kind, given in _group_words(arguments) if kind == "against"]
    if not found:
        return None
    given, name = found[-1], found[-1]["trimmer"]
    if is_trimmer_name(name):
        return _open_trimmer(given, _read_counting(arguments))
    if len(given) > 1:
        raise SettingsError(f"{name!r:.80} is no trimmer, to which the --trimmer-option after it could belong")
    return read_lane(name)


def _group_words(arguments: argparse.Namespace) -> list[tuple[str, dict[str, Any]]]:
    """The names of trimmers, each with the options given for it. Options before the first name belong to that."""
    first: dict[str, Any] = {}
    found = list[tuple[str, dict[str, Any]]]()
    for name, value in _trimmer_words(arguments):
        if name in NAMES:
            found.append((name, first if not found else {}))
            found[-1][1]["trimmer"] = value
            continue
        now = found[-1][1] if found else first
        now[name] = {**now.get(name, {}), value[0]: value[1]} if name == "options" else value
    if first and not found:
        raise SettingsError("--trimmer-option and its like need --trimmer NAME or MODULE:FUNCTION before them")
    return found


def _trimmer_words(arguments: argparse.Namespace) -> list[tuple[str, Any]]:
    """The trimmers named before the command and after it."""
    return [*(getattr(arguments, "trimmers_served", None) or ()), *(getattr(arguments, "trimmers", None) or ())]


def _open_trimmer(given: dict[str, Any], counting: dict[str, Any]) -> TrimmerLane:
    from historylab.trimmers.given import open_trimmer_choice
    from historylab.tuning.replayed import TrimmerLane

    lane = TrimmerLane(**given, counting=counting)
    try:
        with redirect_stdout(sys.stderr):  # a module may print while it is imported
            open_trimmer_choice(lane.trimmer, lane.options, carry=lane.carry, form=lane.form)
    except MissingLibrary as problem:
        raise SettingsError(str(problem)) from None
    return lane


def lane_as_json(lane: TrimmerLane) -> str:
    """The lane as the playground's process reads it: `lane_in_environment`."""
    return json.dumps({name: getattr(lane, name) for name in ("trimmer", "options", "carry", "form", "seconds")})


def check_one_lane(arguments: argparse.Namespace, option: str = "") -> None:
    """Raises SettingsError where --as-sent, --trimmer or `option` stands beside settings, or one beside another.

    A trimmer may stand beside those that only count and price what it sends.
    """
    trimmer = "--trimmer" if any(name == "trimmer" for name, _ in _trimmer_words(arguments)) else ""
    others = [each for each in (option, "--as-sent" if getattr(arguments, "as_sent", False) else "", trimmer) if each]
    named = {name: getattr(arguments, name, None) for name in ("source", "settings")}
    given = [option for option, name in (("--from", "source"), ("--settings", "settings")) if named[name]]
    if len(others) > 1:
        raise SettingsError(f"leave out {others[0]}, or {others[1]}: one is shown at a time")
    if others:
        check_idle(arguments, others[0], given)


def check_idle(arguments: argparse.Namespace, beside: str, given: Sequence[str] = ()) -> None:
    """Raises SettingsError for settings that change nothing of what others decide."""
    from historylab.tuning.replayed import AS_SENT, COUNTING

    against = next((value for name, value in _trimmer_words(arguments) if name == "against"), None)
    drives = beside == "--trimmer" or (beside == "--against" and against != AS_SENT)
    idle = [f"--set {name}" for name in dict(arguments.set) if not drives or name not in COUNTING]
    if first := next(iter([*idle, *given]), ""):
        why = "the trimmer decides what is sent" if drives else "what was sent is in the file"
        may = f"; beside one, --set takes {', '.join(sorted(COUNTING))}" if drives and idle else ""
        raise SettingsError(f"{first} has no effect with {beside}: {why}{may}")


def open_as_sent(conversation: Conversation) -> Timeline:
    """The timeline of what was sent. Raises SettingsError where nothing says so: it was asked for what isn't there."""
    from historylab.recordings.as_sent import as_sent

    try:
        return as_sent(conversation)
    except PlanError as problem:
        raise SettingsError(str(problem)) from None


def drive_trimmer(conversation: Conversation, lane: TrimmerLane) -> Timeline:
    """The timeline of what a trimmer sends; how far that is stands on stderr.

    Raises SettingsError for a trimmer that fails at every request: nothing is known of what it sends.
    """
    with progress_bar("Asking the trimmer") as progress:
        timeline = lane.open(conversation, progress)
    if timeline.errors and not timeline.judged.any():
        raise SettingsError(f"{lane.name} fails at every request: {timeline.errors[0]}")
    return timeline


@contextmanager
def trimmers_aside(arguments: argparse.Namespace) -> Iterator[None]:
    """Has what a trimmer prints on stderr, not among a command's own output, as long as the command runs."""
    if not _trimmer_words(arguments):
        yield
        return
    with _descriptor_aside() as own, redirect_stdout(cast(TextIO, _OwnOutput(own, sys.stderr))):
        yield


@contextmanager
def _descriptor_aside() -> Iterator[TextIO]:
    """The command's own output, while what is written past Python to descriptor 1 is on stderr: by programs started."""
    own = sys.stdout
    try:
        own.flush()
        beside = os.dup(own.fileno()) if own.fileno() == STDOUT else None
    except (OSError, ValueError, AttributeError):  # it is no file, as in a notebook
        beside = None
    if beside is None:
        yield own
        return
    with open(beside, "w", encoding=own.encoding, errors=own.errors) as output:
        os.dup2(STDERR, STDOUT)
        try:
            yield output
        finally:
            own.flush()  # what a trimmer wrote to sys.__stdout__
            output.flush()
            os.dup2(beside, STDOUT)


class _OwnOutput:
    """A stream that is `own` for the thread that made it, and `other` for those in which trimmers are called."""

    def __init__(self, own: TextIO, other: TextIO):
        self._own, self._other, self._thread = own, other, threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own if threading.get_ident() == self._thread else self._other, name)
