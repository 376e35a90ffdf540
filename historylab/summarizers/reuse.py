"""Reuse of values, learnt from the messages to be summarised: which are needed again, those used or those only seen?

In one session calls repeat what calls were made with, in another they take up what results showed. Each message's calls
tell which: of the values that they take up from further back, how many had been used, how many only seen.
"""

from __future__ import annotations

from collections.abc import Collection

from historylab.summarizers.base import SummaryTask
from historylab.summarizers.values import USE, message_values

NEARBY = 2  # messages: what a call takes up from the last ones would have been sent anyway
USUAL = 8  # times as likely as a value only seen is one that was used: up to there age decides between them


def doubt_of_seen(task: SummaryTask, used: Collection[str], seen: Collection[str]) -> float:
    """The factor on the age of values that nobody used; `used` and `seen` are the former summary's.

    As likely to be needed again as one used once, at best; with fewer uses in proof, the less.
    """
    likelier = _chance_of_reuse(task, used, seen)
    return max(1.0, likelier / USUAL) ** 2 / (1 + USE)


def _chance_of_reuse(task: SummaryTask, used: Collection[str], seen: Collection[str]) -> float:
    """The odds that a value which was used is taken up again, as a multiple of those of one only seen."""
    was_used = dict.fromkeys(seen, False) | dict.fromkeys(used, True)
    last = dict.fromkeys(was_used, -1 - NEARBY)
    again = {True: 1, False: 1}  # one more each than there were: little evidence says little
    for place, message in enumerate(task.messages):
        values = message_values(message, task.known)
        for value, is_use in values.items() if message.tool_calls else ():
            if is_use and place - last.get(value, place) > NEARBY:
                again[was_used[value]] += 1
        last.update(dict.fromkeys(values, place))
        for value, is_use in values.items():
            if is_use or value not in was_used:
                was_used[value] = is_use
    number = 1 + sum(was_used.values())
    return again[True] / number * (2 + len(was_used) - number) / again[False]
