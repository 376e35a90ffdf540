"""The smallest change of the settings that gets a message sent, found by planning again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from historylab.errors import SettingsError
from historylab.planning.larger_values import largest_value
from historylab.planning.pipeline import open_pipeline
from historylab.planning.reasons import Explanation
from historylab.settings.model import Settings

MOST_RULES = 6  # rules that may have to be lifted, one after another, until a message is sent
COARSE = 50  # where each trial replays earlier requests, limits are exact to one part in so many


def find_remedy(
    settings: Settings, explanation: Explanation, why: Callable[[Settings], Explanation], limit: int
) -> dict[str, Any] | None:
    """The smallest change that gets a message sent, one rule after another lifted by its setting or remedy."""
    changes: dict[str, Any] = {}
    for _ in range(MOST_RULES):
        if explanation.sent:
            return changes
        lifted = _lift(settings.replace(**changes), explanation, why, limit)
        if not lifted:
            return None
        changes |= lifted
        explanation = why(settings.replace(**changes))
    return changes if explanation.sent else None


def _lift(
    settings: Settings, explanation: Explanation, why: Callable[[Settings], Explanation], limit: int
) -> dict[str, Any]:
    """The change that lifts this one rule; empty if there is none."""
    if explanation.remedy:
        return dict(explanation.remedy)
    if not explanation.setting:
        return {}

    def lets_go(value: int) -> bool:
        raised: dict[str, Any] = {explanation.setting: value}
        try:
            explained = why(settings.replace(**raised))
        except SettingsError:
            return False
        return explained.sent or explained.setting != explanation.setting

    low, highest = settings.value(explanation.setting), largest_value(explanation.setting)
    high = next((high for high in (min(limit, highest), highest) if high > low and lets_go(high)), None)
    if high is None:
        return {}
    tolerance = max(1, high // COARSE) if open_pipeline(settings).carries else 1
    while high - low > tolerance:
        middle = (low + high) // 2
        low, high = (low, middle) if lets_go(middle) else (middle, high)
    return {explanation.setting: high}
