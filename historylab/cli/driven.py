"""What `show` and `compare` say of a trimmer: its version, where it failed, and the faults in what it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from historylab.costs.amounts import count_of

if TYPE_CHECKING:
    from historylab.planning.replay import Timeline

ERRORS = 3  # that get a line each


def trimmer_lines(timeline: Timeline) -> Iterator[str]:
    """Its version and options, how to read what it does, where it failed and why, and its faults."""
    from historylab.wording.faults import faults_sentence

    assert timeline.run
    choice, errors = timeline.run.choice, timeline.errors
    options = ", ".join(f"{name} {value}" for name, value in (choice.options or {}).items())
    yield f"As {' '.join(filter(None, (choice.title, choice.version)))} sends it{f' ({options})' * bool(options)}."
    yield from timeline.run.notes
    if errors:
        of = count_of(len(timeline.plans), "request")
        yield f"It failed at {len(errors):,} of {of}: what these hold is not known, and they are in no sum."
    for why, number in Counter(errors.values()).most_common(ERRORS):
        first = next(request for request, said in errors.items() if said == why)
        yield f"  {count_of(number, 'request')}, first at request {first + 1:,}: {why}"
    yield faults_sentence(timeline)


def trimmer_as_json(timeline: Timeline) -> dict[str, Any]:
    """What is said of the trimmer; requests count from 1, as those of `show` do."""
    from historylab.wording.faults import count_faults

    assert timeline.run
    choice = timeline.run.choice
    return {
        "name": choice.name,
        "version": choice.version,
        "options": choice.options,
        "notes": timeline.run.notes,
        "errors": [{"request": number + 1, "error": why} for number, why in timeline.errors.items()],
        **count_faults(timeline)._asdict(),
    }


def request_as_json(timeline: Timeline, number: int) -> dict[str, Any]:
    """What is said of a request (from 0) beside others'."""
    return {"refused": bool(timeline.refused[number]), "error": timeline.errors.get(number)}
