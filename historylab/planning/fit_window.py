"""Settings under which a request fits the model's window, after the model refused it for its length.

They are found by planning the same request again under each that is tried. What the refusal says of the request's
length tells how many of the model's tokens one of ours is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings

MARGIN = 1.05  # of the model's tokens to ours, where the refusal doesn't say how many the request had
ROUND = 100  # tokens


@dataclass(frozen=True, slots=True)
class Fit:
    """Settings to change so that the request fits `window` tokens, and the tokens it has then, the answer's included.

    `guessed`: nobody said how large the window is; it is half of what was refused.
    """

    changes: Mapping[str, Any]
    tokens: int
    window: int
    guessed: bool


def settings_that_fit(
    conversation: Conversation,
    refused: HistoryPlan,
    settings: Settings,
    changed: Callable[[Mapping[str, Any]], Settings],
    *,
    window: int | None,
    requested: int | None = None,
) -> Fit | None:
    """The gentlest change of settings under which the conversation's next request fits; None if none of those tried.

    Args:
        refused: what was sent, under `settings`.
        changed: the settings that choosing these values would lead to; what is locked stays as it is.
        window: tokens that the model takes, as the refusal or the price list says; None if unknown.
        requested: tokens of the refused request by the model's count.
    """
    sent = refused.tokens + settings.overhead
    ratio = max(1.0, requested / sent) if requested and sent else MARGIN
    most = int(window / ratio) if window else sent // 2
    for changes in _candidates(settings, most):
        try:
            tried = changed(changes)
            plan = plan_history(conversation, tried, instruments=open_instruments(tried).offline())
        except SettingsError:
            continue
        needed = plan.tokens + tried.overhead + tried.reserve
        if needed <= most and not plan.over_budget:
            taken = {name: value for name, value in changes.items() if tried.value(name) == value}
            return Fit(taken, int(needed * ratio), window or most, guessed=window is None)
    return None


def _candidates(settings: Settings, most: int) -> Iterator[dict[str, Any]]:
    """Changes to try, the gentlest first."""
    budget: dict[str, Any] = {"budget": max(ROUND, most // ROUND * ROUND)}
    if settings.reserve > most // 2:
        budget["reserve"] = most // 4
    if settings.compaction != "off":
        yield {**budget, "window": most}
    yield budget
    cut = {**budget, "pruner": "fifo"}
    yield cut
    turns = settings.min_turns
    while turns:
        turns //= 2
        yield {**cut, "min_turns": turns}
    yield {**cut, "min_turns": 0, "tool_output": "truncate"}
    yield {**cut, "min_turns": 0, "tool_output": "truncate", "policy": "all", "filter": "off", "projection": "off"}
