"""The pytest fixture `historylab_check`: wishes as a test. pytest imports this at every start, so nothing else is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.reports.check_assertion import Checked, Path
    from historylab.tuning.check import Check


@pytest.fixture
def historylab_check() -> Callable[..., Check]:
    """Fails the test where settings or a trimmer break a wish: `historylab_check("chats/", trim, that="no summaries")`.

    Skips it where nothing can be said; where something is unsure beside wishes that hold, it warns.
    """
    return check_history


def check_history(
    conversations: Conversation | Path | Iterable[Conversation | Path],
    settings: Checked | None = None,
    *,
    that: str | Iterable[str] = (),
    **how: Any,
) -> Check:
    """The check as `historylab.check` does it, which takes the other arguments, with its result if it is passed.

    In place of `settings`, by default those in effect, stands a trimmer.
    """
    from historylab.reports.check_assertion import check
    from historylab.settings.resolve import resolve_settings
    from historylab.wording.check_summary import check_report, moving_cut_in_words

    __tracebackhide__ = True
    try:
        found = check(resolve_settings().settings if settings is None else settings, conversations, that, **how)
    except AssertionError as broken:
        pytest.fail(str(broken), pytrace=False)
    if found.verdict == "unsure":
        pytest.skip(check_report(found).splitlines()[0])
    if found.unsure or moving_cut_in_words(found):
        warnings.warn(check_report(found), stacklevel=2)
    return found
