"""What the forms of requests have in common: the request as it was given, and strict reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.messages.content_parts import mapping_of
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.rewritten import copy_nested

Group: TypeAlias = "tuple[int, tuple[Message, ...]]"
"""So many items in a row, and the messages in them."""

IsSummary: TypeAlias = "Callable[[str], bool]"
"""Whether the text of a system message is a summary of ours, by its heading."""

LEFT_OUT = "[…]"
"""What stands as a user's where an API wants one and the plan leaves none: something is left out here."""


@dataclass(frozen=True, slots=True)
class Request:
    """A list of messages or a request body, as it was given.

    `systems`: the messages of a body's own system field, read anew at every call; `items`: the caller's messages or
    items. `sure`: a mark said which API's it is; without any it is taken for Chat Completions'.
    """

    form: Form
    given: Any
    systems: tuple[Message, ...]
    items: Sequence[Any]
    sure: bool

    @property
    def whole(self) -> bool:
        """Whether a whole request body was given."""
        return isinstance(self.given, Mapping)


class WrittenRequest(NamedTuple):
    """What to send, of the same kind as what was given.

    `planned`: messages that are in it otherwise than a plan renders them; `sent`: what is in their place, with all that
    the form adds. Every other message is in it as planned. `moved`: system messages that are at the end of the system
    field, as a cut left them no place among the others. `items` are what `back` is, or has as its messages.
    """

    back: Any
    planned: Sequence[Message]
    sent: Sequence[Message]
    items: Sequence[Any]
    moved: int = 0


class Form(ABC):
    """How one API takes messages. `name`: of the format; `provider`: whose rules hold; `field`: of a body's messages.

    `system_field`: the field of a body with its instructions, where it has one.
    """

    name: ClassVar[str]
    provider: ClassVar[str]
    field: ClassVar[str]
    system_field: ClassVar[str] = ""

    def open(self, given: Any, sure: bool, is_summary: IsSummary) -> Request:
        """The request that was given. Raises LoadError for a body that can't be read whole."""
        if not isinstance(given, Mapping):
            return Request(self, given, (), given if isinstance(given, list | tuple) else list(given), sure)
        held = given.get(self.field)
        if not isinstance(held, list | tuple):
            raise LoadError(f"{self.field} is {kind_of(held)}, not a list of messages")
        return Request(self, given, (), held, sure)

    def prompt_item(self, prompt: Any) -> Any:
        """The instructions of a body as an item among others."""
        return {"role": "system", "content": prompt}

    def groups(self, items: Sequence[Any], start: int = 0) -> Iterator[Group]:
        """The groups of items from `start` on, which begins one of them. Raises LoadError naming what can't be read.

        A group is read by itself, so that in a growing list only the last one and what is new has to be read.
        """
        while start < len(items):
            group = self.group(items, start)
            yield group
            start += group[0]

    def group(self, items: Sequence[Any], start: int) -> Group:
        """The group that begins at `start`."""
        return 1, self.at(items, start)

    def at(self, items: Sequence[Any], place: int) -> tuple[Message, ...]:
        """The messages of one item. Raises LoadError naming it."""
        try:
            return self.one(items[place])
        except LoadError as problem:
            raise LoadError(f"message {place} of those given: {problem}{self.advice(items[place])}") from None

    @abstractmethod
    def one(self, item: Any) -> tuple[Message, ...]:
        """The messages of one item by itself."""

    def advice(self, item: Any) -> str:
        """Advice on an item that can't be read."""
        return ""

    def write(
        self, request: Request, messages: Sequence[Message], places: Mapping[int, int] | None = None
    ) -> WrittenRequest:
        """The messages, as a plan renders them, as the same kind of list or body; a new one in any case.

        `places`: the `id` of an item that was read → its index in `request.items`, where items were read from an equal
        list that was given before.
        """
        now = Now(request, places)
        items = self.items_of(messages, now)
        back: Any = items
        if request.whole:
            back = self.with_systems({**request.given, self.field: items}, messages, now)
            held = request.given[self.field]
            if not isinstance(held, list | tuple) and len(items) == 1 and items[0] == request.items[0]:
                back[self.field] = held  # one item, or its text, stood for a list of it
        return WrittenRequest(back, now.planned, now.sent, items, len(now.moved))

    @abstractmethod
    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        """The messages as items, without those of a body's system field."""

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], now: Now) -> dict[str, Any]:
        """A body with what belongs into its system field; itself where the API has none."""
        return body


class Now:
    """The items as they are given now, and which messages are sent otherwise than planned.

    `moved`: the caller's own system messages that lost their place, for the body's system field.
    """

    def __init__(self, request: Request, places: Mapping[int, int] | None):
        self.request, self.items = request, request.items
        self.planned: list[Message] = []
        self.sent: list[Message] = []
        self.moved: list[Any] = []
        self._places = places

    def otherwise(self, planned: Iterable[Message], sent: Iterable[Message]) -> None:
        """Note what is sent in the place of messages: see `WrittenRequest`."""
        self.planned += planned
        self.sent += sent

    @property
    def places(self) -> Mapping[int, int]:
        """The index of an item that was read, by its `id`."""
        if self._places is None:
            self._places = {id(item): k for k, item in enumerate(self.items)}
        return self._places

    def place(self, read: Any) -> int | None:
        """The index of an item that was read; None for one that isn't the caller's."""
        return self.places.get(id(read))

    def item(self, read: Any) -> Any:
        """The item given now for one that was read; itself, if it isn't the caller's."""
        place = self.places.get(id(read))
        return read if place is None else self.items[place]


class Strict(Report):
    """A report where nothing may be left out: what a lenient one counts is an error."""

    def skip(self, reason: str, where: str) -> None:
        raise LoadError(reason)

    def lack(self, reason: str, where: str) -> None:
        raise LoadError(reason)

    def warn(self, reason: str, where: str) -> None:
        """Nothing is lost: the caller's own object is sent."""

    def leave(self, record: dict[str, Any], read: Any, where: str) -> dict[str, Any]:
        """Fields that say nothing of their own."""
        return {}


STRICT = Strict()


def fields_of(given: Any) -> dict[str, Any]:
    """The fields of a dict, another mapping or an SDK's object; of the last those that say something.

    Raises LoadError for anything else.
    """
    if type(given) is dict:
        return given
    if isinstance(given, Mapping):
        return dict(given)
    own = hasattr(given, "model_fields_set")
    fields = given.model_dump(exclude_unset=True) if own else mapping_of(given)  # as the SDKs send theirs
    return {name: value for name, value in fields.items() if value is not None}


def plain_copy(given: Any) -> Any:
    """A copy in which nothing nested is shared, the SDK's objects being dicts."""
    if isinstance(given, Mapping):
        return {name: plain_copy(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [plain_copy(value) for value in given]
    return plain_copy(fields_of(given)) if hasattr(given, "model_dump") else copy_nested(given)


def in_runs(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages in runs: those in a row that came from the same items, any other by itself."""
    run: list[Message] = []
    for message in messages:
        source = message.source
        if run and not (isinstance(source, Excerpt) and _same_origin(run[-1].source, source)):
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _same_origin(one: Any, other: Excerpt) -> bool:
    if not (isinstance(one, Excerpt) and one.origin and other.origin):
        return False
    return one.origin[0] is other.origin[0] and one.place < other.place


def is_whole(run: Sequence[Message]) -> bool:
    """Whether these are all messages of the caller's items, unchanged."""
    source = run[0].source
    if not isinstance(source, Excerpt) or source.of != len(run):
        return False
    return not any(message.source.changed for message in run)


def parts_of(message: Message) -> str | list[Any]:
    """The text of a message that is none of the caller's, or its parts where these hold its images, sound and files.

    Where their data isn't held, a word in brackets stands for each.
    """
    content = message.source.get("content") if isinstance(message.source, Mapping) else None
    if isinstance(content, list) and message.media:
        return content
    return "\n".join(filter(None, (message.content, *(f"[{name}]" for name in message.media))))


def is_beside(message: Message) -> bool:
    """Whether a message belongs into a body's system field: a system message that is none of the caller's items."""
    return message.role == "system" and not (isinstance(message.source, Excerpt) and message.source.origin)


def call_records(message: Message) -> list[dict[str, Any]]:
    """The calls of a message as Chat Completions has them."""
    calls: list[dict[str, Any]] = to_record(message)["tool_calls"]
    return calls


def by_summary(parts: Sequence[Any], text_of: Callable[[Any], str | None], is_summary: IsSummary) -> list[list[Any]]:
    """The parts of a system prompt, which are one message, and those of summaries of ours, each by itself."""
    runs: list[list[Any]] = []
    apart = True
    for part in parts:
        summary = is_summary(text_of(part) or "")
        if summary or apart:
            runs.append([])
        runs[-1].append(part)
        apart = summary
    return runs
