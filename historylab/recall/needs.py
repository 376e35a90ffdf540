"""The needs of a conversation, each with who said it and who could say it again: what people call from outside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.recall.references import Need, find_needs
from historylab.recall.severity import severity_of


def needs(conversation: Conversation) -> tuple[Need, ...]:
    """The values that later calls and answers need, in order of the requests.

    Each has its `value`; its `kind`, "reference" (used in a call) or "link" (in an answer: an estimate); `said`, the
    messages (indices) that say it before; `needed_at`, the one that uses it; `by`, who said it first: "person", "tool",
    "assistant", "injected" (a program in the user's name) or "system"; and `again`, who could say it again: "never" is
    nobody, "fetchable" a tool or the program that put it there, "assistant" the model itself.
    """

    def find() -> tuple[Need, ...]:
        return tuple(_with_sayer(conversation, need) for step in find_needs(conversation) for need in step)

    return conversation.remember("needs with sayers", find)


def last_used(conversation: Conversation) -> np.ndarray:
    """int64[messages]: the last request (from 0) whose answer used a value that the message says; -1 if none did.

    An estimate: what an answer takes from a message in words of its own isn't known.
    """

    def find() -> np.ndarray:
        last = np.full(len(conversation), -1)
        for step, found in enumerate(find_needs(conversation)):
            for need in found:
                last[need.mentions] = step
        return last

    return conversation.remember("last used", find)


def _with_sayer(conversation: Conversation, need: Need) -> Need:
    severity = severity_of(conversation, need.lines or [(need.value, need.mentions)])
    return replace(need, by=severity.by, again=severity.again)
