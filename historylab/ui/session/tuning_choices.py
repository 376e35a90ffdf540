"""The choices made on the pages Tune and Corpus: what a search varies, constraints and objective, the corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from historylab.formats.files.pieces import Piece
from historylab.formats.load import Conversations
from historylab.tuning.corpus import to_sources
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session.session import report_problem, tab, touch
from historylab.ui.session.tab import OnDisk
from historylab.wording.untrusted import one_line


def vary_settings(names: Sequence[str]) -> None:
    """Let a search vary the settings behind these axes."""
    tab().tuning.varied = list(names)
    touch()


def try_at_most(count: int) -> None:
    """Let a search try that many settings at most."""
    tab().tuning.most = count
    touch()


def search_whole_file(whole: bool) -> None:
    """Search over all conversations of the open file instead of the one on screen."""
    tab().tuning.everywhere = whole
    touch()


# -- constraints; each of them starts again from what is recommended under it


def require(phrases: Sequence[str]) -> None:
    """Recommend only settings that meet these constraints."""
    tab().tuning.musts = list(phrases)
    pick_candidate("")


def aim_for(aim: str) -> None:
    """Of those that do, take one that is better than mine, the cheapest, the one that keeps most, or between."""
    tab().tuning.aim = aim
    pick_candidate("")


def price_under(cache: str) -> None:
    """Price everything under that cache model; empty: the one that the model's prices imply."""
    tab().tuning.cache = cache
    pick_candidate("")


def require_in_words(words: str) -> None:
    """Further constraints, as typed."""
    tab().tuning.words = words
    pick_candidate("")


def pick_candidate(key: str) -> None:
    """Look at the trial with that key; empty: the recommended one."""
    tab().tuning.picked = key
    touch()


# -- the corpus


def use_corpus(uploads: Mapping[str, Conversations]) -> None:
    """Measure these files; none: the open file, or our samples."""
    tab().tuning.uploads, tab().tuning.on_disk = dict(uploads), None
    touch()


def use_files_on_disk(path: str) -> None:
    """Measure that file or folder of this machine, if reader and server are on it."""
    if not on_this_machine():
        return
    named = os.path.abspath(os.path.expanduser(path.strip().strip("\"'")))
    pieces = tuple(piece for piece in to_sources([named]) if isinstance(piece, Piece)) if os.path.exists(named) else ()
    if pieces:
        use_corpus({})
        tab().tuning.on_disk = OnDisk(named, pieces)
    else:
        found = "an empty folder" if os.path.isdir(named) else "nothing there"
        report_problem(f"“{one_line(path, 80)}”: found {found}; name a file of conversations, or a folder of them")


def set_monthly_volume(conversations: int) -> None:
    """Extrapolate costs to that many conversations a month."""
    tab().tuning.volume = conversations
    touch()
