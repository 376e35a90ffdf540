"""Refining by coordinate search: from the best candidate vary one axis at a time until none is better."""

from __future__ import annotations

from historylab.costs.amounts import count_of
from historylab.settings.model import Settings
from historylab.tuning.constraints import Constraints
from historylab.tuning.recommend import Recommendation, recommend
from historylab.ui.session.background_work import Work
from historylab.ui.shared.work_progress import work_progress
from historylab.ui.tune.settings_search import SettingsSearch, try_candidates
from historylab.wording.cuts import changes_in_words
from historylab.wording.findings import KEPT_WORDS

ROUNDS = 4


def refined_search(search: SettingsSearch, work: Work, constraints: Constraints) -> Recommendation:
    """The recommendation over the search and the neighbours of its best candidates."""
    rows = list(work.result)
    found = recommend(rows, constraints, name=changes_in_words, nouns=KEPT_WORDS)
    for _ in range(0 if work.stopped else ROUNDS):
        if found.choice is None:
            break
        best = found.choice.settings
        near = try_neighbours(search, best, f"near {best.key}")
        known = {row["settings"] for row in rows}
        rows += [row for row in near.result or () if row["settings"] not in known]
        found = recommend(rows, constraints, name=changes_in_words, nouns=KEPT_WORDS)
        if found.settings == best:
            break
    return found


def try_neighbours(search: SettingsSearch, best: Settings, key: str) -> Work:
    """The sweep over `best` and its neighbours along every axis, run with a progress bar."""
    tried = [best, *(settings for answers in search.neighbours(best).values() for settings in answers)]
    work = search.work(tried)
    work_progress(
        work,
        key,
        "Changing one thing at a time",
        f"Try {count_of(len(tried), 'settings')} around these",
        lambda show: try_candidates(search, tried, work, show),
        at_once=search.is_quick(tried),
    )
    return work
