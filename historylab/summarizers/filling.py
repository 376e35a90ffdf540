"""Filling the room a summary has: as many texts as fit, and a last line of literals no other line holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from historylab.conversation.message import Message
from historylab.summarizers.base import SummaryTask

ALSO = "Also mentioned: "
LEAST = 2  # tokens the shortest text takes: one, and what separates it from the next


def select_fitting(
    texts: Sequence[str], room: int, task: SummaryTask, wanted: Callable[[int], bool] = lambda number: True
) -> list[int]:
    """Indices of the wanted texts that fit `room` tokens, taken in order, by their own counts and a separator each."""
    if room < LEAST:
        return []
    empty, *counts = _counts(["", *texts], task)
    room, fitting = room - empty, []
    for number, count in enumerate(counts):
        cost = count - empty + 1
        if cost <= room and wanted(number):
            room -= cost
            fitting.append(number)
    return fitting


def _counts(texts: Sequence[str], task: SummaryTask) -> list[int]:
    """Tokens of each text as a message of its own: counted once, as they come again with the next summary."""
    known = task.known.setdefault(("tokens of texts", task.counter.key), {})
    new = list(dict.fromkeys(text for text in texts if text not in known))
    if new:
        known.update(zip(new, task.counter.count([Message("system", text) for text in new]).tolist(), strict=True))
    return [known[text] for text in texts]


def append_ledger(text: str, literals: Sequence[str], task: SummaryTask) -> str:
    """The text, and below it as many of the literals it doesn't hold as there is still room for, in order."""
    room = task.max_tokens - task.count(_ledger(text, []))
    fitting = select_fitting([x + "," for x in literals], room, task, lambda number: literals[number] not in text)
    missing = [literals[number] for number in fitting]
    while missing and not task.fits(_ledger(text, missing)):
        missing = missing[: len(missing) * 9 // 10]
    return _ledger(text, missing) if missing else text


def read_ledger(summary: str) -> list[str]:
    """The literals a former summary's last line lists."""
    return [x for line in summary.splitlines() if line.startswith(ALSO) for x in line.removeprefix(ALSO).split(", ")]


def _ledger(text: str, literals: list[str]) -> str:
    return "\n".join(filter(None, [text, ALSO + ", ".join(literals)]))
