"""The sayers of a value, message by message: a message of role user is not all a person's, nor a result all a tool's.

The part of the message that the value stands in decides (`conversation/injected.py`). A sub-agent's user is the program
that called it, and a summary in the user's name is the assistant's. What a tool brings that asks a person, or that a
person refused to run, is the person's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from historylab.conversation.columns import ASSISTANT, SYSTEM, TOOL
from historylab.conversation.conversation import Conversation
from historylab.conversation.injected import without_reminders
from historylab.conversation.message import words_of_person
from historylab.conversation.recorded import SIDECHAIN
from historylab.conversation.sent import is_summary
from historylab.planning.strategies.facts import answered_call
from historylab.recall.references import contains_value

BY_PERSON, BY_TOOL, BY_ASSISTANT, BY_INJECTED, BY_SYSTEM = "person", "tool", "assistant", "injected", "system"
ASKS = re.compile(
    r"(?:ask|request|prompt|query)_?(?:the_?)?(?:user|human|followup)|(?:user|human)_?input", re.IGNORECASE
)
"""In the names of tools whose results are what a person answers."""
REJECTED = "The user doesn't want to proceed with this tool use."
"""Begins the result of a call that a person refused, with what they said instead."""


class Sayers:
    """Tells who says a value in a message; each message is looked at once."""

    def __init__(self, conversation: Conversation):
        self._conversation, self._role = conversation, conversation.columns.role
        self.of_sub_agent = bool(conversation.metadata.get(SIDECHAIN))
        self._known: dict[int, tuple[str, str | None]] = {}

    def of(self, value: str, message: int, says: Callable[[str, str], bool] = contains_value) -> str:
        """The sayer of `value` in a message that says it: person, tool, assistant, a program, a system message.

        `says` tells whether a text says the value.
        """
        if message not in self._known:
            self._known[message] = self._look(message)
        by, own = self._known[message]
        return by if own is None or says(own, value) or own in value else BY_INJECTED

    def _look(self, i: int) -> tuple[str, str | None]:
        """The sayer of message `i`, and its text without what a program put there; None where that is all of it."""
        message, role = self._conversation[i], self._role[i]
        if role == ASSISTANT or is_summary(message):
            return BY_ASSISTANT, None
        if role == SYSTEM:
            return BY_SYSTEM, None
        if role == TOOL:
            by, own = self._of_result(i), without_reminders(message.content)
        elif message.injected:
            return BY_INJECTED, None
        else:
            by, own = BY_INJECTED if self.of_sub_agent else BY_PERSON, words_of_person(message)
        return by, None if own == message.content or not own.strip() else own.strip()

    def _of_result(self, i: int) -> str:
        if self._conversation[i].content.startswith(REJECTED):
            return BY_PERSON
        call = answered_call(self._conversation, i)
        return BY_PERSON if call and ASKS.search(call.name) else BY_TOOL


def find_sayers(conversation: Conversation) -> Sayers:
    """The conversation's sayers, made once."""
    return conversation.remember("sayers", lambda: Sayers(conversation))
