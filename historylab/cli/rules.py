"""What `show` says of standing instructions: which are no longer held, and the setting that would keep them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from historylab.cli.base import print_line

if TYPE_CHECKING:
    from historylab.planning.replay import Timeline


def print_rules(timeline: Timeline) -> None:
    """The rules that the last request no longer holds, and what would keep them."""
    from historylab.planning.pins import changes_to_pin
    from historylab.wording.rules import rules_status

    status = rules_status(timeline, len(timeline.plans) - 1)
    if not status.lost:
        return
    wanted = [(lost.rule.pattern, timeline.original[lost.rule.message].role) for lost in status.lost]
    changes = {} if timeline.decided_by else changes_to_pin(timeline.settings, wanted)  # no pin of ours was asked
    keep = " ".join(f"--set {shlex.quote(f'{name}={value}')}" for name, value in changes.items())
    print_line(status.sentence + (f" {keep} keeps {'it' if len(status.lost) == 1 else 'them'}." if keep else ""))


def rules_as_json(timeline: Timeline) -> list[dict[str, Any]]:
    """Every rule found, its pattern for `pin`, and the runs of requests (from 1) that lack it; messages from 0."""
    from historylab.recall.rules import track_rules

    return [
        {
            "message": rule.message,
            "text": rule.text,
            "pattern": rule.pattern,
            "lost": [{"from": first + 1, "to": stop} for first, stop in held.gaps],
            "estimate": True,
        }
        for rule, held in ((tracked.rule, tracked.held) for tracked in track_rules(timeline))
    ]
