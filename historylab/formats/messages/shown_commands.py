"""Prompts and commands as a coding agent's text shows them: a command that nobody answers was never sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import SHOWN_ONLY, Message
from historylab.conversation.sent import RecordedCut, SentHistory, ranges_of, sent_metadata


@dataclass
class ShownMessages:
    """The messages of a session in their order, and which of them were sent.

    A command is marked as injected, as no person says it to the model, and left out of what was sent.
    """

    messages: list[Message] = field(default_factory=list)
    _histories: list[SentHistory] = field(default_factory=list)
    _sent: list[int] = field(default_factory=list)

    def add(self, message: Message) -> None:
        """Add a message that was sent. A command right before an answer was sent, too."""
        if message.role == "assistant" and self.messages and self.messages[-1].shown_only:
            self.messages[-1] = replace(self.messages[-1], metadata={})
            self._sent.append(len(self.messages) - 1)
            self._histories.pop()
        self._sent.append(len(self.messages))
        self.messages.append(message)

    def add_command(self, message: Message, clears_by: str = "") -> None:
        """Add a command; one by which somebody clears the chat is a cut of that program's."""
        self.messages.append(replace(message, metadata={"injected": True, SHOWN_ONLY: True}))
        cut = RecordedCut("manual", by=clears_by) if clears_by and self._sent else None
        self._sent = [] if cut else self._sent
        self._histories.append(SentHistory(len(self.messages), ranges_of(self._sent), cut=cut))

    def mark(self, said: Mapping[str, Any]) -> None:
        """Say more of the newest message, without changing what is said."""
        self.messages[-1] = replace(self.messages[-1], metadata={**said, **self.messages[-1].metadata})

    @property
    def any_sent(self) -> bool:
        """Tell whether anything but commands was said."""
        return any(not message.shown_only for message in self.messages)

    @property
    def metadata(self) -> dict[str, Any]:
        """The conversation's, of what was sent."""
        return sent_metadata(self._histories) if self._histories else {}
