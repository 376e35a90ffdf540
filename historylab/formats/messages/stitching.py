"""Requests in their order put together into threads, and the conversations that these are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ToolCall, prompt_length
from historylab.conversation.recorded import PROMPT_CHANGED, TOOLS, decision_metadata
from historylab.conversation.sent import sent_metadata
from historylab.conversation.usage import MODEL
from historylab.formats.base import NOTHING, LocatedCount, Report
from historylab.formats.messages.aligner import Aligner
from historylab.formats.messages.alignment import NOWHERE, Alignment, whole
from historylab.formats.messages.branching import MOST_BRANCHES
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.injections import find_injected_again, find_lacking
from historylab.formats.messages.sent_sets import histories_in_log, note_late, note_sent, note_unlogged, take_out
from historylab.formats.messages.threads import Thread, Threads

UNRELATED = "a request with another history than those before, read as a conversation of its own"
GAP = "a request without any message of those before, whose app sends the newest: those between are in no request"
REWORDED = "an answer that the next request repeats in other words, read as repeated"
OTHER_PROMPT = "a system prompt other than the one before; the first of them is read"


class Stitching:
    """The requests of one key in their order, put together into threads; `report` has what that had to say."""

    def __init__(self) -> None:
        self.requests: list[Exchange] = []
        self.report, self.threads = Report(), Threads()

    def add(self, request: Exchange) -> None:
        """Continue a thread with the request, or begin one."""
        self.requests.append(request)
        sent, begins = self.threads.marks_in(request.messages)
        prompt = prompt_length(request.messages)
        request.prompt = begins[prompt - 1] if prompt else 0
        thread, known = self.threads.find_longest(begins)
        if thread is None or not sent:
            self._continue(whole(Thread(), 0), request, sent)
            return
        found = whole(thread, known)
        if known <= prompt and (other := self.threads.find_under_another_prompt(sent[prompt:])):
            self.report.warn(OTHER_PROMPT, request.where)  # it may hold the time of day
            found = self._under_another_prompt(other, request, sent)
        answers = request.messages[found.new : found.new + 1]
        is_answered = found.known == found.thread.asked and answers and answers[0].role == "assistant"
        if answers and not found.goes_on and not is_answered:
            found = self._align(found, request, sent)
        self._go_on(found if self.joins(found, request) else whole(Thread(), 0), request, sent)

    def joins(self, found: Alignment, request: Exchange) -> bool:
        """Tell whether a request belongs to the conversation that it goes on from, as those of a log do."""
        return True

    def _under_another_prompt(self, thread: Thread, request: Exchange, sent: list[int]) -> Alignment:
        """The placing of a request that begins as a thread does, but for the system prompt."""
        prompt = prompt_length(request.messages)
        _, begins = self.threads.marks_in([*thread.messages[: thread.prompt], *request.messages[prompt:]])
        same, known = self.threads.find_longest(begins)
        return self._aligner(request, sent).under_another_prompt(whole(same or thread, known))

    def _aligner(self, request: Exchange, sent: list[int]) -> Aligner:
        latest = next(reversed(self.threads.all), None)
        return Aligner(request.messages, sent, latest, keyed=bool(request.conversation))

    def _align(self, begun: Alignment, request: Exchange, sent: list[int]) -> Alignment:
        """The thread the request goes on from; else one with the same beginning; else a new one."""
        prompt = prompt_length(request.messages)
        threads = dict.fromkeys([*self.threads.find_holders(sent[prompt:]), begun.thread])
        found = None if request.plan else self._aligner(request, sent).find(list(threads))
        if found or begun.new > prompt:
            return self._without_injected(found or begun, request)
        if gap := self._after_gap(request, sent):
            return gap
        if request.conversation:
            self.report.warn(UNRELATED, request.where)
        return whole(Thread(), 0)

    def _after_gap(self, request: Exchange, sent: list[int]) -> Alignment | None:
        """The only chat of the log, where a request shows a history and nothing of it is in those before it."""
        thread, prompt = next(reversed(self.threads.all)), prompt_length(request.messages)
        others = any(other.root is not thread.root for other in self.threads.all)
        if others or request.plan or not request.conversation or sent[:prompt] != thread.marks[: thread.prompt]:
            return None
        rest = request.messages[prompt:]
        if not any(message.metadata.get("compaction") for message in rest):  # a history that its provider compacted
            if isinstance(thread.held, range) or not any(message.role == "assistant" for message in rest):
                return None
            self.report.warn(GAP, request.where)
        return Alignment(thread, len(thread.messages), range(prompt), leading=prompt)

    def _go_on(self, found: Alignment, request: Exchange, sent: list[int]) -> None:
        """Continue what the request goes on from: all of a thread, or its beginning."""
        thread, answers = found.thread, request.messages[found.new : found.new + 1]
        if found.known == thread.asked and not found.goes_on and answers and answers[0].role == "assistant":
            self.report.warn(REWORDED, request.where)
            thread.unplaced = thread.requests[-1]
            self.threads.cut(thread, found.known)
        elif not found.goes_on and not answers:
            self._take_late(found, request, sent)
            return
        self._continue(found if found.goes_on else _branch(found, request), request, sent)

    def families(self) -> list[list[Thread]]:
        """The threads of each conversation, the latest used last."""
        found: dict[int, list[Thread]] = {}
        for thread in self.threads.all:
            found.setdefault(id(thread.root), []).append(thread)
        return list(found.values())

    def conversations(self, report: Report) -> Iterator[Conversation]:
        """One per root, on the path of its latest request, with the other paths as branches."""
        for family in sorted(self.families(), key=lambda family: -len(family[-1].messages)):
            _tell_once([request for thread in family for request in thread.requests], report)
            *others, newest = family
            report.records += len(newest.messages)
            if len(others) > MOST_BRANCHES:
                report.warn(f"{len(others) - MOST_BRANCHES:,} older branches left out", "")
            yield _conversation(newest, [_conversation(thread) for thread in others[: -MOST_BRANCHES - 1 : -1]])

    def _take_late(self, found: Alignment, request: Exchange, sent: list[int]) -> None:
        """Take a request whose answer the thread has already, because it was logged late; else it was answered anew."""
        thread, at = found.thread, found.known
        if request.answer and self.threads.marks_of(request.answer[:1]) != thread.marks[at : at + 1]:
            self._continue(_branch(found, request), request, sent)
            return
        thread.requests.append(request)
        if not request.plan:
            note_late(found, request.messages)
        if thread.messages[at].role == "assistant" and "usage" not in thread.messages[at].metadata:
            _place(thread, request, at)

    def _without_injected(self, found: Alignment, request: Exchange) -> Alignment:
        """Take out of the thread what a program had put there for the latest request; an edited message is a branch."""
        for at, edited in () if request.plan else find_lacking(found, request.messages):
            if edited:
                return found.up_to(at)
            found = self._take_out(found, at)
        return found

    def _take_out(self, found: Alignment, at: int) -> Alignment:
        thread = found.thread
        message, rest, marks = thread.messages[at], thread.messages[at + 1 :], thread.marks[at + 1 :]
        thread.injected[message.role, thread.asked - at] = message.content
        take_out(thread, at)
        self.threads.cut(thread, at)
        self.threads.extend(thread, rest, marks)
        thread.answered = {i - (i > at): answered for i, answered in thread.answered.items()}
        thread.root.opened = min(thread.root.opened, thread.asked)
        places = [place - (place > at) for place in found.places]
        return replace(found, known=found.known - (found.known > at), places=places)

    def _continue(self, found: Alignment, request: Exchange, sent: list[int]) -> None:
        """Append what the request adds to a thread it goes on from, and its answer. `sent`: marks of its messages."""
        thread = found.thread
        at = len(thread.messages)
        _take_spelling(found, request, thread.asked)
        injected = find_injected_again(thread, request.messages, found.new)
        new = [i for i in range(found.new, len(request.messages)) if i not in injected]
        added = [request.messages[i] for i in new]
        if added and added[-1].timestamp is None:
            added[-1] = replace(added[-1], timestamp=request.started)
        self.threads.extend(thread, added, [sent[i] for i in new])
        unlogged = [
            at + k
            for k in range(len(added))
            if added[k].role == "assistant" and (k == 0 or added[k - 1].role != "assistant")
        ]
        if thread.unplaced and unlogged[:1] == [at]:
            _place(thread, thread.unplaced, at)
            del unlogged[0]
        thread.fresh, thread.asked = at, len(thread.messages)
        thread.opened = thread.opened if thread.requests else thread.asked
        if not request.plan:
            note_unlogged(thread, unlogged)
            note_sent(found, request.messages, sent, new)
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


def _branch(found: Alignment, request: Exchange) -> Alignment:
    """A branch of what the request goes on from, as it has it: the calls that its results answer have its ids."""
    branched = replace(found, thread=Thread(found.thread, found.known))
    _take_spelling(branched, request, 0)
    return branched


def _take_spelling(found: Alignment, request: Exchange, asked: int) -> None:
    """Take what follows as the request repeats it: a client that writes arguments anew is counted by what it sends."""
    for i in range(found.new - 1, -1, -1):
        at = found.places[i]
        if NOWHERE < at < asked:
            break
        if at == NOWHERE or i in found.others:
            continue
        known, repeated = found.thread.messages[at], request.messages[i]
        if _words_and_ids(known) != _words_and_ids(repeated):
            content, calls, answered = _words_and_ids(repeated)
            found.thread.respell(at, replace(known, content=content, tool_calls=calls, tool_call_id=answered))


def _words_and_ids(message: Message) -> tuple[str, tuple[ToolCall, ...], str | None]:
    return message.content, message.tool_calls, message.tool_call_id


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
    if not any(request.plan for request in thread.requests):
        said |= sent_metadata(histories_in_log(thread))
    return Conversation(pair_by_order(messages), title, said, branches)


def _changes(before: Exchange, now: Exchange) -> dict[str, Any]:
    """The metadata of an answer whose request had other tools or another system prompt than the one before it."""
    tools, others = now.about.get(TOOLS), before.about.get(TOOLS)
    changed: dict[str, Any] = {TOOLS: tools} if tools and others and tools != others else {}  # a log may leave them out
    return changed | ({PROMPT_CHANGED: True} if now.prompt != before.prompt else {})
