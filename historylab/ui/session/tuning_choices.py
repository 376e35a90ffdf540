"""The choices made for a search: what it varies, constraints and objective; and the volume of a month."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.ui.session.session import tab, touch


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


def set_monthly_volume(conversations: int) -> None:
    """Extrapolate costs to that many conversations a month."""
    tab().tuning.volume = conversations
    touch()
