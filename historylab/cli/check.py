"""`historylab check FILES --trimmer app:trim --that "never rejected"`: whether it, or settings, do as wished."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    Subparsers,
    add_parser,
    add_set,
    add_star,
    check_writable,
    must_remember_from,
    print_json,
    print_line,
    print_note,
    settings_from,
    write_text,
)
from historylab.cli.files import add_shape, shape_from
from historylab.cli.lanes import add_against, add_as_sent, add_trimmer, check_one_lane, read_against, read_trimmer
from historylab.cli.progress import progress_bar
from historylab.errors import HistoryLabError, SettingsError

if TYPE_CHECKING:
    from historylab.tuning.check import Check, Failure
    from historylab.tuning.replayed import Lane


EXIT_CODES = (
    "The exit code is 0 if nothing is broken, also where that is unsure (1 with --strict); 1 if a wish is broken, the "
    "trimmer fails or no conversation could be read; 2 for a mistake in asking."
)


def add_to(commands: Subparsers) -> None:
    about = "Check that settings, a trimmer or what was really sent does what is wished of it, on every conversation"
    parser = add_parser(commands, "check", about, run)
    parser.epilog = EXIT_CODES
    parser.add_argument("files", metavar="FILE", nargs="+", help="transcripts, or folders of them")
    parser.add_argument(
        "--settings",
        metavar="FILE",
        help="the settings to check, and nothing else: a .env, an export, a template (default: those in effect)",
    )
    parser.add_argument(
        "--that",
        action="append",
        default=[],
        metavar="WISHES",
        help='what must hold, in words: "keep every reference, never over the budget"; repeat it for more',
    )
    add_trimmer(parser)
    add_as_sent(parser)
    add_against(
        parser, "other settings, a trimmer, or what was really sent: what is forgotten besides, and what it costs"
    )
    parser.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML")
    parser.add_argument("--markdown", metavar="FILE", help="write it as Markdown, for a pull request")
    parser.add_argument("--strict", action="store_true", help="fail where anything is unsure, too")
    add_shape(parser)
    add_star(parser)
    add_set(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, print and write; 1 if a wish is broken or the trimmer failed."""
    from historylab.reports.check_markdown import check_markdown
    from historylab.reports.junit import junit
    from historylab.tuning.check import run_check
    from historylab.tuning.constraints import read_wishes
    from historylab.tuning.replayed import MeasureOptions
    from historylab.wording.check_summary import check_lines, notes

    wishes = read_wishes("; ".join(arguments.that))
    lane, against = _lanes(arguments)
    if not (any(wish.name != "aim" for wish in wishes) or against):
        raise SettingsError('say what must hold: --that "keep every reference, never over the budget"')
    for path in filter(None, (arguments.junit, arguments.markdown)):
        _check_writable(path)
    shape = shape_from(arguments)
    options = MeasureOptions(stars=must_remember_from(arguments))
    with progress_bar("Checking") as progress:
        found = run_check(
            arguments.files, lane, wishes, against=against, options=options, shape=shape, progress=progress
        )
    if arguments.junit:
        write_text(arguments.junit, junit(found))
    if arguments.markdown:
        write_text(arguments.markdown, check_markdown(found))
    for note in [
        *notes(found),
        *(f"“{wish.said}” is an aim: nothing to check" for wish in wishes if wish.name == "aim"),
    ]:
        print_note(note)
    if arguments.json:
        print_json(_as_json(found))
    else:
        for line in check_lines(found):
            print_line(line)
    return int(found.fails(strict=arguments.strict))


def _lanes(arguments: argparse.Namespace) -> tuple[Lane, Lane | None]:
    """The lane to check, and the one to set it against."""
    from historylab.settings.resolve import settings_in_file
    from historylab.tuning.replayed import AS_SENT

    check_one_lane(arguments)
    named, against = arguments.settings, read_against(arguments)
    if trimmer := read_trimmer(arguments):
        return trimmer, against
    settings = settings_in_file(named, dict(arguments.set)) if named else settings_from(arguments)
    return AS_SENT if arguments.as_sent else settings, against


def _check_writable(path: str) -> None:
    """Raises SettingsError for a path that can't be written: 1 would say that a wish is broken."""
    try:
        check_writable(path)
    except HistoryLabError as problem:
        raise SettingsError(str(problem)) from None


def _without_place(failure: Failure) -> dict[str, Any]:
    return {name: value for name, value in failure._asdict().items() if name != "place"}


def _as_json(found: Check) -> dict[str, Any]:
    from historylab.wording.check import finding_reason
    from historylab.wording.check_summary import (
        comparison_in_words,
        failure_in_words,
        verdict_in_words,
        warnings_in_words,
    )

    findings = [
        {
            "wish": each.wish.said,
            **({} if each.place is None else asdict(each.place)),
            "verdict": each.verdict,
            "found": each.found,
            "part": each.part,
            "whole": each.whole,
            "interval": each.interval,
            "conversations": each.conversations,
            "reason": finding_reason(each),
            "lost": [{"at": lost.at, **asdict(lost.loss)} for lost in each.losses],
        }
        for each in found.findings
    ]
    summary = " ".join(filter(None, (failure_in_words(found), verdict_in_words(found))))
    told: dict[str, Any] = {"verdict": found.verdict, "summary": summary, "findings": findings}
    if found.before:
        both = zip(found.places, found.now, found.before, strict=True)
        conversations = [{**asdict(p), "now": asdict(now), "before": asdict(was)} for p, now, was in both]
        told["against"] = {"summary": comparison_in_words(found.now, found.before), "conversations": conversations}
    if found.driven:
        told["trimmers"] = [{"name": choice.name, "version": choice.version} for choice in found.driven]
        told["failures"] = [{**asdict(each.place), **_without_place(each)} for each in found.failures]
    warnings = warnings_in_words(found)
    return {**told, "warnings": warnings, "unread": dict(found.unread), "left_out": found.left_out}
