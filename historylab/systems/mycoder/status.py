"""Status updates for a long-running agent: its token usage, its costs and what runs in the background.

Source: mycoder issue 338. Three layouts: `release` (what was built), `plan` (the code the issue prints) and `example`
(the update the issue shows). Percentages round half up; at the threshold the hint becomes a recommendation.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from historylab.errors import SettingsError
from historylab.systems.base import number, require_whole_number

log = logging.getLogger("historylab")

INSTRUCTIONS = "You are an agent. Work on the task you are given with the tools you have, until it is done."
BEGINS = "--- STATUS UPDATE ---"
LAYOUTS = ("release", "plan", "example")
THRESHOLD_PERCENTAGE = 50
STATUS_FREQUENCY = 5
UNREAD = {"unread_messages": "message", "unread_lines": "line"}
TASK_FIELDS = ("id", "description", "status", "unread_messages", "unread_lines", "command", "url")
DETAILS = {"command": "Command", "url": "URL"}
PLANNED_PERCENTAGE = 70  # the texts say 70, whatever is configured
HINT = (
    "If token usage {is_high} high (>{percentage:g}%), consider using the 'compactHistory' tool to reduce context size."
)
URGENT = (
    "Your token usage is high ({used}%). It is recommended to use the 'compactHistory' tool now to reduce context size."
)


class Task(Protocol):
    """Something that runs in the background; an agent's `status` is `running`, `completed` or `error`."""

    id: str
    description: str
    status: str


@runtime_checkable
class Tracker(Protocol):
    """Keeps track of sub-agents, shells or browser sessions."""

    def get_active(self) -> Iterable[Task | Mapping[str, Any]]: ...


Items = Tracker | Iterable[Task | Mapping[str, Any]]


def generate_status_update(
    total_tokens: int,
    max_tokens: int | None,
    token_tracker: Any = None,
    *,
    agents: Items = (),
    shells: Items = (),
    sessions: Items = (),
    threshold_percentage: float = THRESHOLD_PERCENTAGE,
    layout: str = "release",
) -> dict[str, str]:
    """The update as a system message.

    Args:
        total_tokens, max_tokens: of the last response, and of the model's window; None or 0 where it is unknown.
        token_tracker: anything with `get_total_cost() -> str`; without one, $0.00.
        agents, shells, sessions: what runs, or a tracker that is asked for it: objects or mappings with `id`,
            `description` and, shown except in `plan`, optionally `status`, `unread_messages` or `unread_lines`,
            `command`, `url`.
        layout: `release`, `plan` or `example`. Raises SettingsError for any other.
    """
    if layout not in LAYOUTS:
        raise SettingsError(f"there is no status layout {layout!r}; choose one of {', '.join(LAYOUTS)}")
    total_tokens = require_whole_number(total_tokens, "total_tokens")
    max_tokens = require_whole_number(max_tokens or 0, "max_tokens")
    lines = [
        BEGINS,
        _usage(total_tokens, max_tokens, "" if layout == "plan" else ","),
        f"Cost So Far: {token_tracker.get_total_cost() if token_tracker else '$0.00'}",
    ]
    for title, items in (("Sub-Agents", agents), ("Shell Processes", shells), ("Browser Sessions", sessions)):
        lines += _section(title, _active(items), layout != "plan")
    if max_tokens:
        lines += ["", *_advice(usage_percentage(total_tokens, max_tokens), threshold_percentage, layout)]
    return {"role": "system", "content": "\n".join([*lines, "--- END STATUS ---"])}


def usage_percentage(total_tokens: float, max_tokens: float) -> int:
    """Percentage of the window that is used, rounded half up."""
    total, window = (
        require_whole_number(total_tokens, "total_tokens"),
        require_whole_number(max_tokens, "max_tokens", 1),
    )
    return math.floor(total * 100 / window + 0.5)


def system_prompt_lines(threshold_percentage: float = THRESHOLD_PERCENTAGE) -> tuple[str, ...]:
    """The lines of the agent's system prompt about updates and the tool."""
    percentage = number(threshold_percentage, "threshold_percentage")
    return (
        "You will receive periodic status updates showing your token usage and active background tasks.",
        f"If your token usage approaches {percentage:g}% of the maximum, consider using the compactHistory "
        "tool to reduce context size.",
        "The compactHistory tool will summarize older messages while preserving recent context.",
    )


def get_system_prompt(instructions: str = INSTRUCTIONS, *, threshold_percentage: float = THRESHOLD_PERCENTAGE) -> str:
    """The agent's system prompt: its instructions, and what it should know of updates and the tool, once."""
    lines = "\n".join(system_prompt_lines(threshold_percentage))
    return instructions if lines in instructions else f"{instructions}\n\n{lines}".strip()


class StatusUpdates:
    """When the next update is due: every `frequency` responses, or at once from the threshold on.

    `threshold_percentage=None` is the issue's own rule: the frequency alone, and only where the window is known.
    `responses` came since the last update, or without one.
    """

    def __init__(
        self,
        frequency: int = STATUS_FREQUENCY,
        threshold_percentage: float | None = THRESHOLD_PERCENTAGE,
        *,
        responses: int = 0,
    ) -> None:
        self.frequency = require_whole_number(frequency, "frequency", 1)
        self._responses = require_whole_number(responses, "responses")
        self.threshold_percentage = None if threshold_percentage is None else number(threshold_percentage, "threshold")

    def due(self, total_tokens: int | None, max_tokens: int | None) -> bool:
        """Call it once per response: it counts, decides and, when an update is due, starts counting anew."""
        self._responses += 1
        if not total_tokens or not (self._responses >= self.frequency or self._is_high(total_tokens, max_tokens)):
            return False
        if self.threshold_percentage is None and not max_tokens:
            return False
        self._responses = 0
        log.debug("Sent status update to agent")
        return True

    def _is_high(self, total_tokens: int, max_tokens: int | None) -> bool:
        if not max_tokens or self.threshold_percentage is None:
            return False
        return usage_percentage(total_tokens, max_tokens) >= self.threshold_percentage


def _usage(total_tokens: int, max_tokens: int | None, separator: str) -> str:
    if not max_tokens:
        return f"Token Usage: {total_tokens:{separator}}"
    used = usage_percentage(total_tokens, max_tokens)
    return f"Token Usage: {total_tokens:{separator}}/{max_tokens:{separator}} ({used}%)"


def _active(items: Items) -> list[Mapping[str, Any]]:
    tasks = items.get_active() if isinstance(items, Tracker) else items
    if not isinstance(tasks, Iterable):
        raise SettingsError(f"a status update lists items, or asks a tracker for them; {tasks!r} is neither")
    active = [
        task if isinstance(task, Mapping) else {key: getattr(task, key, None) for key in TASK_FIELDS} for task in tasks
    ]
    if any(task.get("id") is None for task in active):
        raise SettingsError("what a status update lists needs an id")
    return active


def _section(title: str, items: list[Mapping[str, Any]], with_details: bool) -> Iterator[str]:
    yield ""
    yield f"Active {title}: {len(items)}"
    for item in items:
        yield f"- {_line(item['id'])}: {_line(item.get('description') or '')}" + (_state(item) if with_details else "")
        if with_details:
            yield from (f"  {word}: {_line(item[key])}" for key, word in DETAILS.items() if item.get(key))


def _line(text: Any) -> str:
    """The text in one line, so that what an agent wrote can't end the update, which is a system message."""
    return " ".join(str(text).splitlines())


def _state(item: Mapping[str, Any]) -> str:
    """ " [Running, 3 unread messages]", as far as it is given."""
    status = _line(item.get("status") or "")
    parts = [status[:1].upper() + status[1:]] if status else []
    unread = {noun: item[key] for key, noun in UNREAD.items() if item.get(key) is not None}
    parts += [f"{number} unread {noun}{'' if number == 1 else 's'}" for noun, number in unread.items()]
    return f" [{', '.join(parts)}]" if parts else ""


def _advice(used: int, threshold_percentage: float, layout: str) -> list[str]:
    if layout == "release":
        urgent = used >= threshold_percentage
        return [URGENT.format(used=used) if urgent else HINT.format(is_high="gets", percentage=threshold_percentage)]
    planned = HINT.format(is_high="is", percentage=PLANNED_PERCENTAGE)
    return [planned] if layout == "plan" else [f"Memory Usage: {used}% of context window used", planned]
