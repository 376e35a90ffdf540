"""The pytest fixture `historylab_check`: wishes as a test. pytest imports this at every start, so nothing else is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.settings.model import Settings
    from historylab.tuning.check import Check

    Path = str | os.PathLike[str]


@pytest.fixture
def historylab_check() -> Callable[..., Check]:
    """Fails the test where settings break a wish: `historylab_check("chats/", that="never rejected")`.

    Skips it where nothing can be said; where something is unsure beside wishes that hold, it warns.
    """
    return check_history


def check_history(
    conversations: Conversation | Path | Iterable[Conversation | Path],
    *,
    settings: Settings | Path | None = None,
    that: str | Iterable[str] = (),
    against: Settings | Path | None = None,
    strict: bool = False,
) -> Check:
    """The check as `historylab check` does it, with its result if it is passed.

    `settings` are a file or a value, by default those in effect; `strict` fails where anything is unsure.
    """
    from historylab.settings.resolve import resolve_settings
    from historylab.tuning.check import check
    from historylab.tuning.constraints import read_wishes
    from historylab.wording.check_summary import check_lines, moving_cut_in_words, notes

    __tracebackhide__ = True
    chosen = resolve_settings().settings if settings is None else _read_settings(settings)
    wishes = read_wishes(that if isinstance(that, str) else "; ".join(that))
    found = check(conversations, chosen, wishes, against=None if against is None else _read_settings(against))
    report = "\n".join([*check_lines(found), *notes(found)])
    if found.fails(strict=strict):
        pytest.fail(report, pytrace=False)
    if found.verdict == "unsure":
        pytest.skip(report.splitlines()[0])
    if found.unsure or moving_cut_in_words(found):
        warnings.warn(report, stacklevel=2)
    return found


def _read_settings(settings: Settings | Path) -> Settings:
    from historylab.settings.resolve import settings_in_file

    return settings_in_file(settings) if isinstance(settings, str | os.PathLike) else settings
