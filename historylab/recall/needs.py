"""The needs of a conversation as values: what was needed, who said it where, and who could say it again."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.recall.references import Need, find_needs
from historylab.recall.severity import severity_of


@dataclass(frozen=True, slots=True)
class NeededValue:
    """A value that a later call or answer uses, and that earlier messages say.

    `kind` is "reference" (used in a call) or "link" (in an answer: an estimate). `said` are the messages (indices,
    ascending) that say it before it is needed, `needed_at` is the one that uses it. `by` said it first: "person",
    "tool", "assistant", "injected" (a program in the user's name) or "system"; `again` says who can say it again:
    "never" is nobody, "fetchable" a tool or the program that sends it, "assistant" the model itself.
    """

    value: str
    kind: str
    said: tuple[int, ...]
    by: str
    needed_at: int
    again: str


def needs(conversation: Conversation) -> tuple[NeededValue, ...]:
    """The values that later calls and answers need, in order of the requests."""
    found = (need for step in find_needs(conversation) for need in step)
    return tuple(_view(conversation, need, need.message) for need in found if need.message is not None)


def _view(conversation: Conversation, need: Need, needed_at: int) -> NeededValue:
    severity = severity_of(conversation, need.lines or [(need.value, need.mentions)])
    return NeededValue(need.value, need.kind, tuple(need.mentions.tolist()), severity.by, needed_at, severity.again)
