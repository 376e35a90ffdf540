"""The contract of a summarizer, and the task it is given.

A member is a class opened from the settings; `summarize(task)` returns a text of at most `task.max_tokens`. One that
asks a chat model is registered with `asks="chat_model"` and takes it as its first argument; one that makes no model
calls sets `offline = True`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from historylab.chat_models.base import ChatModel
from historylab.conversation.message import Message, Usage
from historylab.counters.base import Counter, count_text
from historylab.registry import member

MOST_REMEMBERED = 2_000  # summaries of one conversation: settings that fold the same messages need it written once
MOST_MESSAGES = 500_000  # that those summaries stand for; each keeps a list of them, 8 bytes a message


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """Messages to summarise, the summary they follow (to be absorbed, never lost), and the room there is.

    `max_tokens` is counted by `counter` as one system message, framing included. `previous` is the former summary's
    text, `previous_covers` how many messages it covered. `known` keeps what a summarizer computed about these messages
    for the next task.
    """

    messages: Sequence[Message]
    max_tokens: int
    counter: Counter
    previous: str = ""
    known: MutableMapping[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    previous_covers: int = 0
    _counted: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def covers(self) -> int:
        """The number of messages the summary will stand for: these, and those of the summary it absorbs."""
        return len(self.messages) + self.previous_covers

    def within(self, max_tokens: int) -> SummaryTask:
        """The same task with other room."""
        task = replace(self, max_tokens=max_tokens)
        task._counted.update(self._counted)
        return task

    def remembered(self, writer: str, write: Callable[[SummaryTask], str]) -> str:
        """The text that `write` gives for this task, written once, whatever settings ask; `writer` tells it apart."""
        written: dict[Hashable, str] = self.known.setdefault(("written", writer), {})
        key = (tuple(self.messages), self.previous, self.max_tokens, self.counter.key)
        text = written.get(key)
        if text is None:
            if len(written) >= min(MOST_REMEMBERED, MOST_MESSAGES // max(1, len(self.messages))):
                written.clear()
            text = written[key] = write(self)
        return text

    def fits(self, text: str) -> bool:
        return self.count(text) <= self.max_tokens

    def count(self, text: str) -> int:
        """Tokens of a text as a system message, counted once."""
        if text not in self._counted:
            self._counted[text] = count_text(self.counter, text)
        return self._counted[text]


@dataclass(frozen=True, slots=True)
class Written:
    """A summarizer's text, what a model used for it, and a note. An empty text is a failure; the note says why."""

    text: str
    usage: Usage | None = None
    note: str = ""


class Summarizer(Protocol):
    """Writes the text that stands for messages no longer sent. Raises InstrumentError when it cannot."""

    name: str

    def summarize(self, task: SummaryTask) -> str | Written:
        """The text; a Written with usage or a note."""
        ...


def open_summarizer(name: str, chat_model: ChatModel, **options: Any) -> Summarizer:
    """The summarizer of that name, given the chat model if it asks one."""
    chosen = member("summarizer", name)
    arguments = (chat_model,) if chosen.attributes.get("asks") == "chat_model" else ()
    summarizer: Summarizer = chosen.target(*arguments, **options)
    return summarizer
