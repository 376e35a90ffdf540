"""Why a message is treated as it is, since when, and which settings would keep it, found by planning again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from historylab.conversation.conversation import Conversation, checked_index
from historylab.errors import SettingsError
from historylab.planning.larger_values import Tried, try_larger
from historylab.planning.pipeline import open_pipeline, plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import BY_MESSAGE, LOST, REPLACED, Action, Explanation
from historylab.planning.remedy import find_remedy
from historylab.planning.settings_that_keep import Keeps, find_keeping_settings
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """An explanation, the first request (from 0) of the run it has held for, and the settings that would keep it.

    `undo` is empty when the message is sent, and None when none was found that would (its source may be broken).
    `tried` is None where it is sent under every larger number in `undo` as well, and under none smaller; otherwise it
    says which larger ones were tried. `decided_by`: who decided, where it wasn't our settings. Where it wasn't our
    stages either, `undo` are settings of ours that would have sent it, at that size and no other, and `more` the tokens
    that the request then has beyond what was really sent (below 0: fewer).
    """

    explanation: Explanation
    since: int
    undo: Mapping[str, Any] | None
    tried: Tried | None = None
    decided_by: str = ""
    more: int | None = None

    @property
    def undo_sentence(self) -> str:
        """ "Sent if length ≥ 23 and budget ≥ 6,100." """
        return self.undo_in_words(str, lambda _, wanted: str(wanted))

    def undo_in_words(self, title: Callable[[str], str], value: Callable[[str, Any], str]) -> str:
        """The same, each setting called by its `title`, and by `value` what is no number; "" where it is sent."""
        if self.undo is None:
            return "No setting we tried would send it."
        if not self.undo:
            return ""
        if self.more is not None:
            return f"Settings that would have sent it: {settings_and_size(self.undo, self.more, title, value)}."
        changes = settings_clause(self.undo, title, value, "≥" if self.tried is None else "=")
        which = "That text is sent" if self.explanation.rule == REPLACED.rule else "Sent"
        return f"{which} if {changes}{self.tried.clause(title) if self.tried else ''}."


def settings_clause(
    changes: Mapping[str, Any],
    title: Callable[[str], str] = str,
    value: Callable[[str, Any], str] = lambda _, wanted: str(wanted),
    least: str = "=",
) -> str:
    """ "pruner is relevance and budget = 6,100" """
    return " and ".join(
        f"{title(name)} is {value(name, wanted)}"
        if isinstance(wanted, bool | str)
        else f"{title(name)} {least} {wanted:,}"
        for name, wanted in changes.items()
    )


def settings_and_size(
    changes: Mapping[str, Any], more: int, title: Callable[[str], str], value: Callable[[str, Any], str]
) -> str:
    """ "pruner relevance, budget 6,100 (1,200 tokens more than were sent)" """
    listed = ", ".join(
        f"{title(name)} {value(name, wanted) if isinstance(wanted, bool | str) else f'{wanted:,}'}"
        for name, wanted in changes.items()
    )
    return f"{listed} ({_size_clause(more)})"


def _size_clause(more: int) -> str:
    """ "1,200 tokens more than were sent" """
    if not more:
        return "as many tokens as were sent"
    tokens = f"{abs(more):,} token{'' if abs(more) == 1 else 's'}"
    return f"{tokens} {'more' if more > 0 else 'fewer'} than were sent"


def explain(
    conversation: Conversation,
    settings: Settings,
    instruments: Instruments,
    plans: Sequence[HistoryPlan],
    request: int,
    message: int,
    progress: Progress | None = None,
) -> Answer:
    """Explain `message` at `request`, from 0 or, if negative, from the end. Raises IndexError where there is none.

    Where another message stands for it, the settings that would keep it are those that would keep that one; what our
    stages didn't decide is planned by settings of ours. Where each trial replays earlier requests, `progress` is told
    how many settings were tried, and how many requests the trial under way has planned; what it raises ends the search.
    """
    request = checked_index(request, len(plans), "request")
    plan = plans[request]
    message = checked_index(message, plan.size, "message")
    stated, since = plan.reason(message), treated_since(plans, request, message)
    message = _stand_in(plan, message)
    explanation = plan.reason(message)
    if explanation.sent:
        return Answer(stated, since, {}, decided_by=plan.decided_by)
    if plan.decided_by and not (explanation.setting or explanation.remedy):  # no stage of ours said so
        found = find_keeping_settings(conversation, settings, plan, message, _sends(message))
        answer = Answer(stated, since, None, decided_by=plan.decided_by)
        return replace(answer, undo=found.changes, more=found.more) if found else answer

    trial = instruments.offline()  # tens of trial settings: no model is asked to summarise for them

    trials = count()

    def why(changed: Settings) -> Explanation:
        tell = partial(progress, next(trials)) if progress else None
        return plan_up_to(conversation, changed, trial, plan.size, tell).reason(message)

    def sends(changes: Mapping[str, Any]) -> bool:
        try:
            return why(settings.replace(**changes)).sent
        except SettingsError:  # beyond the setting's bounds
            return False

    limit = _limit(plan, settings)
    undo = find_remedy(settings, explanation, why, limit)
    if not undo:
        return Answer(stated, since, undo, decided_by=plan.decided_by)
    replays = request + 1 if open_pipeline(settings.replace(**undo)).carries else 0
    undo, tried = try_larger(undo, sends, (plan.size, limit), replays)
    tried = tried.offline() if tried and trial is not instruments else tried
    return Answer(stated, since, undo, tried, plan.decided_by)


def _sends(message: int) -> Keeps:
    """A test of plans for the message sent whole, as a cleared result is sent and says nothing."""
    return lambda plan: BY_MESSAGE if plan.action_of(message) < Action.TRUNCATED else LOST


def _stand_in(plan: HistoryPlan, message: int) -> int:
    """The message that stands for this one in the plan: mostly itself."""
    replaced = plan.reasons[message] == REPLACED.code
    return int(plan.history.columns.replaced_by[message]) if replaced else message


def _limit(plan: HistoryPlan, settings: Settings) -> int:
    """A value at which a setting that counts tokens, messages or turns can no longer be what stops a message."""
    untrimmed = plan.history.total_tokens + plan.history.counter.per_request
    return 2 * untrimmed + settings.reserve + settings.overhead + plan.size


def treated_since(plans: Sequence[HistoryPlan], request: int, message: int) -> int:
    """The first request of the run that treats the message like this one."""
    action = plans[request].action_of(message)
    while request and message < plans[request - 1].size and plans[request - 1].action_of(message) == action:
        request -= 1
    return request
