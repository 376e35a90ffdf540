"""The needs of a conversation, each with who said it and who could say it again: what people call from outside."""

from __future__ import annotations

from dataclasses import replace

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


def _with_sayer(conversation: Conversation, need: Need) -> Need:
    severity = severity_of(conversation, need.lines or [(need.value, need.mentions)])
    return replace(need, by=severity.by, again=severity.again)
