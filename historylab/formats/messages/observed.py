"""Requests as a log observed them → the conversations they were part of.

Every entry of such a log (a span, a run, a row) repeats the history it was sent with. `conversations_in` takes them
as `Exchange`s and puts each history together once: a request that begins with all of an earlier one's messages
continues it, and its usage goes to the answer it produced. One that answers a shorter history anew (a retry, an edited
question) is a branch. Any other (trimmed, compacted, unrelated) begins a conversation, and the report says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, is_not, itemgetter
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ToolCall, instant, prompt_length
from historylab.conversation.recorded import PROMPT_CHANGED, TOOLS, decision_metadata
from historylab.conversation.usage import MODEL
from historylab.formats.base import NOTHING, LocatedCount, Report
from historylab.formats.messages.branching import MOST_BRANCHES
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.messages.threads import Thread, Threads

TRIMMED = "a request without older messages of those before (trimmed), read as a conversation of its own"
COMPACTED = "a request with something else in place of older messages (compacted), read as a conversation of its own"
UNRELATED = "a request with another history than those before, read as a conversation of its own"
REWORDED = "an answer that the next request repeats in other words, read as repeated"
OTHER_PROMPT = "a system prompt other than the one before, of which the first is read"


def conversations_in(requests: Iterable[Exchange], report: Report) -> Iterator[Conversation]:
    """The conversations that these requests were part of; those of one key together, the longest first.

    Requests of a key are taken in the order of their times if all have one, else as they stand.
    """
    log = ObservedLog()
    for request in requests:
        log.add(request)
    yield from map(with_provider_cuts, log.conversations(report))


class ObservedLog:
    """The requests of a log that grows: asked for its conversations again, it has only looked at those that are new."""

    def __init__(self) -> None:
        self._requests: dict[str, list[Exchange]] = {}
        self._stitched: dict[str, _Stitching] = {}

    def add(self, request: Exchange) -> None:
        """Take one more request of its key."""
        self._requests.setdefault(request.conversation, []).append(request)

    def conversations(self, report: Report) -> Iterator[Conversation]:
        """As `conversations_in` has them, of all requests so far."""
        for key, requests in self._requests.items():
            ordered, known = order_by_time(requests), self._stitched.get(key)
            if known is None or any(map(is_not, ordered, known.requests)):  # one came after a later one
                known = self._stitched[key] = _Stitching()
            for request in ordered[len(known.requests) :]:
                known.add(request)
            report.add(known.report, "")
            yield from known.conversations(report)


def order_by_time(requests: list[Exchange]) -> list[Exchange]:
    """The requests in the order of their times if all have one, else as they stand."""
    if len(requests) < 2:
        return requests
    times = [instant(request.started) for request in requests]
    if any(map(math.isnan, times)):
        return requests
    return [requests[i] for i in sorted(range(len(requests)), key=lambda i: (times[i], len(requests[i].messages)))]


class _Stitching:
    """The requests of one key in their order, put together into threads; `report` has what that had to say."""

    def __init__(self) -> None:
        self.requests: list[Exchange] = []
        self.report, self.threads = Report(), Threads()

    def add(self, request: Exchange) -> None:
        """Continue a thread with the request, or begin one."""
        self.requests.append(request)
        sent, begins = self.threads.marks_in(request.messages)
        prompt = prompt_length(request.messages)
        request.prompt = mark = begins[prompt - 1] if prompt else 0
        thread, known = self.threads.find_longest(begins)
        if known <= prompt and (other := self.threads.find_under_another_prompt(sent[prompt:])):
            self.report.warn(OTHER_PROMPT, request.where)
            first = other.messages[: prompt_length(other.messages)]  # a prompt may hold the time of day
            request = replace(request, messages=[*first, *request.messages[prompt:]])
            request.prompt = mark
            sent, begins = self.threads.marks_in(request.messages)
            thread, known = self.threads.find_longest(begins)
        if thread is None or not sent:
            self._continue(Thread(), request, sent)
        elif known == len(thread.messages):
            _take_spelling(thread, request, thread.asked)
            self._continue(thread, request, sent)
        elif known == len(sent):
            self._take_late(thread, request, sent)
        elif known == thread.asked and request.messages[known].role == "assistant":
            self.report.warn(REWORDED, request.where)
            thread.unplaced = thread.requests[-1]
            self.threads.cut(thread, known)
            self._continue(thread, request, sent)
        else:
            reason = _reason(thread, request, sent, known)
            if reason:
                self.report.warn(reason, request.where)
            alone = reason or known <= prompt_length(request.messages)
            self._continue(Thread() if alone else _branch(thread, known, request), request, sent)

    def conversations(self, report: Report) -> Iterator[Conversation]:
        """One per root, on the path of its latest request, with the other paths as branches."""
        families: dict[int, list[Thread]] = {}
        for thread in self.threads.all:
            families.setdefault(id(thread.root), []).append(thread)
        for family in sorted(families.values(), key=lambda family: -len(family[-1].messages)):
            _tell_once([request for thread in family for request in thread.requests], report)
            *others, newest = family
            report.records += len(newest.messages)
            if len(others) > MOST_BRANCHES:
                report.warn(f"{len(others) - MOST_BRANCHES:,} older branches left out", "")
            yield _conversation(newest, [_conversation(thread) for thread in others[: -MOST_BRANCHES - 1 : -1]])

    def _take_late(self, thread: Thread, request: Exchange, sent: list[int]) -> None:
        """Take a request whose answer the thread has already, because it was logged late; else it was answered anew."""
        at = len(request.messages)
        if request.answer and self.threads.marks_of(request.answer[:1]) != thread.marks[at : at + 1]:
            self._continue(_branch(thread, at, request), request, sent)
            return
        thread.requests.append(request)
        if thread.messages[at].role == "assistant" and "usage" not in thread.messages[at].metadata:
            _place(thread, request, at)

    def _continue(self, thread: Thread, request: Exchange, sent: list[int]) -> None:
        """Append what the request adds to a thread it begins with, and its answer. `sent`: marks of its messages."""
        at = len(thread.messages)
        new = list(request.messages[at:])
        if new and new[-1].timestamp is None:
            new[-1] = replace(new[-1], timestamp=request.started)
        self.threads.extend(thread, new, sent[at:])
        if thread.unplaced and new and new[0].role == "assistant":
            _place(thread, thread.unplaced, at)
        thread.asked = len(thread.messages)
        self.threads.extend(thread, request.answer, self.threads.marks_of(request.answer))
        if request.answer:
            _place(thread, request, thread.asked)
        thread.unplaced = None if request.answer else request
        thread.requests.append(request)
        self.threads.index(thread)


def _place(thread: Thread, request: Exchange, at: int) -> None:
    """Say of the message at that index that it answered the request."""
    answer = thread.messages[at]
    said: dict[str, Any] = {"usage": dict(request.usage)} if request.usage else {}
    said |= {MODEL: request.about[MODEL]} if request.about.get(MODEL) else {}
    said |= decision_metadata(request)
    thread.answered[at] = request
    time = answer.timestamp or request.ended or request.started
    thread.messages[at] = replace(answer, timestamp=time, metadata={**answer.metadata, **said})


def _branch(thread: Thread, known: int, request: Exchange) -> Thread:
    """A branch after so many messages, as the request has them: the calls that its results answer have its ids."""
    branch = Thread(thread, known)
    _take_spelling(branch, request, 0)
    return branch


def _take_spelling(thread: Thread, request: Exchange, asked: int) -> None:
    """Take what follows as the request repeats it: a client that writes arguments anew is counted by what it sends."""
    for at in range(asked, len(thread.messages)):
        known, repeated = thread.messages[at], request.messages[at]
        if _words_and_ids(known) != _words_and_ids(repeated):
            content, calls, answered = _words_and_ids(repeated)
            thread.messages[at] = replace(known, content=content, tool_calls=calls, tool_call_id=answered)


def _words_and_ids(message: Message) -> tuple[str, tuple[ToolCall, ...], str | None]:
    return message.content, message.tool_calls, message.tool_call_id


def _reason(thread: Thread, request: Exchange, sent: list[int], known: int) -> str:
    """The reason a request that continues no thread begins a conversation; empty for a branch, or just another."""
    rest = sent[known:]
    there = set(thread.marks[known:])
    again = [mark in there for mark in rest]
    if again[0] and all(again[:2]):
        return TRIMMED
    if sum(again) > 1 or any(message.metadata.get("compaction") for message in request.messages[known:]):
        return COMPACTED
    return UNRELATED if request.conversation and known <= prompt_length(request.messages) else ""


def _tell_once(requests: list[Exchange], report: Report) -> None:
    """Report what reading these requests had to say: of what each of them repeats, once."""
    reports = [request.report for request in requests if request.report]
    for kind in ("skipped", "warnings", "kept"):
        most: dict[str, LocatedCount] = {}
        for tallies in filter(None, map(attrgetter(kind), reports)):
            for reason, tally in tallies.items():
                if reason not in most or most[reason].count < tally.count:
                    most[reason] = tally
        told: dict[str, LocatedCount] = getattr(report, kind)
        for reason, tally in most.items():
            told.setdefault(reason, LocatedCount(0, tally.first)).count += tally.count
            report.records += tally.count if kind == "skipped" else 0


def _conversation(thread: Thread, branches: Sequence[Conversation] = ()) -> Conversation:
    name = thread.requests[-1].conversation
    said: dict[str, Any] = {"conversation_id": name} if name else {}
    for request in thread.requests:
        said |= {key: value for key, value in request.about.items() if value not in NOTHING}
    title = next((request.title for request in thread.requests if request.title), "")
    messages = list(thread.messages)
    for (_, before), (at, now) in pairwise(sorted(thread.answered.items(), key=itemgetter(0))):
        if changed := _changes(before, now):
            messages[at] = replace(messages[at], metadata={**messages[at].metadata, **changed})
    return Conversation(pair_by_order(messages), title, said, branches)


def _changes(before: Exchange, now: Exchange) -> dict[str, Any]:
    """The metadata of an answer whose request had other tools or another system prompt than the one before it."""
    tools, others = now.about.get(TOOLS), before.about.get(TOOLS)
    changed: dict[str, Any] = {TOOLS: tools} if tools and others and tools != others else {}  # a log may leave them out
    return changed | ({PROMPT_CHANGED: True} if now.prompt != before.prompt else {})
