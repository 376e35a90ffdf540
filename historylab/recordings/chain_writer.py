"""Conversations of exchanges, and what is new in each since the line before it in its chat.

A request belongs to the conversation in which the newest answer it repeats was given to the same owner: to the same
app under the same key, for the same user and session (`owners.py`). The store's state has each answer's conversation by
a digest of owner and words, so that a conversation needs no id of the app's, and is found after a restart, in another
worker and from a fork. A request that repeats no known answer belongs to one only if it tries again what failed there,
or repeats all of it and puts the answer in words of its own.

**Alike.** Two chats of one owner that begin with the same words and were answered the same can't be told apart until
each has gone on. Which of them a request goes on with is a guess then: the one that nobody has gone on with; else the
newest where a user or a session was named, and a new one where none was. Where none was, they may be several people's,
and the line says so (`ambiguous`).

A conversation that is found has to say the same, where this process knows its newest line. Otherwise the digest decides
alone: lines are redacted, so they can't be compared with what an app sends, and a whole conversation would have to be
read. Were two lists ever of one digest, the second would stand under the first one's id, written whole: no line would
say what its request didn't, and readers, which compare messages, would show two conversations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from historylab.conversation.exchange import Exchange
from historylab.conversation.lineage import chain, digest_of, same_beginning
from historylab.conversation.message import instant
from historylab.formats.requests.items import count_leading, is_from_model, words_of_item
from historylab.formats.traces.recorded_lines import (
    AFTER,
    AMBIGUOUS,
    LEADING,
    OWNER,
    REQUEST,
    SAME,
    UNCHANGED,
    VERSION,
    holder_of,
)
from historylab.formats.traces.request_chains import api_of
from historylab.planning.recorded_decisions import OnRecord, decisions_to_record
from historylab.recordings.exchange import make_line, new_conversation, new_id
from historylab.recordings.owners import names_person, names_session
from historylab.secrets.redaction import Redaction
from historylab.stores.base import Record, Store

MOST_ANSWERS = 200
"""Answers, from the newest back, by which a conversation is looked for."""
MOST_GIVEN = 10_000
"""Answers of which this process knows the conversations without asking the store."""
MOST_MISSED = 20_000
"""Answers that nobody was given: an app that puts them in its own words repeats them at every request."""
MOST_ALIKE = 50
"""Conversations, the newest first, that go on from the same answer; and that share one chat of a Trimmer's."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class KnownLine:
    """The last line of a chat: what it says of the request, and what later lines need not say again."""

    conversation: str
    whose: str = ""
    line: str = ""
    items: list[Any] = field(default_factory=list)
    answer: Any = None  # its first item
    key: str = ""  # by which that answer is found; empty without one
    failed: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)  # a digest of what was said up to each item after the leading ones
    state: set[str] = field(default_factory=set)
    decided: OnRecord = field(default_factory=OnRecord)  # in lines whose answers came
    first: tuple[int, int] | None = None  # between which numbers the store has the line its chain begins with
    number: int = 0  # the store has its own line up to this number; 0: it isn't written yet

    @property
    def own_items(self) -> list[Any]:
        """The items after the leading ones."""
        return self.items[len(self.items) - len(self.links) :]

    def is_continued(self, said: Sequence[Any], links: Sequence[str]) -> bool:
        """True if these try again what failed here, or repeat all of it with an answer in words of their own."""
        size = len(self.links)
        if len(said) < size or links[:size][-1:] != self.links[-1:]:
            return False
        return self.failed or (len(said) > size and is_from_model(said[size]))


class NewLine(NamedTuple):
    """A line to be written, the conversations by the keys of the answer in it, and what later lines go on from."""

    record: Record
    found_by: dict[str, str]
    known: KnownLine | None = None


class ChainWriter:
    """The chats of one process. For one thread at a time."""

    def __init__(self, store: Store, redaction: Redaction):
        self._store, self._redaction = store, redaction
        self._replaced = store.replaced
        self._chats: WeakKeyDictionary[Any, dict[str, KnownLine]] = WeakKeyDictionary()  # by conversation
        self._newest: WeakValueDictionary[str, KnownLine] = WeakValueDictionary()  # by conversation
        self._given: dict[str, list[str]] = {}  # conversations by the key of an answer, the newest first
        self._missed: dict[str, None] = {}  # keys of earlier answers that were looked for in vain

    def record(self, exchange: Exchange) -> NewLine:
        """The line of an exchange."""
        if self.is_replaced():
            self.forget_all()
        exchange.id = exchange.id or new_id()
        whose, holder = digest_of(exchange.app, exchange.owner), holder_of(exchange.body)
        given = exchange.body.get(holder)
        items = list(given) if isinstance(given, list | tuple) else []
        body = {name: value for name, value in exchange.body.items() if name != holder or (given and not items)}
        leading = count_leading(items)
        said, chats = items[leading:], self._lines_of(exchange, whose)
        before = chats[0] if chats else None
        same = _count_same(before.items, items, leading) if before else 0
        links = _links(whose, items[leading:], before, max(0, same - leading))
        found = exchange.conversation or self._find(exchange, said, links, chats)
        known = self._last_line(found, whose, chats) or KnownLine(found or new_conversation())
        same = same if known is before else _count_same(known.items, items, leading)
        extends = same and same == len(known.items)  # else the texts that are known may be those of other messages
        if known.answer is not None and not _begin(items[same:], [known.answer]):
            extends = False  # an answer given anew is read beside the one that the last line says these texts with
        line, exchange.redacted, decided = self._line(
            exchange, known, body, holder, items, leading, same, known.decided if extends else OnRecord()
        )
        text = make_line(REQUEST, **line, redacted=exchange.redacted or None)
        now = KnownLine(known.conversation, whose, exchange.id)
        led = min(leading, same)  # the leading ones may be others than those of the line before
        now.items = [*items[:led], *known.items[led:same], *items[same:]]  # equal ones are held once
        now.answer, now.fields, now.links = _answer_item(exchange), body, links
        now.failed = now.answer is None or bool(exchange.failure)
        now.state = known.state | exchange.state.keys()
        now.decided = decided if now.answer is not None else known.decided if extends else OnRecord()
        now.first = known.first if same else None
        if exchange.chat is not None:
            self._remember(exchange.chat, now)
        words = [words_of_item(now.answer)] if now.answer else []
        keys = [*map(_key, chain(words, links[-1] if links else whose))]
        now.key = keys[0] if keys else ""
        keys += [key for key, _ in _first_question(exchange, said, links)]
        for key in keys:
            self._note_given(key, now.conversation)
        record = Record(known.conversation, instant(exchange.started), text)
        return NewLine(record, dict.fromkeys(keys, known.conversation), now)

    def note_written(self, lines: Iterable[NewLine], after: int, last: int) -> None:
        """Note that these lines are stored, numbered from the one after `after` up to `last`."""
        for line in lines:
            if known := line.known:
                known.first, known.number = known.first or (after, last), last

    def note_found(self, found_by: Mapping[str, str], standing: Mapping[str, str]) -> dict[str, str]:
        """Take what the store has for the keys of answers, if it still has; returns what else it is to have, of answers
        given alike."""
        others = {key: there for key, there in standing.items() if there != found_by[key]}
        for key, other in others.items():
            alike = self._given.setdefault(key, [found_by[key]])
            alike += () if other in alike else (other,)
        return {_again(key): found_by[key] for key in others}

    def forget(self, exchange: Exchange) -> None:
        """Write the chat of this exchange whole next time: its last line may not have been kept."""
        if exchange.chat is not None:
            self._chats.pop(exchange.chat, None)

    def is_replaced(self) -> bool:
        """True if another store is in the place of the one that has what this process wrote; asked again, False."""
        before, self._replaced = self._replaced, self._store.replaced
        return before != self._replaced

    def forget_all(self) -> None:
        """Write every chat whole next time."""
        self._chats.clear()
        self._given.clear()
        self._missed.clear()

    def _lines_of(self, exchange: Exchange, whose: str) -> list[KnownLine]:
        """The last lines of the conversations of its chat, as a Trimmer knows it, and its owner; the newest first."""
        known = self._chats.get(exchange.chat, {}) if exchange.chat is not None else {}
        return [line for line in reversed(known.values()) if line.whose == whose]

    def _remember(self, chat: Any, line: KnownLine) -> None:
        lines = self._chats.setdefault(chat, {})
        lines.pop(line.conversation, None)
        lines[line.conversation] = self._newest[line.conversation] = line
        if len(lines) > MOST_ALIKE:
            del lines[next(iter(lines))]

    def _note_given(self, key: str, conversation: str) -> None:
        self._missed.pop(key, None)
        alike = self._given.pop(key, [])
        self._given[key] = [conversation, *(other for other in alike if other != conversation)][:MOST_ALIKE]
        if len(self._given) > MOST_GIVEN:
            del self._given[next(iter(self._given))]

    def _note_missed(self, keys: Iterable[str]) -> None:
        self._missed |= dict.fromkeys(keys)
        for key in [*islice(self._missed, max(0, len(self._missed) - MOST_MISSED))]:
            del self._missed[key]

    def _last_line(self, conversation: str, whose: str, chats: Iterable[KnownLine]) -> KnownLine | None:
        """The last line of a conversation, if it is known and still there: it may be deleted at any time."""
        of_chat = next((line for line in chats if line.conversation == conversation), None)
        known = of_chat or self._newest.get(conversation)
        if known is None or known.whose != whose or known.first is None:
            return known if known is not None and known.whose == whose else None
        after, last = known.first
        kept = self._store.read_records(after=after, conversation=conversation, limit=1)
        return known if kept and kept[0].number <= last else None

    def _find(self, exchange: Exchange, said: list[Any], links: list[str], chats: Sequence[KnownLine]) -> str:
        """The conversation that a request belongs to, empty for a new one; notes on it whether that is a guess."""
        answers = islice(_answers(said, links), MOST_ANSWERS)
        newest = [*islice(answers, 1)] or _first_question(exchange, said, links)
        found = self._go_on_from(newest, exchange, said, chats)
        if found is None:  # hardly ever; what is before an answer that was looked for in vain was looked for with it
            earlier = [*takewhile(lambda answer: answer[0] not in self._missed, answers)]
            found = self._go_on_from(earlier, exchange, said, chats)
            if found is None:
                self._note_missed(key for key, _ in earlier)
        if found is None:
            found = next((line.conversation for line in chats if line.is_continued(said, links)), "")
        return found

    def _go_on_from(
        self, answers: Sequence[tuple[str, int]], exchange: Exchange, said: list[Any], chats: Sequence[KnownLine]
    ) -> str | None:
        """The conversation to go on with, of the first of these answers that was given in any; None where none was."""
        given = self._conversations_by([key for key, _ in answers])
        for key, stop in answers:
            if alike := [one for one in given[key] if self._says(one, said[:stop])]:
                return self._choose(exchange, alike, key, said, [line.conversation for line in chats])
        return None

    def _choose(self, exchange: Exchange, alike: list[str], key: str, said: list[Any], of_chat: list[str]) -> str:
        """The conversation to go on with, of those in which one answer was given; empty for a new one.

        `of_chat`: those that its chat, as a Trimmer knows it, was in.
        """
        if len(alike) == 1:
            return alike[0]
        exchange.ambiguous = not names_person(exchange.owner)
        alike = [*(one for one in of_chat if one in alike), *(one for one in alike if one not in of_chat)]
        newest = {one: line for one in alike if (line := self._newest.get(one))}
        same = [one for one, line in newest.items() if len(line.links) == len(said) and _begin(said, line.own_items)]
        failed = (one for one in same if newest[one].failed)
        free = (one for one in alike if self._ends_in(one, key, newest.get(one)))
        found = (*failed, *islice(free, 1), *same, *(() if exchange.ambiguous else alike))
        return next(iter(found), "")

    def _ends_in(self, conversation: str, key: str, newest: KnownLine | None) -> bool:
        """True if the newest line of a conversation was answered so; of another process's, if it is its only line."""
        if newest is not None:
            return newest.key == key
        return len(self._store.read_records(conversation=conversation, limit=2)) == 1

    def _conversations_by(self, keys: Sequence[str]) -> dict[str, list[str]]:
        """The conversations in which each of these answers was given, the newest first."""
        stored = self._store.read_state([name for key in keys for name in (key, _again(key))]) if keys else {}
        known = {key: [*self._given.get(key, ()), stored.get(_again(key)), stored.get(key)] for key in keys}
        return {key: [*dict.fromkeys(filter(None, found))] for key, found in known.items()}

    def _says(self, conversation: str, said: list[Any]) -> bool:
        """True unless this process knows the newest line of a conversation, and that begins otherwise."""
        newest = self._newest.get(conversation)
        if newest is None or _begin([*newest.own_items, newest.answer], said):
            return True
        others = newest.number and self._store.read_records(after=newest.number, conversation=conversation, limit=1)
        return bool(others)  # another process has gone on with it since

    def _line(
        self,
        exchange: Exchange,
        known: KnownLine,
        body: Mapping[str, Any],
        holder: str,
        items: list[Any],
        leading: int,
        same: int,
        decided: OnRecord,
    ) -> tuple[dict[str, Any], int, OnRecord]:
        before = known.fields
        unchanged = [name for name in body if same and name in before and before[name] == body[name]]
        texts: dict[str, Any] = {
            "request": {holder: items[same:], **{n: v for n, v in body.items() if n not in unchanged}},
            "response": exchange.response,
            "app": exchange.app,
            "error": exchange.error,
            "untrimmed": exchange.untrimmed,
            "because": exchange.because,
            "state": {key: value for key, value in exchange.state.items() if key not in known.state},
        }
        if same and known.items[:leading] != items[:leading]:
            texts[LEADING] = items[:leading]
        said, redacted = self._redaction.redact(texts, exchange.secrets)
        plan = exchange.plan
        if exchange.live_plan is not None:

            def redact(value: Any) -> Any:
                nonlocal redacted
                clean, count = self._redaction.redact(value, exchange.secrets)
                redacted += count
                return clean

            reasons, decided = decisions_to_record(exchange.live_plan, decided, exchange.state, redact)
            plan = {**plan, **reasons}
        line = {
            "version": VERSION,
            "id": exchange.id,
            "conversation": known.conversation,
            OWNER: exchange.owner,
            AMBIGUOUS: exchange.ambiguous or None,
            AFTER: known.line if same else "",
            SAME: same or None,
            UNCHANGED: unchanged,
            "api": exchange.api,
            "started": exchange.started,
            "seconds": round(instant(exchange.ended) - instant(exchange.started), 3),
            "status": exchange.status,
            "mode": exchange.mode,
            "settings": exchange.settings,
            "plan": plan,
        }
        return {**line, **said}, redacted, decided


def _count_same(known: list[Any], items: list[Any], leading: int) -> int:
    """The number of items unchanged from the first on; leading ones may be others, if there are as many."""
    same = same_beginning(known, items)
    if same < leading == count_leading(known):
        further = same_beginning(known[leading:], items[leading:])
        same = leading + further if further else same
    return same if same > leading else 0


def _begin(items: Sequence[Any], beginning: Sequence[Any]) -> bool:
    """True if items begin by saying the same as others."""
    same = same_beginning(items, beginning)  # equal items say the same: nearly always all of them
    said = filter(None, map(words_of_item, islice(items, same, None)))
    return all(next(said, None) == words for words in filter(None, map(words_of_item, islice(beginning, same, None))))


def _answer_item(exchange: Exchange) -> Any:
    """The first item of its answer, as the app would repeat it."""
    api = api_of(exchange.api)
    return api.answer_item(exchange.response) if api and exchange.response else None


def _answers(said: Sequence[Any], links: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The key of each answer after the leading items, the newest first, and the number of items up to it."""
    return ((_key(links[k]), k + 1) for k in range(len(said) - 1, -1, -1) if is_from_model(said[k]))


def _links(whose: str, said: list[Any], known: KnownLine | None, same: int) -> list[str]:
    """A digest of what was said to its owner up to each item; up to the first `same` those of a line that is known."""
    links = known.links[:same] if known else []
    return [*links, *chain(map(words_of_item, said[same:]), links[-1] if links else whose)]


def _first_question(exchange: Exchange, said: Sequence[Any], links: Sequence[str]) -> list[tuple[str, int]]:
    """The key of a request before any answer: in one session it is asked anew, elsewhere it begins another chat."""
    if not said or not names_session(exchange.owner) or any(map(is_from_model, said)):
        return []
    return [(f"asked {links[-1]}", len(said))]


def _key(link: str) -> str:
    return f"answered {link}"  # earlier versions had "recorded", of nobody: what they wrote is not gone on with


def _again(key: str) -> str:
    """The key under which the store has another conversation in which the same was answered."""
    return f"{key} again"
