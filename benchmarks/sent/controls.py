"""Logs whose requests do not all belong to one line: what is apart must stay apart, and a branch be a branch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from benchmarks.sent.chats import Chat, Record
from benchmarks.sent.logs import LogFormat, Sent
from benchmarks.sent.rules import MakeRule

CHATS, MOST_QUESTIONS = 3, 10


@dataclass(frozen=True)
class Control:
    """A log, how many chats are in it, and how many paths beside the newest; `unseen`: of bodies, without answers."""

    name: str
    log: Sequence[Sent]
    chats: int = 1
    branches: int = 0
    unseen: int = 0

    def branches_in(self, kind: LogFormat) -> int:
        return self.branches - (self.unseen if kind.bodies else 0)


def logged(chat: Chat, make: MakeRule, session: str = "") -> list[Sent]:
    """Every request of a chat, as the rule trims it."""
    rule = make(chat.tokens)
    return [Sent(rule(chat.records[:at]), chat.records[at], session) for at in chat.asked]


def controls(chats: Sequence[Chat], make: MakeRule, trimmed: str) -> Iterator[Control]:
    """Agents beside each other, other answers, other questions and lost rows, of chats that begin alike."""
    logs = [logged(_under_one_prompt(chat, chats[0]), make) for chat in chats[:CHATS]]
    together = [sent for row in zip_longest(*logs) for sent in row if sent]
    yield Control(f"agents side by side, {trimmed}", together, len(logs))
    shuffled = _interleaved(logs)
    yield Control(f"agents in turns, {trimmed}", shuffled, len(logs))
    shared = [replace(sent, session="shared") for sent in shuffled]
    yield Control(f"agents of one session id, {trimmed}", shared, len(logs))
    chat = chats[0]
    yield Control(f"an answer asked for again, {trimmed}", list(_answered_again(chat, make)), branches=1, unseen=1)
    yield Control(f"an edited question, {trimmed}", list(_edited(chat, make)), branches=1)
    log = logged(chat, make, "s")
    yield Control(f"every request twice, {trimmed}", [sent for sent in log for _ in range(2)])
    yield Control(f"titles asked for beside it, {trimmed}", list(_with_titles(log)), 1 + len(log[1::5]))
    yield Control(f"every other row lost, {trimmed}", log[::2])


def batch(chats: Sequence[Chat]) -> Control:
    """Questions that have nothing to do with each other, under one prompt."""
    log = list(_questions(chats))
    return Control("unrelated questions", log, len(log))


def _questions(chats: Sequence[Chat]) -> Iterator[Sent]:
    prompt: Record = {"role": "system", "content": "Answer in one word."}
    asked = [record for chat in chats for record in chat.records if record["role"] == "user"]
    texts = list({record["content"]: record for record in asked}.values())
    for k, record in enumerate(texts[:MOST_QUESTIONS]):
        yield Sent([prompt, record], {"role": "assistant", "content": f"Word{k}."})


def _under_one_prompt(chat: Chat, first: Chat) -> Chat:
    return replace(chat, records=[first.records[0], *chat.records[1:]])


def _interleaved(logs: Sequence[Sequence[Sent]]) -> list[Sent]:
    chance, left, found = random.Random(7), [list(log) for log in logs], list[Sent]()
    while any(left):
        found.append(chance.choice([log for log in left if log]).pop(0))
    return found


def _with_titles(log: Sequence[Sent]) -> Iterator[Sent]:
    """Now and then the app asks for a title of what was said last, in the same session."""
    prompt: Record = {"role": "system", "content": "Give this chat a title of three words."}
    for k, sent in enumerate(log):
        yield sent
        if k % 5 == 1:
            asked = {"role": "user", "content": f"Part {k}: {str(sent.messages[-1]['content'])[:80]}"}
            yield Sent([prompt, asked], {"role": "assistant", "content": f"Title Number {k}"}, sent.session)


def _answered_again(chat: Chat, make: MakeRule) -> Iterator[Sent]:
    """In the middle the same is asked once more, and the chat goes on from the second answer."""
    log = logged(chat, make, "s")
    middle = len(log) // 2
    at = log[middle]
    other = {"role": "assistant", "content": "I would rather not say that yet."}
    yield from log[:middle]
    yield replace(at, answer=other)
    yield from log[middle:]


def _edited(chat: Chat, make: MakeRule) -> Iterator[Sent]:
    """In the middle a question is asked and answered, then written anew; the chat goes on from there."""
    log = logged(chat, make, "s")
    users = [k for k, sent in enumerate(log) if sent.messages[-1]["role"] == "user"]
    middle = users[len(users) // 2]
    at = log[middle]
    before = {"role": "user", "content": "Could you tell me about something else entirely, such as tea?"}
    yield from log[:middle]
    yield Sent([*at.messages[:-1], before], {"role": "assistant", "content": "Tea is a drink."}, at.session)
    yield from log[middle:]
