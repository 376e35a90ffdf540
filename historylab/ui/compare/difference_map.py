"""The difference map: which messages only one of two configurations sends, request by request, with the scrubber."""

from __future__ import annotations

from historylab.figures.difference_fates import PlanDifference
from historylab.figures.difference_map import difference_looks
from historylab.figures.retention_map import view
from historylab.planning.replay import Timeline
from historylab.ui.session import cached, session, viewing
from historylab.ui.session.must_remember import star_marks
from historylab.ui.shared.history_map import history_map, map_look
from historylab.ui.shared.timeline_data import TimelineData
from historylab.wording.palette import Look

KEY = "difference map"


def difference_map(base: Timeline, other: Timeline, number: int, letters: str) -> None:
    """Draw where the two of these letters differ, with request `number` (from 0) and the selected message marked."""
    packed, key = cached.packed_difference(base, other, letters)
    message = session.tab().message
    known = message is not None and message < base.plans[number].size
    data = TimelineData(cached.packed_conversation(base), packed, key)
    history_map(KEY, data, view(key, number, message if known else None, star_marks(base)), lambda: _look(base))


def difference_legend(letters: str) -> str:
    """The legend of colours and textures as HTML, the largest difference first."""
    colours = {PlanDifference.ONLY_A: f"only-{letters[0]}", PlanDifference.ONLY_B: f"only-{letters[1]}"}
    looks = sorted(difference_looks(letters).items(), reverse=True)
    entries = "".join(_entry(look, colours.get(difference, difference.name.lower())) for difference, look in looks)
    return f'<div class="hl-legend">{entries}</div>'


def _entry(look: Look, name: str) -> str:
    return f'<span title="{look.meaning}">{look.mark(name)}{look.word}</span>'


def _look(base: Timeline) -> None:
    request, message = map_look(KEY, base)
    if request is not None:
        viewing.select_request(request)
        if message is not None:
            viewing.select_message(message)
