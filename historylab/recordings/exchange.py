"""An exchange: a request as an app sent it, what came back, and what was decided in between."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np

from historylab.errors import HistoryLabError
from historylab.exporters.base import export
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings


def new_id() -> str:
    """An id for a request, by which its line and its answer's headers name it."""
    return f"r-{secrets.token_hex(8)}"


def new_conversation() -> str:
    """An id for a conversation."""
    return f"c-{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer.

    `chat` is the same object for the requests of one chat (`Decision.chat`), None if that is unknown. `request` is the
    body as the app sent it, which is not changed any more; `response` the API's answer as one body, None without one.
    `started` is in seconds since 1970, `mode` "trim" or "audit", `untrimmed` why the request went through as it came.
    `state` is what `NotedState` noted. `conversation` is its id where the caller has one. `secrets` are keys that stand
    in no record, whatever repeats them.
    """

    api: str
    request: Mapping[str, Any]
    started: float
    seconds: float
    chat: object = None
    response: Mapping[str, Any] | None = None
    status: int = 0
    error: str = ""
    app: str = ""
    mode: str = "trim"
    settings: Settings | None = None
    plan: HistoryPlan | None = None
    untrimmed: str = ""
    state: Mapping[str, str] = field(default_factory=dict)
    conversation: str = ""
    secrets: Sequence[str] = ()
    id: str = field(default_factory=new_id)


def exported(settings: Settings) -> dict[str, Any]:
    """The settings that differ from the defaults, by name, as the JSON export has them."""
    return dict(_exported(settings))


@lru_cache(maxsize=64)
def _exported(settings: Settings) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(export(settings, "json", only_changed=True))
    return found


def read_settings(exported: object) -> Settings | None:
    """The settings that a line has; None without any, or where another version wrote what is unknown here."""
    try:
        return Settings(**exported) if isinstance(exported, dict) else None
    except (HistoryLabError, TypeError):
        return None


def plan_fields(plan: HistoryPlan) -> dict[str, Any]:
    """A plan in a line: its tokens beside those of the whole history, its budget, and the decisions."""
    before = plan.history.untrimmed_tokens + plan.history.counter.per_request
    said = {"tokens": plan.tokens, "before": before, "budget": plan.budget, "over": plan.over_budget}
    return {**said, "decisions": run_lengths(plan.sketch())}


def run_lengths(sketch: str) -> str:
    """ "PDDDKK" → "P1D3K2"."""
    letters = np.frombuffer(sketch.encode(), np.uint8)
    starts = np.flatnonzero(np.diff(letters, prepend=0))
    counts = np.diff(starts, append=len(letters))
    return "".join(f"{sketch[at]}{count}" for at, count in zip(starts.tolist(), counts.tolist(), strict=True))


def iso_time(seconds: float) -> str:
    """ "2026-11-23T07:30:00.123+00:00"."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
