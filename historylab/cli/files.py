"""Files given on the command line: read one by one; those that can't be read are skipped and reported."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from historylab.cli.base import print_note, resolve, whole_number
from historylab.costs.amounts import count_of
from historylab.errors import LoadError, NothingRead, UnknownFormat

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.costs.proposal import SettingsProposal
    from historylab.formats.load import Conversations
    from historylab.formats.shapes.shape import Shape
    from historylab.settings.model import Settings
    from historylab.settings.resolve import Resolution

T = TypeVar("T")
URL = re.compile(r"(?:sqlite|postgres(?:ql)?)://", re.IGNORECASE)
RECORDS_AT_ONCE = 500


def add_strict(parser: argparse.ArgumentParser) -> None:
    """--strict."""
    parser.add_argument("--strict", action="store_true", help="stop at the first file that can't be read")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """--format and --shape: how to read a file that isn't recognised, or is taken for something else."""
    parser.add_argument("--format", metavar="NAME", help="read it in this format, whatever it looks like")
    add_shape(parser)


def add_shape(parser: argparse.ArgumentParser) -> None:
    """--shape."""
    help = 'JSON file that says where the messages are: {"items": "history", "role": "who", "text": "said"}'
    parser.add_argument("--shape", "--mapping", metavar="FILE", help=help)


def shape_from(arguments: argparse.Namespace) -> Shape | None:
    """The shape that --shape names."""
    from historylab.formats.shapes.shape import Shape

    return Shape.read(arguments.shape) if arguments.shape else None


def add_conversation(parser: argparse.ArgumentParser) -> None:
    """--conversation."""
    parser.add_argument(
        "--conversation",
        type=whole_number,
        metavar="N",
        help="number of the conversation in the file (default: the first in which a user says something)",
    )


def load_one(arguments: argparse.Namespace, path: str) -> tuple[Conversations, Conversation]:
    """All conversations of a file, and the one chosen with --conversation, or else the first in which a user asks."""
    from historylab.formats.load import first_asking, load

    loaded = load(path, arguments.format, shape=arguments.shape)
    number = first_asking(loaded) + 1 if arguments.conversation is None else arguments.conversation
    if not 1 <= number <= len(loaded):
        raise LoadError(f"{path} has {count_of(len(loaded), 'conversation')}; there is no number {number}")
    return loaded, loaded[number - 1]


def resolve_as_recorded(
    arguments: argparse.Namespace, conversation: Conversation, settings: Settings
) -> tuple[SettingsProposal, Resolution]:
    """The settings that a file proposes, and these settings with them where nothing else decides.

    A file never decides which model is asked to write summaries.
    """
    from historylab.costs.proposal import proposed_settings
    from historylab.settings.consent import settings_that_ask

    found = proposed_settings(conversation)
    left = {"model"} if settings_that_ask(settings) else set()
    return found, resolve(arguments, {name: value for name, value in found.values.items() if name not in left})


def read_each(
    paths: Iterable[str], read: Callable[[str], T], skipped: dict[str, str], *, strict: bool = False
) -> Iterator[T]:
    """Yield `read(path)` for each file; the error of one that can't be read goes into `skipped`.

    Raises NothingRead if no file could be read; LoadError if `strict` and one couldn't.
    """
    any_read = False
    for path in paths:
        try:
            content = read(path)
        except LoadError as problem:
            if strict:
                raise
            skipped[path] = name_file(path, problem) + _shape_offered(problem)
            continue
        any_read = True
        yield content
    if skipped and not any_read:
        raise NothingRead(skipped)


@contextmanager
def recordings_as_files(arguments: argparse.Namespace) -> Iterator[None]:
    """Have a file where a recording's URL is named among the files of a command, for as long as it runs."""
    with ExitStack() as until_the_end:

        def local(given: str) -> str:
            return _local_file(given, until_the_end) if URL.match(given) else given

        for name in ("file", "files", "what"):
            given = getattr(arguments, name, None)
            if given:
                setattr(arguments, name, local(given) if isinstance(given, str) else [local(each) for each in given])
        yield


def _local_file(url: str, until_the_end: ExitStack) -> str:
    """The file of an SQLite URL; for a database on a server a file with its lines. Its name has no password."""
    from historylab.recordings import open_recording

    scheme, _, rest = url.partition(":///")
    if scheme.lower() == "sqlite":
        return rest
    folder = until_the_end.enter_context(TemporaryDirectory(prefix="historylab-"))
    path = os.path.join(folder, "recording.jsonl")
    with closing(open_recording(url)) as store, open(path, "w", encoding="utf-8") as file:
        last = 0
        while records := store.read_records(after=last, limit=RECORDS_AT_ONCE):
            file.writelines(f"{record.text}\n" for record in records)
            last = records[-1].number
    return path


def _shape_offered(problem: LoadError) -> str:
    """The way to read the file as it is proposed, if it is."""
    offered = problem.proposals if isinstance(problem, UnknownFormat) else ()
    if not offered:
        return ""
    holds = " ".join(offered[0].shape.as_json.split())
    return f" Then save {holds} as shape.json, and add --shape shape.json"


def name_file(path: str, problem: LoadError) -> str:
    """The error with the file's name, once."""
    return str(problem) if path in str(problem) else f"{path}: {problem}"


def report_skipped(skipped: Mapping[str, str]) -> None:
    """List on stderr which files were skipped, and why."""
    if skipped:
        print_note(f"{count_of(len(skipped), 'file')} skipped:")
    for why in skipped.values():
        print_note(f"  {why}")
