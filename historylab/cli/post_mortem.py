"""The post-mortem that `show --as-sent` adds, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from historylab.cli.base import print_line
from historylab.costs.amounts import count_of

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.recordings.needed_after import NeededFact
    from historylab.recordings.post_mortem import CutReport
    from historylab.recordings.same_size import SameSize

CUTS = 5  # that get lines of their own
CALL = ("request", "message", "earlier", "tool", "path", "call_tokens", "result_tokens")


def print_post_mortem(conversation: Conversation) -> None:
    """The sentence on all cuts, and the lines on each; nothing where nothing was cut."""
    from historylab.recordings.post_mortem import post_mortem
    from historylab.recordings.same_size import settings_of_same_size
    from historylab.wording.post_mortem import post_mortem_lines, post_mortem_sentence

    reports = post_mortem(conversation)
    if not reports:
        return
    print_line(post_mortem_sentence(reports))
    for report in reports[:CUTS]:
        if len(reports) > 1:
            print_line(post_mortem_sentence([report]))
        for line in post_mortem_lines(report, settings_of_same_size(conversation, report)):
            print_line(f"  {line}")
    if len(reports) > CUTS:
        print_line(f"… and {count_of(len(reports) - CUTS, 'more cut')} (--json: all of them).")


def post_mortem_as_json(conversation: Conversation) -> list[dict[str, Any]]:
    """An object per cut; requests and messages count from 0."""
    from historylab.recordings.post_mortem import post_mortem
    from historylab.recordings.same_size import settings_of_same_size

    return [_report_as_json(each, settings_of_same_size(conversation, each)) for each in post_mortem(conversation)]


def _report_as_json(report: CutReport, ours: tuple[SameSize, ...]) -> dict[str, Any]:
    from historylab.wording.post_mortem import post_mortem_sentence

    return {
        "request": report.request,
        "trigger": report.cut.trigger if report.cut else None,
        "by": report.by,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "known": report.known,
        "fates": dict(report.fates),
        "facts": [_fact_as_json(fact) for fact in report.facts],
        "again": [{name: getattr(call, name) for name in CALL} for call in report.again],
        "tokens_again": report.tokens_again,
        "dollars_again": None if report.dollars is None else float(report.dollars),
        "ours": [
            {
                "settings": one.settings.model_dump(exclude_defaults=True),
                "held": one.held,
                "of": one.of,
                "tokens": one.tokens,
            }
            for one in ours
        ],
        "sentence": post_mortem_sentence([report]),
    }


def _fact_as_json(fact: NeededFact) -> dict[str, Any]:
    return {
        "value": fact.need.value,
        "kind": fact.kind,
        "fate": fact.fate,
        "needed_at": fact.need.step,
        "needed_by": fact.need.message,
        "used_as": fact.need.used_as,
        "estimate": fact.need.kind == "link",
        "said_in": fact.said_in,
        "by": fact.by,
        "severity": fact.severity,
        "again_in": fact.again_in,
    }
