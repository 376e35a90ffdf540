"""The two families of this room: how a library holds messages, and the trimmers that take them so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from historylab.conversation.message import Message

Asked = Literal["request", "run"]
"""When a trimmer is asked: before each call of the model, or once at the start of each run."""


class WrittenItem(NamedTuple):
    """An object as a library has it, and the messages given (their positions) that it holds, whole or in part."""

    item: Any
    places: tuple[int, ...]


class ItemForm(ABC):
    """The messages of a library: written as its own objects, and read back.

    `system_inside`: whether a system message can be one of them.
    """

    system_inside: ClassVar[bool] = True

    @abstractmethod
    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        """New objects for messages that follow each other; they share nothing with those of an earlier call.

        `marks` are an id per message, put where the library keeps ids, so that copies are known again.
        """

    @abstractmethod
    def read(self, item: Any) -> list[Message]:
        """The messages that an object holds, `id` being the mark if it still has one.

        Reading what was just written gives the same messages, in one piece or several. Raises LoadError for what is
        none of this library's.
        """


def group_results(messages: Sequence[Message]) -> Iterator[tuple[int, ...]]:
    """The positions of messages, those of results that follow each other together: what one answer's calls gave."""
    for is_result, run in groupby(range(len(messages)), lambda i: messages[i].role == "tool"):
        places = tuple(run)
        yield from (places,) if is_result else zip(places)


def mark_message(message: Message, mark: str | None) -> Message:
    """A message with what it says and a mark alone. All of a list is read at every request: `replace` takes longer."""
    calls, called = message.tool_calls, message.tool_call_id
    return Message(message.role, message.content, mark, tool_calls=calls, tool_call_id=called, media=message.media)


class LibraryTrimmer(Protocol):
    """A member: one instance drives one conversation. Its keyword-only parameters are the library's own options.

    It is registered with its `library`, as pip has it; of one that pip doesn't know, with the command that installs it
    (`install`) and a function that gives its version (`version`).

    Attributes:
        form: the ItemForm of its messages.
        system_inside: whether leading system messages are in its list; else they are sent as they are, before it.
        carries: whether it is given what it returned last and what was said since, as apps that write back do; else
            the whole history.
        asked: "request": before each call of the model. "run": at the start of each run, of what was said before it;
            what is said within the run is sent whole.
        summarizes: whether a message that it adds stands for those that are gone.
    """

    form: str
    system_inside: bool
    carries: bool
    asked: Asked
    summarizes: bool

    def __call__(self, items: list[Any]) -> Any:
        """The items to send, or a coroutine that gives them. The items given may be edited."""
