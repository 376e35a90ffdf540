"""--as-sent: the lane of what was really sent, which stands beside no settings."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from historylab.errors import PlanError, SettingsError

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.planning.replay import Timeline


def add_as_sent(parser: argparse.ArgumentParser) -> None:
    """--as-sent."""
    parser.add_argument(
        "--as-sent",
        action="store_true",
        help="what was really sent, as far as the file says so, instead of what settings would send",
    )


def check_one_lane(arguments: argparse.Namespace, option: str = "") -> None:
    """Raises SettingsError where --as-sent, or `option`, stands beside settings: they decided nothing of it."""
    option = option or ("--as-sent" if arguments.as_sent else "")
    given = [name for name, value in (("--set", arguments.set), ("--from", arguments.source)) if value]
    if getattr(arguments, "settings", None):
        given.append("--settings")
    if option and given:
        raise SettingsError(f"{option} is of what was sent, whatever is set; leave out {given[0]}, or {option}")


def open_as_sent(conversation: Conversation) -> Timeline:
    """The timeline of what was sent. Raises SettingsError where nothing says so: it was asked for what isn't there."""
    from historylab.recordings.as_sent import as_sent

    try:
        return as_sent(conversation)
    except PlanError as problem:
        raise SettingsError(str(problem)) from None
