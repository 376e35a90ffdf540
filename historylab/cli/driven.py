"""The words of `show` and `compare` on a trimmer: its version, where it failed, and the faults in what it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from historylab.costs.amounts import count_of
from historylab.errors import SettingsError

if TYPE_CHECKING:
    from historylab.planning.replay import Timeline

ERRORS = 3  # that get a line each


def trimmer_lines(timeline: Timeline) -> Iterator[str]:
    """The version, the requests at which it failed and why, how to read what it does, and the faults of that."""
    from historylab.wording.faults import faults_sentence
    from historylab.wording.trimmers import trimmer_line, trimmer_notes

    yield trimmer_line(timeline)
    yield from trimmer_notes(timeline)
    causes = Counter(timeline.errors.values())
    for why, number in causes.most_common(ERRORS) if len(causes) > 1 else ():
        yield f"  {count_of(number, 'request')}: {why}"
    if said := faults_sentence(timeline):
        yield said


def cost_lines(timeline: Timeline) -> Iterator[str]:
    """The cost beside not trimming, and whose prices these are where the file names no model."""
    from historylab.costs.bill import against_untrimmed
    from historylab.settings.fields import DEFAULT_MODEL
    from historylab.wording.costs import cost_finding

    model = timeline.settings.model
    try:
        compared = against_untrimmed(timeline)
    except SettingsError:  # the prices are unknown
        compared = None
    yield f"{cost_finding(timeline, compared)}"
    if compared and not timeline.original.recorded.model and model == DEFAULT_MODEL:
        yield f"At {model}’s prices, as the file names no model: --set model=NAME says which."


def trimmer_as_json(timeline: Timeline) -> dict[str, Any]:
    """The trimmer as JSON; requests count from 1, as those of `show` do."""
    from historylab.planning.faults import count_faults
    from historylab.settings.trimmer_options import shown_options

    assert timeline.run
    choice = timeline.run.choice
    return {
        "name": choice.name,
        "version": choice.version,
        "options": shown_options(choice.options or {}),
        "notes": timeline.run.notes,
        "errors": [{"request": number + 1, "error": why} for number, why in timeline.errors.items()],
        **count_faults(timeline)._asdict(),
    }


def request_as_json(timeline: Timeline, number: int) -> dict[str, Any]:
    """The fields of a request (from 0) that only a trimmer's has."""
    return {"refused": bool(timeline.refused[number]), "error": timeline.errors.get(number)}
