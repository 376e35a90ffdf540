"""`historylab compare FILE --as-sent --trimmer NAME --settings FILE`: what happened, trimmers and settings compared."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from historylab.cli.base import (
    Subparsers,
    add_parser,
    add_set,
    add_star,
    must_remember_from,
    print_json,
    print_line,
    print_note,
    print_table,
)
from historylab.cli.driven import trimmer_as_json, trimmer_lines
from historylab.cli.files import add_conversation, add_reading, load_one
from historylab.cli.lanes import add_as_sent, add_trimmer, check_idle, drive_trimmer, open_as_sent, read_trimmers
from historylab.errors import LoadError, SettingsError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.planning.replay import Timeline
    from historylab.tuning.compare import Figures
    from historylab.tuning.replayed import TrimmerLane


def add_to(commands: Subparsers) -> None:
    about = "Compare what was really sent, trimmers and settings on one conversation, side by side"
    parser = add_parser(commands, "compare", about, run)
    parser.add_argument("file", metavar="FILE", help="a transcript")
    add_as_sent(parser)
    add_trimmer(parser, several=True)
    parser.add_argument(
        "--settings",
        action="append",
        default=[],
        metavar="FILE",
        help="settings to compare, counted as the file was recorded: a .env, an export, a template; repeat it for more",
    )
    add_conversation(parser)
    add_reading(parser)
    add_star(parser)
    add_set(parser, "beside a trimmer how all is counted and priced, for instance model=gpt-4o; repeat it for more")


class _Compared(NamedTuple):
    letter: str
    name: str
    timeline: Timeline
    figures: Figures


def run(arguments: argparse.Namespace) -> int:
    """Print the table and its sentences; the first is what was sent, else a trimmer, and the others are beside it."""
    trimmers = read_trimmers(arguments)
    if arguments.set:
        check_idle(arguments, "--as-sent" if arguments.as_sent or not trimmers else "--trimmer")
    _check_number(arguments, len(trimmers))
    loaded, conversation = load_one(arguments, arguments.file)
    if loaded.report.remarks:
        print_note(f"{loaded.report}")
    compared = _compare(arguments, conversation, trimmers)
    if arguments.json:
        print_json(_as_json(conversation, compared))
    else:
        _print(conversation, compared)
    return 0


def _check_number(arguments: argparse.Namespace, trimmers: int) -> None:
    """Raises SettingsError for fewer than two things to compare, and for more of them than there are letters."""
    from historylab.tuning.compare import LETTERS

    named = trimmers + len(arguments.settings)
    if named + arguments.as_sent < 2:
        raise SettingsError("name two things to compare: --as-sent, --trimmer NAME or --settings FILE")
    if named > len(LETTERS):
        raise SettingsError(f"at most {len(LETTERS)} trimmers and files of settings are compared, not {named}")


def _compare(
    arguments: argparse.Namespace, conversation: Conversation, trimmers: Sequence[TrimmerLane]
) -> list[_Compared]:
    """Every lane that was named: what was sent first, then trimmers, then settings."""
    from historylab.settings.resolve import settings_in_file
    from historylab.tuning.compare import LETTERS, SENT, failures_of, measure_figures
    from historylab.tuning.replayed import AS_SENT, open_lane
    from historylab.wording.check import path_in_words

    paths, stars = arguments.settings, must_remember_from(arguments)
    if not len(conversation.columns.requests):
        raise LoadError(f"{arguments.file} makes no request: there is nothing to compare")
    chosen = [settings_in_file(path) for path in paths]
    sent = [(SENT, "as sent", open_as_sent(conversation))] if arguments.as_sent else []
    theirs = [(lane.name, drive_trimmer(conversation, lane)) for lane in trimmers]
    beside = trimmers[0] if trimmers else AS_SENT
    ours = [open_lane(conversation, settings, beside) for settings in chosen]
    named = [*theirs, *zip(map(path_in_words, paths), ours, strict=True)]
    lanes = [*sent, *((letter, *each) for letter, each in zip(LETTERS, named, strict=False))]
    failed = failures_of(timeline for _, _, timeline in lanes)
    return [_Compared(*lane, measure_figures(lane[2], stars=stars, without=failed)) for lane in lanes]


def _sentences(compared: list[_Compared]) -> list[str]:
    """Sentences on how each differs from the first and, beside a cut, on not trimming."""
    from historylab.tuning.compare import SENT, comparison_sentence
    from historylab.wording.as_sent import untrimmed_note
    from historylab.wording.comparison import name_of_lane

    base, *others = compared
    first, *names = (name_of_lane(each.letter, each.timeline) for each in compared)
    than = "what was really sent" if base.letter == SENT else first
    said = [
        comparison_sentence(name, each.figures, base.figures, than) for name, each in zip(names, others, strict=True)
    ]
    driven = (
        f"{each.letter}: {line}" for each in compared if each.timeline.run for line in trimmer_lines(each.timeline)
    )
    return [*said, *filter(None, [untrimmed_note(base.timeline)]), *driven]


def _find_differing(compared: list[_Compared]) -> list[int] | None:
    """The requests (from 0) that don't send every message alike; None where messages can't be matched."""
    from historylab.tuning.compare import are_aligned, differing_requests

    timelines = [each.timeline for each in compared]
    return differing_requests(timelines) if are_aligned(timelines) else None


def _print(conversation: Conversation, compared: list[_Compared]) -> None:
    from historylab.wording.comparison import compare_in_rows, counting_note

    base, *others = compared
    columns = ["over the whole conversation", f"{base.letter} {base.name}"]
    for each in others:
        columns += [f"{each.letter} {each.name}", f"beside {base.letter}"]
    rows = [
        (f"{row.title}{f' ({row.about})' if row.about else ''}", first.shown, *_flat(cells))
        for row, (first, *cells) in compare_in_rows([each.figures for each in compared])
    ]
    print_table(conversation.title, columns, rows)
    for sentence in _sentences(compared):
        print_line(sentence)
    if (differing := _find_differing(compared)) is not None:
        print_line(f"{len(differing):,} of {len(base.timeline.plans):,} requests don't send the same messages.")
    print_line(counting_note([each.letter for each in compared], [each.timeline for each in compared]))


def _flat(cells: list[Any]) -> list[str]:
    """Each value, and how it differs."""
    return [text for cell in cells for text in (cell.shown, " ".join(filter(None, (cell.delta, cell.verdict))))]


def _as_json(conversation: Conversation, compared: list[_Compared]) -> dict[str, Any]:
    from historylab.tuning.compare import SENT

    return {
        "version": 1,
        "title": conversation.title,
        "rows": [
            {
                "letter": each.letter,
                "name": each.name,
                "as_sent": each.letter == SENT,
                "trimmer": trimmer_as_json(each.timeline) if each.timeline.run else None,
                "settings": None
                if each.letter == SENT or each.timeline.run
                else each.timeline.settings.model_dump(exclude_defaults=True),
                "figures": _figures_as_json(each.figures),
                "unknown_requests": sorted(each.timeline.unknown),
            }
            for each in compared
        ],
        "sentences": _sentences(compared),
        "differing_requests": _find_differing(compared),
    }


def _figures_as_json(figures: Figures) -> dict[str, Any]:
    return {**asdict(figures), "cost": None if figures.cost is None else float(figures.cost)}
