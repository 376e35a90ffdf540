"""Drives a trimmer over a conversation, request by request: what it would have sent each time, faults included."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.sent import as_summary
from historylab.errors import LoadError
from historylab.trimmers.asking import Caller, TrimmerFailed, error_in_words
from historylab.trimmers.given import TrimmerChoice
from historylab.trimmers.matching import NEW, ListedItem, MessagePiece, match
from historylab.trimmers.parts import group_parts, join_parts, rewrite_message
from historylab.trimmers.shapes import BETWEEN

GIVE_UP = 3
"""Requests in a row without an answer in time, after which a trimmer is asked no more."""
OWN_MARK = re.compile(r"m\d")
SUMMARY = 60  # characters; a shorter note stands for nothing
WORD = re.compile(r"\w{5,}")
EDITS = "It edits the messages it is given in place; what it returned counts."

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TrimmedRequest:
    """One request as a trimmer would send it.

    Attributes:
        sent: messages of the conversation by their index, and others, in the order sent.
        rewritten: what a message among them was sent as, where that isn't the conversation's.
        folded: the messages that a summary among `sent` stands for, by its text.
        error: why nothing is known of it; "" where that isn't so.
    """

    sent: tuple[int | Message, ...] = ()
    rewritten: Mapping[int, Message] = field(default_factory=dict)
    folded: Mapping[str, Sequence[int]] = field(default_factory=dict)
    error: str = ""


class TrimmerRun(NamedTuple):
    """A trimmer, and what it did with each request of a conversation; `notes` are sentences on how to read that."""

    choice: TrimmerChoice
    requests: tuple[TrimmedRequest, ...]
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> dict[int, str]:
        """The requests (from 0) for which it failed, each with the reason."""
        return {number: each.error for number, each in enumerate(self.requests) if each.error}


def drive(conversation: Conversation, choice: TrimmerChoice, seconds: float, progress: Progress | None) -> TrimmerRun:
    """Ask a trimmer for every request of the conversation, once each. A failure is said, and the rest goes on."""
    run, requests = _Run(conversation, choice), list[TrimmedRequest]()
    sizes, late = conversation.columns.requests.tolist(), 0
    with Caller(seconds) as caller:
        for number, size in enumerate(sizes):
            if progress:
                progress(number, len(sizes))
            if late >= GIVE_UP:
                requests.append(TrimmedRequest(error=f"not asked any more: {GIVE_UP} times in a row it gave no answer"))
                continue
            try:
                requests.append(run.ask(caller, size))
                late = 0
            except TrimmerFailed as problem:
                late = late + 1 if caller.is_late else 0
                requests.append(TrimmedRequest(error=str(problem)))
                run.start_over(size, anew=caller.is_late)
    return TrimmerRun(choice, tuple(requests), (*choice.notes, *([EDITS] if run.edits and choice.is_own else [])))


class _Run:
    """The state between requests: the list that is carried, how far it goes, and the limited list of a run."""

    def __init__(self, conversation: Conversation, choice: TrimmerChoice):
        self.conversation, self.choice, self.form = conversation, choice, choice.form
        self.own = _mark_of(conversation)
        self.marks = {f"{self.own}{i}": i for i in range(len(conversation))}
        self.trims: Callable[..., Any] | None = None
        self.outside = _outside(conversation, choice)
        self.shown = frozenset(conversation.columns.shown.tolist())
        self.leading = prompt_length(conversation)
        self.whole = defaultdict[int, list[Message]](list)  # each message as the form reads it back
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[MessagePiece, ...]] = {}
        self.prompt: str | None = None
        self.carried: list[ListedItem] = []
        self.size = 0  # messages that were given so far
        self.edits = False

    def start_over(self, size: int, *, anew: bool) -> None:
        """Go on after a failure: what was said meanwhile is in the list, of an instance that hangs there is another."""
        with suppress(TrimmerFailed):  # where it can't be given, the next request says so again
            if self.choice.carries:
                self.carried += self._write(self.size, size)
            self.size = size
        if anew:
            self.trims = None

    def ask(self, caller: Caller, size: int) -> TrimmedRequest:
        """The request that is made when there are so many messages."""
        stop = size if self.choice.asked == "request" else self._start_of_run(size)
        if self.choice.asked == "request" or stop > self.size:  # the first run has nothing before it
            before = self.carried if self.choice.carries else []
            given = [*before, *self._write(self.size if self.choice.carries else 0, stop)]
            self.carried = self._trim(caller, given, stop)
            self.size = stop
        listed = [*self.carried, *self._write(self.size, size)]
        return self._request(listed, size)

    def _start_of_run(self, size: int) -> int:
        """The messages said before the newest message of a user, which began the run."""
        users = self.conversation.columns.users
        place = int(users.searchsorted(size)) - 1
        while place > 0 and users.item(place) - 1 == users.item(place - 1):  # several in a row are one input
            place -= 1
        return users.item(place) if place >= 0 else 0

    # -- the list that is given

    def _write(self, start: int, stop: int) -> list[ListedItem]:
        """New items for some messages, without those outside the list or only shown."""
        try:
            return self._list(start, stop)
        except Exception as problem:  # also of the library's classes
            raise TrimmerFailed(f"what was said can't be given to it: {_reason(problem)}") from None

    def _list(self, start: int, stop: int) -> list[ListedItem]:
        indices = [i for i in range(start, stop) if i not in self.outside and i not in self.shown]
        written = self.form.write(self.conversation.at(indices), [f"{self.own}{i}" for i in indices])
        parts, found = Counter[int](), list[ListedItem]()
        for item, places in written:
            owners = tuple(indices[place] for place in places)
            key = owners, tuple(parts[owner] for owner in owners)
            if key not in self.known:
                self.known[key] = self._pieces_of(item, owners, parts)
            parts.update(piece.owner for piece in self.known[key])
            found.append(ListedItem(item, self.known[key]))
        return found

    def _pieces_of(self, item: Any, owners: Sequence[int], parts: Counter[int]) -> tuple[MessagePiece, ...]:
        """The pieces of an item, of messages of which so many pieces went before."""
        said, at, found, parts = self.form.read(item), 0, list[MessagePiece](), Counter(parts)
        for place, one in enumerate(said):
            if len(said) == len(owners):
                at = place
            while at + 1 < len(owners) and len(said) != len(owners) and self.conversation[owners[at]].role != one.role:
                at += 1
            owner = owners[at]
            found.append(MessagePiece(one, owner, parts[owner]))
            parts[owner] += 1
            if len(self.whole[owner]) < parts[owner]:
                self.whole[owner].append(one)
        return tuple(found)

    def _trim(self, caller: Caller, given: list[ListedItem], stop: int) -> list[ListedItem]:
        if self.trims is None:
            self.trims = caller.call(self.choice.make)
        trims, items = self.trims, [each.item for each in given]
        prompts = [self.conversation[i] for i in self.outside if i < stop]
        opened = self.choice.shape.give(items, prompts)
        read = partial(self._read, opened=opened, items=items, given=given)
        found: list[ListedItem]
        found, said, edits = caller.call(lambda: trims(*opened), read)
        self.prompt = None if said == BETWEEN.join(prompt.content for prompt in prompts) else said
        self.edits |= edits
        return found

    def _read(
        self, answer: Any, opened: tuple[Any, ...], items: list[Any], given: list[ListedItem]
    ) -> tuple[list[ListedItem], str | None, bool]:
        """The items it returned, the prompt beside them, and whether what it was given was edited; all in time."""
        returned, said = self.choice.shape.take(answer, opened)
        try:
            found = match(returned, given, self.form.read, self.marks, summarizes=self.choice.summarizes)
            return found, said, _is_edited(items, given, found)
        except BaseException as problem:  # an object that is no message, or one that was broken
            raise TrimmerFailed(f"what it returned can't be read: {_reason(problem)}") from None

    # -- what is sent

    def _request(self, listed: Sequence[ListedItem], size: int) -> TrimmedRequest:
        together = list(group_parts([piece for each in listed for piece in each.pieces]))
        of = defaultdict[int, list[int]](list)
        for k, pieces in enumerate(together):
            of[pieces[0].owner].append(k)
        now = {
            k: rewrite_message(self.conversation[pieces[0].owner], self.whole[pieces[0].owner], pieces)
            for k, pieces in enumerate(together)
            if pieces[0].owner != NEW
        }
        # of a message that is sent several times the one counts that is as it was said
        chosen = {next((k for k in places if now[k] is None), places[0]) for o, places in of.items() if o != NEW}
        order, rewritten, added = list[int | Message](), dict[int, Message](), list[Message]()
        for k, pieces in enumerate(together):
            owner = pieces[0].owner
            order.append(owner if k in chosen else _plain(join_parts(pieces)))
            if owner == NEW:
                added.append(_plain(pieces[0].said))
                order[-1] = added[-1]
            elif k in chosen and (other := now[k]) is not None:
                rewritten[owner] = other
        order = self._with_outside(order, rewritten, size)
        return self._fold(order, rewritten, size, added)

    def _with_outside(
        self, order: list[int | Message], rewritten: dict[int, Message], size: int
    ) -> list[int | Message]:
        """With what the form keeps outside its list in its place: the prompt first, later ones where they were said."""
        outside, found = [i for i in self.outside if i < size], list(order)
        if outside and self.prompt is not None:  # a body came back with another one
            outside = outside[:1] if self.prompt else []
            rewritten |= {i: replace(self.conversation[i], content=self.prompt, source=None) for i in outside}
        for i in reversed(outside):
            later = (k for k, each in enumerate(found) if not isinstance(each, Message) and each > i)
            found.insert(0 if i < self.leading else next(later, len(found)), i)
        return found

    def _fold(
        self, order: list[int | Message], rewritten: dict[int, Message], size: int, added: Sequence[Message]
    ) -> TrimmedRequest:
        """The request; of the messages added, the first that says what is gone is its summary."""
        held = {each for each in order if not isinstance(each, Message)} | self.shown
        gone, before, folded = [i for i in range(size) if i not in held], -1, dict[str, list[int]]()
        for k, each in enumerate(order):
            if not isinstance(each, Message):
                before = max(before, each)
                continue
            if all(each is not one for one in added):  # one of the conversation's, once more
                continue
            after = next((i for i in order[k + 1 :] if not isinstance(i, Message) and i not in self.outside), size)
            left = [i for i in gone if i < after]
            stands_for = [i for i in left if i > before] or left
            if stands_for and (self.choice.summarizes or self._sums_up(each.content, stands_for)):
                order[k] = as_summary(each)
                folded.setdefault(each.content, []).extend(stands_for)
                gone = [i for i in gone if i not in stands_for]
        return TrimmedRequest(tuple(order), rewritten, folded)

    def _sums_up(self, text: str, gone: Sequence[int]) -> bool:
        """Tell whether a text is about messages that are gone: long, and half of its words are theirs."""
        words = set(WORD.findall(text.lower()))
        if len(text) < SUMMARY or not words:
            return False
        theirs = set(WORD.findall(" ".join(self.conversation[i].content for i in gone).lower()))
        return len(words & theirs) * 2 >= len(words)


def _mark_of(conversation: Conversation) -> str:
    """The prefix of our marks: short, as some libraries count them, and unlike the ids that the app has."""
    is_taken = any(OWN_MARK.match(message.id or "") for message in conversation)
    return f"m{conversation.digest}x" if is_taken else "m"


def _outside(conversation: Conversation, choice: TrimmerChoice) -> list[int]:
    """The messages that are in no list: system messages that lead, or all of them where the form has none."""
    if not choice.form.system_inside:
        return [i for i, message in enumerate(conversation) if message.role == "system"]
    return [] if choice.system_inside else list(range(prompt_length(conversation)))


def _is_edited(items: Sequence[Any], given: Sequence[ListedItem], found: Sequence[ListedItem]) -> bool:
    """Tell whether the list that was given, or a message in it, was changed in place."""
    if len(items) != len(given) or any(a is not b.item for a, b in zip(items, given, strict=False)):
        return True
    before = {id(each.item): each.pieces for each in given}
    return any(each.pieces != before.get(id(each.item), each.pieces) for each in found)


def _reason(problem: BaseException) -> str:
    """The words of an error of ours; of another its kind, too."""
    words = error_in_words(problem)
    return words.partition(": ")[2] or words if isinstance(problem, LoadError) else words


def _plain(said: Message) -> Message:
    """A message that is none of the conversation's, without the id it was known by."""
    return said if said.id is None else replace(said, id=None)
