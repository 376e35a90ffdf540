"""`historylab tune FILES…`: settings that do better than yours on conversations like these, and how sure that is."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    INTERRUPTED,
    Subparsers,
    add_must_remember,
    add_parser,
    add_settings,
    must_remember_from,
    print_export,
    print_json,
    print_line,
    print_note,
    print_table,
    resolve,
    settings_from,
    whole_number,
)
from historylab.cli.files import add_shape, add_strict, read_each, report_skipped, shape_from
from historylab.cli.lanes import add_against, add_trimmer_options, check_one_lane, read_against, trimmers_aside
from historylab.cli.progress import interruptible, progress_bar
from historylab.errors import LoadError, SettingsError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.tuning.replayed import Lane
    from historylab.tuning.thresholds import Threshold
    from historylab.tuning.tune import Advice

SHOWN = 8
WISHES = "better than mine"
NEXT_STEP = (
    "To use them: the same command with --target dotenv > history.env; where its variables are set, your app sends "
    "`historylab.Trimmer().trim(messages)`."
)


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "tune", "Find settings that do better than yours, and say how sure that is", run)
    files = "transcripts, or folders of them; of a table of requests without text, thresholds by cost"
    parser.add_argument("files", metavar="FILE", nargs="+", help=files)
    parser.add_argument(
        "--wishes",
        metavar="WISHES",
        default=WISHES,
        help='what is wanted, in words: "better than mine, never over 32k", "cheapest, keep 95%% of references" '
        "(default: %(default)s, in what is kept and in cost)",
    )
    add_against(
        parser,
        "what to do better than: as-sent, what was really sent (the default where that was cut and nothing is set), or "
        "a trimmer: one of historylab.trimmers(), or a function of yours",
    )
    add_trimmer_options(parser)
    parser.add_argument("--tries", type=whole_number, default=50, metavar="N", help="settings to try (%(default)s)")
    parser.add_argument("--seed", type=whole_number, default=0, help="of the intervals (default: %(default)s)")
    parser.add_argument("--target", help="print the settings as this export (dotenv, json, …) and nothing else")
    add_strict(parser)
    add_shape(parser)
    add_must_remember(parser)
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict, what it rests on, and the best of what was tried. No verdict is a failure."""
    from historylab.tuning.replayed import MeasureOptions
    from historylab.tuning.tune import tune
    from historylab.wording.cuts import changes_in_words

    skipped: dict[str, str] = {}
    base = _base(arguments)
    options = MeasureOptions(stars=must_remember_from(arguments), questions=tuple(arguments.question))
    conversations = _conversations(arguments, base, skipped)
    if all(conversation.recorded.textless for conversation in conversations):
        return _tell_thresholds(arguments, conversations, skipped)
    with (
        trimmers_aside(arguments),
        progress_bar("Trying settings") as progress,
        interruptible() as interrupted,
    ):
        advice = tune(
            conversations,
            base=base,
            wishes=arguments.wishes,
            tries=arguments.tries,
            seed=arguments.seed,
            options=options,
            progress=progress,
            cancelled=interrupted,
            name=changes_in_words,
        )
        stopped = interrupted()
    report_skipped(skipped)
    if arguments.json:
        print_json({**_as_json(advice), "skipped": skipped})
    elif arguments.target:
        print_export(advice.settings, arguments.target)
    else:
        _print(advice)
    if stopped:
        print_note("interrupted; this rests on what had been tried")
    return INTERRUPTED if stopped else 0


def _tell_thresholds(arguments: argparse.Namespace, conversations: list[Conversation], skipped: dict[str, str]) -> int:
    """Print where each type of agent should compact, of requests without text."""
    from historylab.tuning.threshold_words import (
        BY_TOKENS,
        COLUMNS,
        threshold_notes,
        threshold_row,
        thresholds_headline,
    )
    from historylab.tuning.thresholds import find_thresholds

    if arguments.target or read_against(arguments) or arguments.wishes != WISHES:
        raise SettingsError(f"--target, --against and --wishes ask for settings. {BY_TOKENS}")
    found = find_thresholds(conversations)
    report_skipped(skipped)
    if arguments.json:
        told = [_threshold_as_json(each) for each in found]
        print_json({"version": 1, "basis": BY_TOKENS, "thresholds": told, "skipped": skipped})
        return 0
    print_line(thresholds_headline(found))
    print_line(BY_TOKENS)
    print_table("Thresholds", COLUMNS, [threshold_row(each) for each in found])
    for note in threshold_notes(found):
        print_line(note)
    return 0


def _threshold_as_json(found: Threshold) -> dict[str, Any]:
    """All of it; the chosen and the cost then only where they are shown to cost less."""
    told = {name: value for name, value in asdict(found).items() if name not in ("chosen", "tried", "now")}
    tried = [{**each.compaction._asdict(), "cost": each.cost, "sent": each.sent} for each in found.tried]
    chosen = found.chosen._asdict() if found.chosen and found.saves else None
    return {**told, "now": found.now, "saves": found.saves, "compact": chosen, "tried": tried}


def _base(arguments: argparse.Namespace) -> Lane | None:
    """The lane to do better than; None where none is given: the conversations decide."""
    from historylab.settings.model import Settings

    if (against := read_against(arguments)) is not None:
        check_one_lane(arguments, "--against")
        if isinstance(against, Settings):
            raise SettingsError("--against takes as-sent or a trimmer; of settings, --from says which are yours")
        return against
    settings = settings_from(arguments)
    nothing_set = all(each.source == "default" for each in resolve(arguments).provenance.values())
    return None if nothing_set else settings


def _conversations(arguments: argparse.Namespace, base: Lane | None, skipped: dict[str, str]) -> list[Conversation]:
    from historylab.formats.files.folders import files_at
    from historylab.recordings.as_sent import why_not_as_sent
    from historylab.tuning.corpus import read_source, to_sources
    from historylab.tuning.replayed import AS_SENT

    shape = shape_from(arguments)

    def read(path: str) -> list[Conversation]:
        found = [conversation for source in to_sources([path], shape) for conversation in read_source(source)]
        if base == AS_SENT and (why := next(filter(None, map(why_not_as_sent, found)), "")):
            raise LoadError(why)
        return found

    paths = [file for path in arguments.files for file in files_at(path)]
    read_all = read_each(paths, read, skipped, strict=arguments.strict)
    return [conversation for several in read_all for conversation in several]


def _print(advice: Advice) -> None:
    from historylab.costs.amounts import times
    from historylab.tuning.advice_words import kept_noun, kept_words
    from historylab.tuning.base_lane import base_in_words
    from historylab.tuning.points import pareto
    from historylab.tuning.replayed import TrimmerLane
    from historylab.wording.losses import ESTIMATES
    from historylab.wording.phrases import capitalize_first

    for line in advice.why:
        print_line(line)
    found = advice.points[advice.trials.index(advice.chosen)]
    named = {id(found): "best found", id(advice.points[0]): base_in_words(advice.against)[0]}
    best = [point for point in advice.points if id(point) in named or point in pareto(advice.points)]
    trimmed = isinstance(advice.against, TrimmerLane)
    rows = [
        (
            point.label if trimmed and point is advice.points[0] else capitalize_first(point.label),
            kept_words(point.kept, point.noted),
            times(point.cost),
            *([f"{point.figures['rejected']:,}"] if trimmed else []),
            named.get(id(point), ""),
        )
        for point in sorted(best, key=lambda point: (-point.kept, point.cost))
    ]
    cost = "cost" if advice.priced else "tokens"
    refused = ["requests refused"] if trimmed else []
    columns = ("settings", f"{kept_noun(advice.tiers)} kept", f"{cost} ÷ not trimming", *refused, "")
    print_table("The best of these, over all requests", columns, rows[:SHOWN])
    print_line(ESTIMATES)
    if advice.verdict == "better":
        print_line(NEXT_STEP)


def _as_json(advice: Advice) -> dict[str, Any]:
    return {
        "verdict": advice.verdict,
        **_against_as_json(advice.against),
        "settings": advice.settings.model_dump(exclude_defaults=True),
        "evidence": advice.evidence,
        "conversations": advice.conversations,
        "promised": asdict(advice.promised),
        "held_out": asdict(advice.held_out) if advice.held_out else None,
        "chance": advice.chance,
        "why": advice.why,
        "tried": [
            {"settings": trial.settings.model_dump(exclude_defaults=True), **asdict(advice.beside_base(trial))}
            for trial in advice.trials
        ],
    }


def _against_as_json(lane: Lane) -> dict[str, Any]:
    """The base, where that isn't settings: "as-sent", or the trimmer and its options."""
    from historylab.settings.trimmer_options import shown_options
    from historylab.tuning.replayed import TrimmerLane

    if isinstance(lane, TrimmerLane):
        return {"against": lane.trimmer, "options": shown_options(lane.options)}
    return {"against": lane} if isinstance(lane, str) else {}
