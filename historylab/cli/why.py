"""`historylab why FILE "words"`: where something was said, whether a request had it, and what removed it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    Subparsers,
    add_parser,
    add_set,
    print_json,
    print_line,
    print_note,
    settings_from,
    whole_number,
)
from historylab.cli.files import add_conversation, add_reading, load_one, resolve_as_recorded
from historylab.cli.lanes import add_as_sent, add_trimmer, check_one_lane, drive_trimmer, open_as_sent, read_trimmer
from historylab.errors import LoadError, SettingsError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.formats.load import Conversations
    from historylab.planning.replay import Timeline
    from historylab.recall.why import Why


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "why", "Say why a request had something or not, and what would have kept it", run)
    parser.add_argument("file", metavar="FILE", help="a transcript")
    parser.add_argument("words", metavar="WORDS", help="what is looked for, in whatever form it was said")
    parser.add_argument("--request", type=whole_number, metavar="N", help="the request asked about (default: the last)")
    add_as_sent(parser)
    add_trimmer(parser)
    parser.add_argument(
        "--settings",
        metavar="FILE",
        help="what these settings would send: a .env, an export, a template (default: what was sent, where the file "
        "says so, else the settings that it proposes)",
    )
    add_set(parser)
    add_conversation(parser)
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 1 if nothing ever said it, and what comes near."""
    from historylab.recall.why import explain_words
    from historylab.recall.words import find_near_misses
    from historylab.wording.lane_line import lane_line
    from historylab.wording.why import near_in_words, why_in_words

    check_one_lane(arguments)
    if not arguments.words.strip():
        raise SettingsError('say what is looked for: historylab why FILE "the words"')
    loaded, conversation = _read(arguments)
    timeline = _timeline(arguments, conversation)
    if len(loaded) > 1:
        number = 1 + next(k for k, each in enumerate(loaded) if each is conversation)
        print_note(f"asked of conversation {number:,} of {len(loaded):,} (--conversation N)")
    why = explain_words(timeline, arguments.words, _request(arguments, timeline))
    if not why.found and loaded.report.remarks:  # it may stand in what wasn't read
        print_note(f"{loaded.report}")
    sentences = why_in_words(why)
    if not why.found:
        sentences += _elsewhere(loaded, arguments.words)
        sentences += near_in_words(find_near_misses(timeline.original, arguments.words))
    if arguments.json:
        print_json(_as_json(why, " ".join(sentences)))
    else:
        for sentence in (lane_line(timeline), *sentences):
            print_line(sentence)
    return int(not why.found)


def _read(arguments: argparse.Namespace) -> tuple[Conversations, Conversation]:
    """The file. Raises SettingsError for one that can't be read, as 1 would say that it never was said."""
    try:
        return load_one(arguments, arguments.file)
    except LoadError as problem:
        raise SettingsError(str(problem)) from None


def _timeline(arguments: argparse.Namespace, conversation: Conversation) -> Timeline:
    """The timeline as sent where the file knows, or of a trimmer; else the replay under settings given or proposed."""
    from historylab.planning.replay import replay
    from historylab.recordings.as_sent import knows_what_was_sent
    from historylab.settings.resolve import settings_in_file

    if lane := read_trimmer(arguments):
        return drive_trimmer(conversation, lane)
    given = arguments.settings or arguments.set
    if arguments.as_sent or (not given and knows_what_was_sent(conversation)):
        return open_as_sent(conversation)
    if arguments.settings:
        return replay(conversation, settings_in_file(arguments.settings, dict(arguments.set)))
    if not given:
        print_note("the file doesn't say what was sent: this is what the settings that it proposes would send")
    _, resolution = resolve_as_recorded(arguments, conversation, settings_from(arguments))
    return replay(conversation, resolution.settings)


def _elsewhere(loaded: Conversations, words: str) -> list[str]:
    """The first of the file's other conversations, sub-agents' among them, that says it."""
    from historylab.recall.words import find_words

    number = next((k for k, each in enumerate(loaded, 1) if find_words(each, words)[1]), None)
    return [f"Conversation {number:,} of {len(loaded):,} says it (--conversation {number})."] if number else []


def _request(arguments: argparse.Namespace, timeline: Timeline) -> int:
    """The request asked about, from 0. Raises SettingsError where there is none."""
    requests = len(timeline.plans)
    if not requests:
        raise SettingsError(f"{arguments.file} makes no request: there is nothing that a model could have been sent")
    number = requests if arguments.request is None else arguments.request
    if not 1 <= number <= requests:
        raise SettingsError(f"there is no request {number}; the conversation has {requests:,}")
    return number - 1


def _as_json(why: Why, sentence: str) -> dict[str, Any]:
    said = [each._asdict() for each in why.said]
    names = (
        "at_request", "sent", "gone_since", "removed_by", "held_by", "compaction", "needed_by", "would_keep",
    )  # fmt: skip
    return {"version": 1, "said": said, **{name: getattr(why, name) for name in names}, "sentence": sentence}
