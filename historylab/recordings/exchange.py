"""An exchange on record: its ids, times, settings and plan as a line has them, and lines, which every store keeps."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from historylab.errors import HistoryLabError, StoreError
from historylab.exporters.base import export
from historylab.formats.traces.recorded_lines import KIND
from historylab.planning.agent_context import count_agent_context
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings

RUNS = re.compile(r"(.)\1*")
HALVES = re.compile("[\ud800-\udfff]")  # of an emoji that was cut in two, for which UTF-8 has no bytes


def new_id() -> str:
    """An id for a request, by which its line and its answer's headers name it."""
    return f"r-{secrets.token_hex(8)}"


def new_conversation() -> str:
    """An id for a conversation."""
    return f"c-{secrets.token_hex(8)}"


def settings_fields(settings: Settings) -> dict[str, Any]:
    """The settings that differ from the defaults, by name, as the JSON export has them."""
    return dict(_export_settings(settings))


@lru_cache(maxsize=64)
def _export_settings(settings: Settings) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(export(settings, "json", only_changed=True))
    return found


def read_settings(fields: object) -> Settings | None:
    """The settings that a line has; None without any, or where another version wrote what is unknown here."""
    try:
        return Settings(**fields) if isinstance(fields, dict) else None
    except (HistoryLabError, TypeError):
        return None


def plan_fields(plan: HistoryPlan) -> dict[str, Any]:
    """A plan in a line: its tokens beside those of the whole history, its budget, the decisions, and how many messages
    are kept as a coding agent's context."""
    before = plan.history.untrimmed_tokens + plan.history.counter.per_request
    said = {"tokens": plan.tokens, "before": before, "budget": plan.budget, "over": plan.over_budget}
    context = count_agent_context(plan)
    pinned = {"agent_context": context} if context else {}
    return {**said, **pinned, "decisions": run_lengths(plan.sketch())}


def run_lengths(sketch: str) -> str:
    """ "PDDDKK" → "P1D3K2"."""
    return "".join(f"{run[1]}{run.end() - run.start()}" for run in RUNS.finditer(sketch))


def line_time(seconds: float) -> str:
    """ "2026-11-23T07:30:00.123+00:00"."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def make_line(kind: str, **fields: Any) -> str:
    """A line of that kind; fields without a value (None, an empty text or list) are left out.

    Raises StoreError for a value that is no JSON.
    """
    said = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    try:
        text = json.dumps({KIND: kind, **said}, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as problem:
        raise StoreError(f"what is to be recorded is no JSON: {problem}") from None
    return HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
