"""Which conversation an exchange belongs to, and what of it is new since the line before it in its chat.

A chat that this process hasn't seen (after a restart, in another worker, a fork) is found by what was said: the store's
state has, by a digest of the messages up to an answer, the conversation in which it was given. So a conversation needs
no id of the app's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import instant
from historylab.formats.traces.recorded_lines import AFTER, LEADING, REQUEST, SAME, UNCHANGED, VERSION, holder_of
from historylab.planning.known_chat import leading_of, same_beginning
from historylab.recordings.exchange import make_line, new_conversation, new_id
from historylab.recordings.redaction import Redaction
from historylab.recordings.said import answer_in, is_answer, said_in
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
    answered: bool = False
    items: list[Any] = field(default_factory=list)
    fields: Mapping[str, Any] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)  # a digest of what was said up to each item after the leading ones
    state: set[str] = field(default_factory=set)
    first: tuple[int, int] | None = None  # between which numbers the store has the line its chain begins with


class Chains:
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
        leading = leading_of(items)
        same = _same(known.items, items, leading) if known else 0
        links = known.links[: max(0, same - leading)] if known else []
        links = _links(items[max(same, leading) :], links, exchange.app)
        answers = _answers(items, links)
        if known and not (exchange.conversation or self._goes_on(known, items, same, next(answers, ""))):
            known, same = None, 0
        if known is None:
            known = _Known(exchange.conversation or self._conversation(_answers(items, links)))
        elif not exchange.conversation and not self._is_newest(known, links):
            known, same = _Known(new_conversation()), 0
        line, redacted = self._line(exchange, known, body, holder, items, leading, same)
        text = make_line(REQUEST, **line, redacted=redacted or None)
        answer = answer_in(exchange.response)
        now = _Known(known.conversation, exchange.id, answered=answer is not None, fields=body, links=links)
        now.items = [*known.items[:same], *items[same:]]  # equal ones are held once
        now.state = known.state | exchange.state.keys()
        now.first = known.first if same else None
        if exchange.chat is not None:
            self._chats.setdefault(exchange.chat, {})[exchange.app] = self._newest[now.conversation] = now
        found_by = {_key(_link(links[-1] if links else exchange.app, answer)): known.conversation} if answer else {}
        return Record(known.conversation, instant(exchange.started), text), found_by

    def written(self, exchanges: Iterable[Exchange], after: int, last: int) -> None:
        """Know that the lines of these exchanges are kept, with numbers after this one, up to the last."""
        for exchange in exchanges:
            if known := self._known(exchange):
                known.first = known.first or (after, last)

    def found_by(self, keys: Mapping[str, str], standing: Mapping[str, str]) -> None:
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

    def _known(self, exchange: Exchange) -> _Known | None:
        return None if exchange.chat is None else self._chats.get(exchange.chat, {}).get(exchange.app)

    def _last_line(self, exchange: Exchange) -> _Known | None:
        """The last line of the exchange's chat, if it is still there: a conversation may be deleted at any time."""
        known = self._known(exchange)
        if known is None or exchange.conversation not in ("", known.conversation):
            return None
        if known.first is None:
            return known
        after, last = known.first
        kept = self._store.read_records(after=after, conversation=known.conversation, limit=1)
        return known if kept and kept[0].number <= last else None

    def _goes_on(self, known: _Known, items: Sequence[Any], same: int, answer: str) -> bool:
        """Whether a request is of the conversation of its chat's last line: chats that begin alike are one at first."""
        if not answer:  # again, after an answer: another chat's beginning
            return not (known.answered and same == len(items) == len(known.items))
        key = _key(answer)
        return self._found([key]).get(key, known.conversation) == known.conversation

    def _is_newest(self, known: _Known, links: Sequence[str]) -> bool:
        """Whether the newest line of its conversation is its own, or one that these items go on from.

        Else that was no edit: another chat went on from a beginning that both have.
        """
        newest = self._newest.get(known.conversation, known)
        size = len(newest.links)
        return newest is known or [*links[size - 1 : size]] == newest.links[-1:]

    def _conversation(self, answers: Iterable[str]) -> str:
        """The conversation that has the first of these answers that is known; else a new one."""
        keys = [_key(link) for link in islice(answers, MOST_ANSWERS)]
        known = self._found(keys) if keys else {}
        return next((known[key] for key in keys if key in known), new_conversation())

    def _found(self, keys: Sequence[str]) -> dict[str, str]:
        """The conversations in which these answers were given; of several in which one was, the newest."""
        newer = {key: self._newer[key] for key in keys if key in self._newer}
        return {**self._store.read_state(keys), **newer}

    def _line(
        self,
        exchange: Exchange,
        known: _Known,
        body: Mapping[str, Any],
        holder: str,
        items: list[Any],
        leading: int,
        same: int,
    ) -> tuple[dict[str, Any], int]:
        before = known.fields
        unchanged = [name for name in body if same and name in before and before[name] == body[name]]
        texts: dict[str, Any] = {
            "request": {holder: items[same:], **{n: v for n, v in body.items() if n not in unchanged}},
            "response": exchange.response,
            "app": exchange.app,
            "error": exchange.error,
            "untrimmed": exchange.untrimmed,
            "state": {key: value for key, value in exchange.state.items() if key not in known.state},
        }
        if same and known.items[:leading] != items[:leading]:
            texts[LEADING] = items[:leading]
        said, redacted = self._redaction.redacted(texts, exchange.secrets)
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
            "plan": exchange.plan,
        }
        return {**line, **said}, redacted


def _same(known: list[Any], items: list[Any], leading: int) -> int:
    """How many items are as they were, from the first; leading ones may be others, if there are as many."""
    least = min(len(known), len(items))
    same = same_beginning(known[:least], items[:least])
    if same < leading == leading_of(known) and leading < least:
        further = same_beginning(known[leading:least], items[leading:least])
        same = leading + further if further else same
    return same if same > leading else 0


def _links(items: Sequence[Any], before: list[str], app: str) -> list[str]:
    """A digest per item of what was said up to it in this app, those `before` first."""
    links = list(before)
    for item in items:
        links.append(_link(links[-1] if links else app, item))
    return links


def _answers(items: Sequence[Any], links: Sequence[str]) -> Iterator[str]:
    """The links of the answers among the items, the newest first; the leading ones have none."""
    pairs = zip(reversed(items), reversed(links), strict=False)
    return (link for item, link in pairs if is_answer(item))


def _link(before: str, item: Any) -> str:
    said = said_in(item)
    text = json.dumps([before, said], sort_keys=True, default=str)
    return before if said is None else blake2b(text.encode(), digest_size=20).hexdigest()


def _key(link: str) -> str:
    return f"recorded {link}"
