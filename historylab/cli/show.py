"""`historylab show FILE…`: what every request of a conversation sends, costs and forgets, or was really sent."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    Subparsers,
    add_must_remember,
    add_parser,
    add_settings,
    format_cost,
    must_remember_from,
    print_json,
    print_line,
    print_note,
    print_table,
    settings_from,
    strip_controls,
    whole_number,
)
from historylab.cli.driven import cost_lines, trimmer_as_json, trimmer_lines
from historylab.cli.files import (
    add_conversation,
    add_reading,
    add_strict,
    load_one,
    read_each,
    report_skipped,
    resolve_as_recorded,
)
from historylab.cli.lanes import (
    add_as_sent,
    add_trimmer,
    check_one_lane,
    drive_trimmer,
    open_as_sent,
    read_trimmer,
)
from historylab.cli.losses import losses_as_json, print_losses
from historylab.cli.one_request import check_request_number, show_one_request
from historylab.cli.post_mortem import post_mortem_as_json, print_post_mortem
from historylab.cli.request_rows import ROWS, print_requests, requests_as_json, requests_at_first
from historylab.cli.rules import print_rules, rules_as_json
from historylab.cli.session_costs import print_session_cost, session_cost_as_json
from historylab.costs.amounts import count_of
from historylab.errors import LoadError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.formats.load import Conversations
    from historylab.planning.replay import Timeline
    from historylab.recall.questions import AskedQuestion
    from historylab.recall.retention import Retention
    from historylab.settings.model import Settings
    from historylab.tuning.replayed import TrimmerLane

OF_SETTINGS = ("over_budget", "rejected_naive")
"""Measures that say nothing of a trimmer: it knows no budget of ours, and nothing of it is sliced."""


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "show", "Show what every request of a conversation sends, costs and forgets", run)
    parser.add_argument("files", metavar="FILE", nargs="+", help="transcripts, or folders that are opened whole")
    add_conversation(parser)
    parser.add_argument(
        "--request", type=whole_number, metavar="N", help="the messages of this request, with the reasons"
    )
    parser.add_argument(
        "--all", action="store_true", help=f"every request, not only {ROWS}: the last, or around the newest cut"
    )
    parser.add_argument(
        "--ignore-recorded",
        action="store_true",
        help="leave out the model, sizes and budget that the file itself proposes (done for several files anyway)",
    )
    add_as_sent(parser)
    add_trimmer(parser)
    add_strict(parser)
    add_reading(parser)
    add_must_remember(parser)
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Replay and print each file, or print what was sent."""
    check_one_lane(arguments)
    lane, results = read_trimmer(arguments) or settings_from(arguments), []
    skipped: dict[str, str] = {}
    read = partial(_read, arguments)
    for loaded, conversation in read_each(arguments.files, read, skipped, strict=arguments.strict):
        timeline, beside = _timeline(arguments, conversation, lane)
        _print_beginning(arguments, timeline, loaded, beside)
        results.append(_show(arguments, timeline, loaded))
    report_skipped(skipped)
    if arguments.json:
        print_json(results[0] if len(arguments.files) == 1 else {"files": results, "skipped": skipped})
    return 0


def _print_beginning(
    arguments: argparse.Namespace, timeline: Timeline, loaded: Conversations, beside: Sequence[str]
) -> None:
    """Say what is spoken of, first of all; then what the file is, and the sentences `beside` it."""
    from historylab.wording.lane_line import lane_line

    briefly = arguments.json or arguments.request
    if not arguments.json:
        check_request_number(timeline, arguments.request)
        print_line(lane_line(timeline))
    if not briefly:
        print_line(f"{loaded.report}")
        if len(loaded) > 1:
            number = 1 + next(i for i, found in enumerate(loaded) if found is timeline.original)
            print_line(f"Shown: conversation {number:,} of {len(loaded):,} (--conversation N).")
    elif loaded.report.remarks:
        print_note(f"{loaded.report}")
    for said in beside:
        (print_note if briefly else print_line)(said)


def _read(arguments: argparse.Namespace, path: str) -> tuple[Conversations, Conversation]:
    """A file and its conversation. Raises LoadError for one of several that doesn't say what was sent, as asked for."""
    from historylab.recordings.as_sent import why_not_as_sent

    loaded, conversation = load_one(arguments, path)
    if arguments.as_sent and len(arguments.files) > 1 and (why := why_not_as_sent(conversation)):
        raise LoadError(why)
    return loaded, conversation


def _timeline(
    arguments: argparse.Namespace, conversation: Conversation, lane: Settings | TrimmerLane
) -> tuple[Timeline, list[str]]:
    """The timeline as sent, of a trimmer, or under these settings and what the file proposes; sentences beside it."""
    from historylab.planning.replay import replay
    from historylab.recordings.as_sent import has_cuts
    from historylab.tuning.replayed import TrimmerLane

    if isinstance(lane, TrimmerLane):
        return drive_trimmer(conversation, lane), []
    if arguments.as_sent:
        return open_as_sent(conversation), []
    less = "Some requests were really sent less than the whole history: --as-sent shows that."
    beside = [less] if has_cuts(conversation) else []
    if len(arguments.files) > 1 or arguments.ignore_recorded:
        return replay(conversation, lane), beside
    settings, proposed = _as_recorded(arguments, conversation, lane)
    return replay(conversation, settings), beside + proposed


def _as_recorded(
    arguments: argparse.Namespace, conversation: Conversation, settings: Settings
) -> tuple[Settings, list[str]]:
    """These settings with what the file proposes where nothing else decides, and a sentence that says so."""
    from historylab.wording.recorded import recorded_sentence

    found, resolution = resolve_as_recorded(arguments, conversation, settings)
    said = recorded_sentence(found, resolution)
    offers = found.what_if and resolution.provenance["budget"].source == "recorded"
    what_if = f"--set budget={found.what_if}: trimmed; " if offers else ""
    return resolution.settings, [f"{said} ({what_if}--ignore-recorded: without.)"] if said else []


def _show(arguments: argparse.Namespace, timeline: Timeline, loaded: Conversations) -> Any:
    """Print a conversation's timeline; with --json, return the value to print instead."""
    from historylab.recall.retention import retention
    from historylab.tuning.measures import measure
    from historylab.tuning.replayed import MeasureOptions
    from historylab.wording.as_sent import smaller_falls_sentence
    from historylab.wording.losses import ESTIMATES
    from historylab.wording.verdict import NO_REQUESTS

    conversation = timeline.original
    if arguments.request is not None:
        return show_one_request(timeline, arguments.request, arguments.json)
    stars = must_remember_from(arguments)
    if stars and max(stars) >= len(conversation):
        raise LoadError(f"there is no message {max(stars) + 1} to remember; the conversation has {len(conversation):,}")
    kept = retention(timeline, stars=stars, questions=arguments.question)
    row = measure(timeline, MeasureOptions(stars=stars, questions=tuple(arguments.question)))
    if arguments.json:
        questions = [_asked_as_json(asked) for asked in kept.questions]
        said = {**losses_as_json(kept), "questions": questions, "rules_found": rules_as_json(timeline)}
        beside = session_cost_as_json(conversation, loaded)
        if arguments.as_sent:
            compactions = [asdict(cut) for cut in conversation.recorded.compactions]
            beside |= {"compactions": compactions, "post_mortem": post_mortem_as_json(conversation)}
        driven = {"trimmer": trimmer_as_json(timeline)} if timeline.run else {}
        return {**row, **driven, "requests": requests_as_json(timeline), **beside, **said}
    if not timeline.plans:
        print_line(f"{conversation.title}: {count_of(len(conversation), 'message')}. {NO_REQUESTS}")
        return None
    if arguments.as_sent:
        print_post_mortem(conversation)
        if fell := smaller_falls_sentence(timeline):
            print_line(fell)
    if timeline.run:
        for line in (*trimmer_lines(timeline), *cost_lines(timeline)):
            print_line(line)
    print_requests(timeline, slice(None) if arguments.all else requests_at_first(timeline, as_sent=arguments.as_sent))
    _print_figures(timeline, row)
    print_session_cost(conversation, loaded)
    _print_remembered(kept)
    print_rules(timeline)
    print_losses(kept)
    print_line(ESTIMATES)
    return None


def _print_figures(timeline: Timeline, row: dict[str, Any]) -> None:
    from historylab.costs.caches.base import all_caches
    from historylab.costs.recorded_cache import billed_model
    from historylab.tuning.advice_words import cut_in_words
    from historylab.tuning.cut_depth import depth_worth_saying
    from historylab.tuning.measures import MEASURES, cost_measure
    from historylab.tuning.moving_cut import HALF
    from historylab.wording.context import counted_by
    from historylab.wording.costs import as_reported_sentences
    from historylab.wording.over_budget import narrow_in_words, over_budget_sentence

    left_out = {"title", *(OF_SETTINGS if timeline.run else ())}  # the title stands above
    figures = [(row[measure.name], measure.help) for measure in MEASURES if measure.name not in left_out]
    costs = [(format_cost(row[cost.name], cost.name), cost.help) for cost in map(cost_measure, all_caches())]
    print_table("In figures", ("", "what"), figures + costs)
    print_line(f"Tokens by {counted_by(timeline)}.")
    if not (timeline.run or timeline.original.recorded.models):  # of a trimmer cost_lines says so
        print_line(f"Priced as {billed_model(timeline)}, as the file names no model.")
    for said in filter(None, as_reported_sentences(timeline)):
        print_line(said)
    if not timeline.run and (over := over_budget_sentence(timeline, lambda found: found.cause)):
        print_line(over)
    if depth := depth_worth_saying(timeline):
        print_line(f"It cuts at more than half of the requests. {cut_in_words(depth)} Try --set {depth.name}={HALF}.")
    if narrow := timeline.narrow_relevance(len(timeline.plans) - 1):
        mend = "".join(f" Try --set {name}={value}." for name, value in narrow.mend.items())
        print_line(f"{narrow_in_words(narrow, timeline.settings)}{mend}")


def _print_remembered(kept: Retention) -> None:
    """Whether the must-remember messages are still sent, and the likely answers to each question."""
    from historylab.wording.must_remember import must_remember_status

    if kept.timeline.plans and kept.starred:
        print_line(must_remember_status(kept.timeline, len(kept.timeline.plans) - 1, kept.starred).sentence)
    rows = [
        (strip_controls(asked.question, 40), i + 1, "held" if held else "lost", strip_controls(said[i].content, 60))
        for said in [kept.timeline.conversation]
        for asked in kept.questions
        for i, held in zip(asked.messages, asked.kept, strict=True)
    ]
    for asked in kept.questions:
        if not asked.messages and not kept.timeline.original.recorded.textless:
            print_line(f"No message shares a distinctive word with {asked.question!r}.")
    if rows:
        title = "What might be asked later: the likeliest messages by the words they share ≈"
        print_table(title, ("question", "message", "asked next", "text"), rows)


def _asked_as_json(asked: AskedQuestion) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in ("question", "messages", "scores", "kept", "estimate")}
