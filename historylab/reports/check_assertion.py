"""A check as an assertion, for tests of any kind: what it found, or an AssertionError that says what is broken."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.settings.model import Settings
from historylab.trimmers.given import SECONDS, is_trimmer_name
from historylab.tuning.check import Check, run_check
from historylab.tuning.constraints import read_wishes
from historylab.tuning.replayed import TrimmerLane, read_lane
from historylab.wording.check_summary import check_report

Path = str | os.PathLike[str]
Conversations = Conversation | Path | Iterable[Conversation | Path]
Checked = Settings | TrimmerLane | Callable[..., Any] | Path


def check(
    checked: Checked | Conversations | None = None,
    conversations: Conversations | None = None,
    that: str | Iterable[str] = (),
    *,
    trimmer: str | Callable[..., Any] | None = None,
    against: Checked | None = None,
    strict: bool = False,
    carry: bool | None = None,
    form: str | None = None,
    seconds: float = SECONDS,
    **options: Any,
) -> Check:
    """The check of a trimmer or of settings on conversations, as `historylab check` does it; what is found comes back.

    `check(trim, "chats/", that="never rejected, keep every rule", max_tokens=4000)`

    Args:
        checked: a function, class or object that trims, "module:function" or one of `historylab.trimmers()`; Settings
            or a file of them; or "as-sent", what was really sent.
        conversations: conversations, files and folders of them.
        trimmer: what is checked, by name: `check("chats/", trimmer=trim, that=…)`.
        that: what must hold, in words.
        against: others to compare with, for "forgets no more" and "costs no more"; they take no options.
        strict: to fail where anything is unsure, too.
        carry, form, seconds, options: how a trimmer is driven, as `replay` takes it.

    Raises AssertionError, with the report as its text, where a wish is broken or the trimmer fails at a request.
    Raises SettingsError for a mistake in asking, and for a trimmer that fails at every request.
    """
    __tracebackhide__ = True
    checked, conversations = _in_order(checked, conversations, trimmer)
    wishes = read_wishes(that if isinstance(that, str) else "; ".join(that))
    if against is None and all(wish.name == "aim" for wish in wishes):
        raise SettingsError('say what must hold: that="keep every reference, never over the budget"')
    beside = None if against is None else read_lane(against)
    found = run_check(conversations, read_lane(checked, options, carry, form, seconds), wishes, against=beside)
    if found.fails(strict=strict):
        raise AssertionError(check_report(found))
    return found


def require_conversations(given: object, call: str) -> None:
    """Raises SettingsError, with the `call` as it should be, where a trimmer or settings stand for conversations."""
    named = isinstance(given, str) and is_trimmer_name(given)
    if named or callable(given) or isinstance(given, Settings | TrimmerLane):
        raise SettingsError(f"what is checked stands where conversations should; write {call}")


def _in_order(checked: Any, conversations: Any, trimmer: Any) -> tuple[Any, Any]:
    """The thing to check, and the conversations. Raises SettingsError where one is missing or they changed places."""
    call = 'check(trim, "conversations/", that="never rejected")'
    if trimmer is not None:
        given = [each for each in (checked, conversations) if each is not None]
        call = 'check("conversations/", trimmer=trim, that="never rejected")'
        if len(given) > 1:
            raise SettingsError(f"two things to check were given; write {call}")
        checked, conversations = trimmer, given[0] if given else None
    require_conversations(conversations, call)
    if conversations is None or checked is None:
        raise SettingsError(f"a check takes what is checked, and conversations; write {call}")
    return checked, conversations
