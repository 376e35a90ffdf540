"""Refining: from the best candidate each knob is turned by itself, until none of those is better."""

from __future__ import annotations

from historylab.settings.model import Settings
from historylab.tuning.constraints import Constraints
from historylab.tuning.recommend import Recommendation, recommend
from historylab.ui.session.background_work import Work
from historylab.ui.shared.work_progress import work_progress
from historylab.ui.tune.settings_search import Search, try_all
from historylab.wording.amounts import count_of
from historylab.wording.cuts import changes_in_words

ROUNDS = 4


def refined_search(search: Search, work: Work, wishes: Constraints) -> Recommendation:
    """What is recommended of all that was tried, the candidates around the best ones included."""
    rows = list(work.result)
    found = recommend(rows, wishes, name=changes_in_words)
    for _ in range(0 if work.stopped else ROUNDS):
        if found.choice is None:
            break
        best = found.choice.settings
        near = try_around(search, best, f"near {best.key}")
        known = {row["settings"] for row in rows}
        rows += [row for row in near.result or () if row["settings"] not in known]
        found = recommend(rows, wishes, name=changes_in_words)
        if found.choice.settings == best:
            break
    return found


def try_around(search: Search, best: Settings, key: str) -> Work:
    """The work of trying everything one knob away, done in front of whoever looks."""
    tried = [best, *(settings for answers in search.around(best).values() for settings in answers)]
    work = search.work(tried)
    work_progress(
        work,
        key,
        "Turning one knob at a time",
        f"Try {count_of(len(tried), 'settings')} around these",
        lambda show: try_all(search, tried, work, show),
        at_once=search.at_once(tried),
    )
    return work
