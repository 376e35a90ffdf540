"""The pytest fixture `historylab_check`: wishes as a test. pytest imports this at every start, so nothing else is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from historylab.reports.check_assertion import Checked, Conversations
    from historylab.tuning.check import Check


@pytest.fixture
def historylab_check() -> Callable[..., Check]:
    """Fails the test where settings or a trimmer break a wish: `historylab_check("chats/", trim, that="no summaries")`.

    Skips it where nothing can be said; where something is unsure beside wishes that hold, it warns.
    """
    return check_history


def check_history(
    conversations: Conversations,
    settings: Checked | None = None,
    *,
    trimmer: str | Callable[..., Any] | None = None,
    that: str | Iterable[str] = (),
    **how: Any,
) -> Check:
    """The check as `historylab.check` does it, which takes the other arguments, with its result if it is passed.

    In place of `settings`, by default those in effect, stands a `trimmer`.
    """
    from historylab.errors import SettingsError
    from historylab.reports.check_assertion import check, require_conversations
    from historylab.settings.resolve import resolve_settings

    __tracebackhide__ = True
    require_conversations(conversations, 'historylab_check("conversations/", trimmer=trim, that="never rejected")')
    if trimmer is not None and settings is not None:
        raise SettingsError("leave out settings, or trimmer: one is checked at a time")
    checked = settings if trimmer is None else trimmer
    try:
        found = check(resolve_settings().settings if checked is None else checked, conversations, that, **how)
    except AssertionError as problem:
        broken = str(problem)
    else:
        return _pass_or_skip(found)
    pytest.fail(broken, pytrace=False)  # after the except, else pytest prints it twice


def _pass_or_skip(found: Check) -> Check:
    """Return what was found if nothing is broken; skip if nothing can be said, and warn if something is unsure."""
    from historylab.wording.check_summary import check_report, warnings_in_words

    __tracebackhide__ = True
    if found.verdict == "unsure":
        pytest.skip(check_report(found).splitlines()[0])
    if found.unsure or warnings_in_words(found):
        warnings.warn(check_report(found), stacklevel=3)
    return found
