"""The rows of settings whose cuts can be planned all at once, without a plan, an object or a reason for each.

Where a conversation, its settings or a measure asks more, there is no row: `measures.measure` makes it from a replay,
and they are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.recount import counter_of_money
from historylab.planning.cut_ground import CutGround
from historylab.planning.cut_stages import covers, plan_cuts
from historylab.planning.cut_vectors import join_vectors
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline
from historylab.settings.model import Settings
from historylab.tuning.combine import Row
from historylab.tuning.counted import COUNTED, CountedRows
from historylab.tuning.measures import measures_under
from historylab.tuning.replayed import Lane, MeasureOptions

WHERE_IT_CUTS = ("policy", "length", "pruner", "budget", "reserve", "min_turns", "options")
Group = tuple[Settings, tuple[tuple[int, Settings], ...]]
"""Settings that cut alike but for their budgets: the first of them, and each with its place."""


def count_rows(conversation: Conversation, lanes: Sequence[Lane], options: MeasureOptions) -> dict[int, Row]:
    """The rows of those lanes (by place) that can be measured without a replay."""
    if not _suits(conversation, options):
        return {}
    found, known = dict[int, Row](), dict[Any, Any]()
    for groups in _group(_Same(lanes)):
        first = groups[0][0]
        if not CutGround.suits(conversation, first):
            continue
        carrier = Timeline(conversation, first, open_instruments(first), (), conversation)
        if counter_of_money(carrier).key != carrier.counter.key:
            continue
        ground = CutGround(conversation, carrier.counter, first)
        made = [(plan_cuts(ground, each, _budgets(those)), those) for each, those in groups]
        some = [(vectors, those) for vectors, those in made if vectors is not None]
        if some:
            vectors, those = join_vectors([v for v, _ in some]), [each for _, group in some for each in group]
            rows = CountedRows(carrier, vectors, [settings for _, settings in those], options, known).rows()
            found |= {place: row for (place, _), row in zip(those, rows, strict=True)}
    return found


def _suits(conversation: Conversation, options: MeasureOptions) -> bool:
    columns, recorded = conversation.columns, conversation.recorded
    return (
        columns.clean
        and not len(columns.shown)
        and not recorded.textless
        and not conversation.metadata.get("evidence")
        and not options.questions_to(conversation)
        and {each.name for each in measures_under(())} == COUNTED.keys()
    )


class _Same(tuple[Lane, ...]):
    """Lanes, equal to those that are the same objects: their own equality takes longer than a row."""

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and len(self) == len(other) and all(map(lambda a, b: a is b, self, other))


@lru_cache(maxsize=8)  # asked for every conversation
def _group(lanes: _Same) -> list[list[Group]]:
    """The lanes that can be counted, by what they cut, then by how."""
    grounds: dict[Any, dict[Any, list[tuple[int, Settings]]]] = defaultdict(lambda: defaultdict(list))
    for place, lane in enumerate(lanes):
        if isinstance(lane, Settings) and covers(lane):
            values, cuts = lane.model_dump(), f"pruner.{lane.pruner}."
            own = {name: value for name, value in lane.options.items() if not name.startswith(cuts)}
            drops = lane.policy != "all" and not lane.preserve_system_messages
            ground = repr(([values[name] for name in values if name not in WHERE_IT_CUTS], sorted(own.items()), drops))
            how = repr((lane.policy, lane.length, lane.pruner, lane.min_turns, sorted(lane.options.items())))
            grounds[ground][how].append((place, lane))
    return [[(those[0][1], tuple(those)) for those in ground.values()] for ground in grounds.values()]


def _budgets(those: Iterable[tuple[int, Settings]]) -> list[int]:
    return [max(0, each.budget - each.reserve - each.overhead) for _, each in those]
