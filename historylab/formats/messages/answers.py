"""Answers that a framework stores whole: text, thinking, calls and their results, as the messages they were.

An answer becomes an assistant message up to its first result, the results, the next assistant message, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.message import Message, ToolCall, revise
from historylab.conversation.usage import model_name
from historylab.formats.messages.content_parts import json_text


@dataclass(slots=True)
class AnswerParts:
    """Collects the parts of one answer in their order; `messages()` are the messages they make.

    `late`: the results of a step come after all its calls and texts, and `end_step` says where it ends. `answers`: the
    call that it is the result of.
    """

    id: str | None = None
    timestamp: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    late: bool = False
    role: str = "assistant"
    name: str | None = None
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    media: list[str] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    made: list[Message] = field(default_factory=list)
    pinned: bool = False
    answers: str | None = None

    def say(self, text: str) -> None:
        """Add text; none is nothing."""
        if text:
            if self.results:
                self._begin()
            self.texts.append(text)

    def think(self, text: str) -> None:
        """Add thinking, which goes into the metadata of the message that follows it."""
        if text:
            if self.results:
                self._begin()
            self.thoughts.append(text)

    def call(self, call: ToolCall) -> None:
        """Add a call."""
        self._begin()
        self.calls.append(call)

    def attach(self, medium: str) -> None:
        """Add an image, sound or file."""
        self._begin()
        self.media.append(medium)

    def add_result(self, result: Message) -> None:
        """Add the result of a call."""
        self.results.append(result)

    def end_step(self) -> None:
        """Close the message, and let its results follow it. Thinking alone waits for what it led to."""
        if self.texts or self.calls or self.media:
            self.made.append(self._message())
        self.made += self.results
        self.results = []

    def messages(self) -> list[Message]:
        """The messages; one without content if there was nothing but thinking, or nothing at all."""
        self.end_step()
        if self.thoughts or not self.made:
            self.made.append(self._message())
        return self.made

    def _begin(self) -> None:
        if self.results and not self.late:
            self.end_step()

    def _message(self) -> Message:
        before = self.id and self.made and sum(message.role == self.role for message in self.made)
        thinking = {"thinking": "\n".join(self.thoughts)} if self.thoughts else {}
        message = Message(
            self.role,
            "\n".join(self.texts),
            f"{self.id}/{before}" if before else self.id,
            self.name,
            tuple(self.calls),
            self.answers,
            media=tuple(self.media),
            timestamp=self.timestamp,
            pinned=self.pinned,
            metadata={**self.metadata, **thinking},
        )
        self.texts, self.thoughts, self.calls, self.media = [], [], [], []
        return message


def with_usage(messages: list[Message], usage: dict[str, int] | None) -> tuple[list[Message], bool]:
    """The messages with the usage of their only answer; False if several requests share it, so that it fits none."""
    if not usage:
        return messages, True
    answers = [i for i, message in enumerate(messages) if message.role == "assistant"]
    if len(answers) != 1:
        return messages, False
    at = answers[0]
    answered = revise(messages[at], metadata={**messages[at].metadata, "usage": usage})
    return [*messages[:at], answered, *messages[at + 1 :]], True


def tool_call(id: object, name: object, arguments: object) -> ToolCall:
    """A call with arguments of any kind; what is no text is no id and no name."""
    return ToolCall(id if isinstance(id, str) else "", name if isinstance(name, str) else "", json_text(arguments))


def named_model(*given: object) -> dict[str, str]:
    """The first of these that is a model's name, as metadata."""
    for each in given:
        if each and (name := model_name(each)):
            return {"model": name}
    return {}
