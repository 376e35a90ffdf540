"""Conversations of exchanges, and what is new in each since the line before it in its chat.

A chat of this process goes on from its own last line, whose items are compared. One that it hasn't seen (after a
restart, in another worker, a fork) is found by a digest: the store's state has, for what was said up to an answer, the
conversation in which it was given. So a conversation needs no id of the app's.

A conversation that is found has to say the same, where this process knows its newest line. Otherwise the digest decides
alone: lines are redacted, so they can't be compared with what an app sends, and a whole conversation would have to be
read. Were two lists ever of one digest, the second would stand under the first one's id, written whole: no line would
say what its request didn't, and readers, which compare messages, would show two conversations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from historylab.conversation.exchange import Exchange
from historylab.conversation.lineage import chain, same_beginning
from historylab.conversation.message import instant
from historylab.formats.requests.items import count_leading, is_from_model, words_of_item
from historylab.formats.traces.recorded_lines import AFTER, LEADING, REQUEST, SAME, UNCHANGED, VERSION, holder_of
from historylab.formats.traces.request_chains import api_of
from historylab.planning.recorded_decisions import OnRecord, decisions_to_record
from historylab.recordings.exchange import make_line, new_conversation, new_id
from historylab.recordings.redaction import Redaction
from historylab.stores.base import Record, Store

MOST_ANSWERS = 200
"""Answers, from the newest back, by which an unseen chat is looked for."""
MOST_NEWER = 10_000
"""Answers given in several conversations, of which the newest is known."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Known:
    """The last line of a chat: what it says of the request, and what later lines need not say again."""

    conversation: str
    line: str = ""
    items: list[Any] = field(default_factory=list)
    answer: Any = None  # its first item
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


class ChainWriter:
    """The chats of one process. For one thread at a time."""

    def __init__(self, store: Store, redaction: Redaction):
        self._store, self._redaction = store, redaction
        self._chats: WeakKeyDictionary[Any, dict[str, _Known]] = WeakKeyDictionary()  # by app: no two share one
        self._newest: WeakValueDictionary[str, _Known] = WeakValueDictionary()  # by conversation
        self._newer: dict[str, str] = {}  # conversations by the key of an answer that the store has of an earlier one

    def record(self, exchange: Exchange) -> tuple[Record, dict[str, str]]:
        """The record of an exchange; and the state by which what follows its answer is found to belong to it."""
        exchange.id = exchange.id or new_id()
        holder, known = holder_of(exchange.body), self._last_line(exchange)
        given = exchange.body.get(holder)
        items = list(given) if isinstance(given, list | tuple) else []
        body = {name: value for name, value in exchange.body.items() if name != holder or (given and not items)}
        leading = count_leading(items)
        same, said = _count_same(known.items, items, leading) if known else 0, items[leading:]
        links = known.links[: max(0, same - leading)] if known else []
        links += chain(map(words_of_item, items[max(same, leading) :]), links[-1] if links else exchange.app)
        if known and not (exchange.conversation or self._is_continued(known, said, links, same - leading)):
            known, same = None, 0
        if known is None:
            known = _Known(exchange.conversation or self._find(said, _answers(said, links)) or new_conversation())
        elif not exchange.conversation and not self._is_newest(known, said):
            known, same = _Known(new_conversation()), 0
        extends = same and same == len(known.items)  # else the texts that are known may be those of other messages
        if known.answer is not None and not _begin(items[same:], [known.answer]):
            extends = False  # an answer given anew is read beside the one that the last line says these texts with
        line, redacted, decided = self._line(
            exchange, known, body, holder, items, leading, same, known.decided if extends else OnRecord()
        )
        text = make_line(REQUEST, **line, redacted=redacted or None)
        now = _Known(known.conversation, exchange.id, [*known.items[:same], *items[same:]])  # equal ones are held once
        now.answer, now.fields, now.links = _answer_item(exchange), body, links
        now.state = known.state | exchange.state.keys()
        now.decided = decided if now.answer is not None else known.decided if extends else OnRecord()
        now.first = known.first if same else None
        if exchange.chat is not None:
            self._chats.setdefault(exchange.chat, {})[exchange.app] = self._newest[now.conversation] = now
        words = [words_of_item(now.answer)] if now.answer else []
        keys = map(_key, chain(words, links[-1] if links else exchange.app))
        return Record(known.conversation, instant(exchange.started), text), dict.fromkeys(keys, known.conversation)

    def note_written(self, exchanges: Iterable[Exchange], after: int, last: int) -> None:
        """Note that the lines of these exchanges are stored, numbered from the one after `after` up to `last`."""
        for exchange in exchanges:
            if known := self._line_of(exchange):
                known.first, known.number = known.first or (after, last), last

    def prefer(self, keys: Mapping[str, str], standing: Mapping[str, str]) -> None:
        """Prefer these conversations to those that the store goes on having for the same answers.

        An app that is run again may say and hear the same: what follows belongs to this run, not to an earlier one.
        """
        for key, conversation in keys.items():
            self._newer.pop(key, None)
            if standing[key] != conversation:
                self._newer[key] = conversation
        for key in [*islice(self._newer, max(0, len(self._newer) - MOST_NEWER))]:
            del self._newer[key]

    def forget(self, exchange: Exchange) -> None:
        """Write the chat of this exchange whole next time: its last line may not have been kept."""
        if exchange.chat is not None:
            self._chats.pop(exchange.chat, None)

    def _line_of(self, exchange: Exchange) -> _Known | None:
        return None if exchange.chat is None else self._chats.get(exchange.chat, {}).get(exchange.app)

    def _last_line(self, exchange: Exchange) -> _Known | None:
        """The last line of the exchange's chat, if it is still there: a conversation may be deleted at any time."""
        known = self._line_of(exchange)
        if known is None or exchange.conversation not in ("", known.conversation):
            return None
        if known.first is None:
            return known
        after, last = known.first
        kept = self._store.read_records(after=after, conversation=known.conversation, limit=1)
        return known if kept and kept[0].number <= last else None

    def _is_continued(self, known: _Known, said: list[Any], links: list[str], same: int) -> bool:
        """True if a request is of the conversation of its chat's last line: chats that begin alike are one at first."""
        newest = [*islice(_answers(said, links), 1)]
        if not newest:  # the same beginning once more, after an answer: another chat
            return known.answer is None or not same == len(said) == len(known.links)
        if same == len(known.links) and known.answer is not None and _begin(said[same:], [known.answer]):
            return True
        return self._find(said, newest) in (None, known.conversation)

    def _is_newest(self, known: _Known, said: list[Any]) -> bool:
        """True if the newest line of its conversation is its own, or one that these items continue.

        Else that was no edit: another chat went on from a beginning that both have.
        """
        newest = self._newest.get(known.conversation, known)
        return newest is known or _begin(said, newest.own_items)

    def _find(self, said: list[Any], answers: Iterable[tuple[str, int]]) -> str | None:
        """The conversation in which the newest known of these answers was given; of several the newest."""
        stops = dict(islice(answers, MOST_ANSWERS))
        newer = {key: self._newer[key] for key in stops if key in self._newer}
        found = {**self._store.read_state(stops), **newer} if stops else newer
        known = (found[key] for key in stops if key in found and self._says(found[key], said[: stops[key]]))
        return next(known, None)

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
        known: _Known,
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
    said = filter(None, map(words_of_item, items))
    return all(next(said, None) == words for words in filter(None, map(words_of_item, beginning)))


def _answer_item(exchange: Exchange) -> Any:
    """The first item of its answer, as the app would repeat it."""
    api = api_of(exchange.api)
    return api.answer_item(exchange.response) if api and exchange.response else None


def _answers(said: Sequence[Any], links: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The key of each answer after the leading items, the newest first, and the number of items up to it."""
    return ((_key(links[k]), k + 1) for k in range(len(said) - 1, -1, -1) if is_from_model(said[k]))


def _key(link: str) -> str:
    return f"recorded {link}"
