"""`historylab convert FILE`: a conversation in another format, with what that format has no place for."""

from __future__ import annotations

import argparse

from historylab.cli.base import (
    Subparsers,
    add_parser,
    print_file,
    print_json,
    print_note,
    whole_number,
    write_text,
)
from historylab.cli.files import add_reading
from historylab.costs.amounts import count_of
from historylab.errors import LoadError

TO = (
    "the format (historylab): HistoryLab's own keeps every message, the data of its images and fields of it that the "
    "report calls not read; it has no skipped records, nor labels of parts such as cache markers and signatures"
)


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "convert", "Write the conversations of a file in another format", run)
    parser.add_argument(
        "file", metavar="FILE", help="a folder, or a transcript (without sub-agents in files beside it)"
    )
    parser.add_argument("--to", default="historylab", metavar="NAME", help=TO)
    add_reading(parser)
    parser.add_argument("--conversation", type=whole_number, metavar="N", help="only this one of the file")
    parser.add_argument("--out", metavar="FILE", help="write to this file instead of the screen")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the conversations; report on stderr what was skipped and what is lost."""
    from historylab.formats.convert import write
    from historylab.formats.load import load_alone
    from historylab.registry import member

    loaded = load_alone(arguments.file, arguments.format, shape=arguments.shape)
    number = arguments.conversation
    if number is not None and not 1 <= number <= len(loaded):
        raise LoadError(f"{arguments.file} has {count_of(len(loaded), 'conversation')}; there is no number {number}")
    chosen = loaded if number is None else (loaded[number - 1],)
    written = write(chosen[0] if len(chosen) == 1 else chosen, arguments.to)
    if loaded.report.remarks:
        print_note(str(loaded.report))
    if written.losses.counts:
        print_note(f"{member('format', arguments.to).title} has no place for: {written.losses}")
    if arguments.out:
        write_text(arguments.out, written.text)
    elif arguments.json:
        print_json({"format": arguments.to, "text": written.text, "lost": written.losses.counts})
    else:
        print_file(written.text)
    return 0
