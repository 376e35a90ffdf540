"""Values that calls were made with: in a tool session later calls repeat these, seldom what only results show.

A value is an argument on one line, or a path, id or address in one; a text of several lines is read again before it
is edited.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from historylab.conversation.message import Message
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.lines import find_literals
from historylab.summarizers.values import SHORTEST, argument_values

RESULTS_OF_SESSION = 0.35  # share of tool results among messages where calls dominate; a service desk has a quarter
RESULTS_BEFORE = 0.45  # the share that a tool session's former summary stands for: a pause to talk ends no session
LONGEST = 100  # characters of an argument: a longer one is a text, whose paths were mostly in shorter ones
UNLISTED = frozenset("×`")  # what a list of values uses itself


def calls_dominate(task: SummaryTask, before: bool) -> bool:
    """Whether a task's messages are mostly calls and results; `before`: whether those of the former summary were."""
    former = task.previous_covers if before else 0
    results = sum(message.role == "tool" for message in task.messages) + RESULTS_BEFORE * former
    return results > 0 and results >= RESULTS_OF_SESSION * (len(task.messages) + former)


def called_values(message: Message, known: MutableMapping[Any, Any]) -> Mapping[str, str]:
    """The values of a message's calls and the tool of each, found at the first call and cached in `known`."""
    cached: dict[Message, Mapping[str, str]] = known.setdefault("called", {})
    values = cached.get(message)
    if values is None:
        values = cached[message] = _find(message)
    return values


def is_number(text: str) -> bool:
    """Whether a value has no letter: a line number, an amount, a date."""
    return not any(map(str.isalpha, text))


def _find(message: Message) -> dict[str, str]:
    values: dict[str, str] = {}
    for call in message.tool_calls:
        tool = "".join(call.name.split())
        leaves = [leaf.strip() for _, leaf in argument_values(call)]
        short = [leaf for leaf in leaves if len(leaf) <= LONGEST and leaf.isprintable()]
        literals = [text for leaf in short for text in find_literals(leaf) if not is_number(text)]
        for text in (*short, *literals):
            if len(text) >= SHORTEST and UNLISTED.isdisjoint(text):
                values.setdefault(text, tool)
    return values
