"""Values said once in a chat that is cut: since when no request has them, and what `why` says of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from claude_sessions import Session, call, result, text, usage

from benchmarks.sent.chats import Chat, Record
from benchmarks.sent.logs import FORMATS, Sent
from benchmarks.sent.rules import SUMMARY, Compaction, MakeRule, Rule
from historylab import Conversation, Settings, as_sent, load, replay
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.replay import Timeline
from historylab.recall.why import Why, explain_words

BOUNDARY = {"trigger": "auto", "preTokens": 90_000}
NEVER_SAID = "VX-000001-R"
SETTINGS = {
    "the last 3 turns": Settings(length=3),
    "a budget": Settings(policy="all", pruner="fifo", budget=600),
    "a summary": Settings(policy="all", pruner="summarize", budget=600),
}
TOOLS, PEOPLE, MODELS = "a tool's result", "a question", "an answer"
ROLES = {"tool": TOOLS, "user": PEOPLE, "assistant": MODELS}


@dataclass(frozen=True)
class Planted:
    """A chat with a value in one of its messages, which `by` said."""

    chat: Chat
    at: int
    value: str

    @property
    def by(self) -> str:
        return ROLES[self.chat.records[self.at]["role"]]


@dataclass(frozen=True)
class Truth:
    """What a request had of the value: `None` for `gone_since` and `removed_by` where a message of it says it."""

    request: int
    sent: bool
    in_summary: bool
    gone_since: int | None
    removed_by: str | None


@dataclass
class Answers:
    """Questions asked, and how many answers name the request, what removed it, and what holds it as it was.

    `named`: answers with settings that would keep it; `kept`: of these, those under which the request really has it.
    """

    asked: int = 0
    there: int = 0
    request: int = 0
    cause: int = 0
    held: int = 0
    right: int = 0
    named: int = 0
    kept: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Answers) -> None:
        self.faults += other.faults
        for name in ("asked", "there", "request", "cause", "held", "right", "named", "kept"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def planted(chat: Chat) -> Iterator[Planted]:
    """The chat with a value in an early message of each kind."""
    chance = random.Random(chat.name)
    early = range(1, chat.asked[len(chat.asked) // 2])
    for role in ROLES:
        at = [k for k in early if chat.records[k]["role"] == role and not chat.records[k].get("tool_calls")]
        if at:
            yield _plant(chat, chance.choice(at), f"VX-{chance.randrange(10**5, 10**6)}-{chance.choice('KLMNPQ')}")


def _plant(chat: Chat, at: int, value: str) -> Planted:
    said = {**chat.records[at], "content": f"{chat.records[at]['content']} The locker is {value}."}
    return Planted(replace(chat, records=[*chat.records[:at], said, *chat.records[at + 1 :]]), at, value)


# -- what was sent, by rules of apps


def as_logged(one: Planted, make: MakeRule) -> tuple[Timeline, list[Truth]]:
    """The chat as an app trims it, in a log; and what each request since then had of the value."""
    rule = make(one.chat.tokens)
    log = [Sent(rule(one.chat.records[:at]), one.chat.records[at], "s") for at in one.chat.asked]
    kind = FORMATS[0]
    (conversation,) = load(kind.written(log), name=kind.file)
    truths = list(_truths(one, [sent.messages for sent in log]))
    if not any(one.value in str(m["content"]) for sent in log for m in (*sent.messages, sent.answer)):
        truths = [replace(truth, gone_since=None, removed_by=None) for truth in truths]  # cut before it was ever sent
    return as_sent(conversation), truths


def keeping(value: str) -> MakeRule:
    """A compaction whose summary has the value once the message that says it is gone."""

    def make(_tokens: int) -> Rule:
        return _Keeping("user", value=value)

    return make


@dataclass
class _Keeping(Compaction):
    value: str = ""

    def __call__(self, said: Sequence[Record]) -> list[Record]:
        sent = super().__call__(said)
        gone = said[: len(said) - len(sent) + 1]
        if not self.text or not any(self.value in str(record["content"]) for record in gone):
            return sent
        return [{**m, "content": f"{m['content']} The locker: {self.value}."} if _is_summary(m) else m for m in sent]


def _truths(one: Planted, sent: Sequence[Sequence[Record]]) -> Iterator[Truth]:
    """Per request since the value was said."""
    since = _Since()
    for request, (messages, at) in enumerate(zip(sent, one.chat.asked, strict=True)):
        if at > one.at:
            holders = [m for m in messages if one.value in str(m["content"])]
            said = any(not _is_summary(m) for m in holders)
            cause = "compaction" if any(map(_is_summary, messages)) else "cut"
            yield since.see(request, said, bool(holders) and not said, cause)


@dataclass
class _Since:
    """Since when no message has a value, and since when no summary has it either; with the cause of each."""

    message: tuple[int, str] | None = None
    anything: tuple[int, str] | None = None

    def see(self, request: int, said: bool, in_summary: bool, cause: str) -> Truth:
        self.message = None if said else self.message or (request, cause)
        self.anything = None if said or in_summary else self.anything or (request, cause)
        gone, removed_by = (self.message if in_summary else self.anything) or (None, None)
        return Truth(request, said, in_summary, gone, removed_by)


def _is_summary(record: Record) -> bool:
    return SUMMARY in str(record["content"])


# -- what was sent, by an agent and by settings


def as_compacted(one: Planted) -> tuple[Timeline, list[Truth]]:
    """The chat as a session of Claude Code that was compacted at two thirds; and what each request had."""
    cut = one.chat.asked[len(one.chat.asked) * 2 // 3]
    (conversation,) = _session(one.chat, cut).load()
    return as_sent(conversation), list(_session_truths(one, conversation, cut))


def _session_truths(one: Planted, conversation: Conversation, cut: int) -> Iterator[Truth]:
    boundary = next(i for i, m in enumerate(conversation) if m.metadata.get("compact_summary"))
    gone = int(conversation.columns.requests.searchsorted(boundary, side="right"))
    for request, size in enumerate(conversation.columns.requests.tolist()):
        if any(one.value in m.content for m in conversation[:size]):
            sent = request < gone or one.at >= cut
            yield Truth(request, sent, False, None if sent else gone, None if sent else "compaction")


def _session(chat: Chat, cut: int) -> Session:
    session = Session()
    for k, record in enumerate(chat.records):
        if k == cut:
            session.put("system", parent=None, subtype="compact_boundary", compactMetadata=BOUNDARY)
            session.put("user", f"{SUMMARY}it was about many things.", isCompactSummary=True)
        if record["role"] == "system":
            continue
        if record["role"] == "tool":
            session.put("user", [result(record["tool_call_id"], record["content"])])
        elif record["role"] == "user":
            session.put("user", record["content"])
        else:
            blocks: list[Any] = [text(record["content"])] if record["content"] else []
            for used in record.get("tool_calls", ()):
                function = used["function"]
                blocks.append(call(function["name"], used["id"], **json.loads(function["arguments"])))
            session.put(
                "assistant", blocks, reply=f"m{k}", usage=usage(9, reads=20_000 + 50 * k), model="claude-sonnet-4-5"
            )
    return session


def as_replayed(one: Planted, settings: Settings) -> tuple[Timeline, list[Truth]]:
    """The chat under settings of ours; and what each request has of the value."""
    timeline = replay(Conversation(to_messages(one.chat.records)), settings)
    return timeline, list(_replayed_truths(one, timeline))


def _replayed_truths(one: Planted, timeline: Timeline) -> Iterator[Truth]:
    since = _Since()
    for request, plan in enumerate(timeline.plans):
        if plan.size > one.at:
            summary = plan.summary.text if plan.summary else ""
            said = any(one.value in m.content and m.content != summary for m in plan.render())
            yield since.see(request, said, one.value in summary and not said, "setting")


# -- asking


def ask(one: Planted, made: Callable[[], tuple[Timeline, list[Truth]]]) -> Answers:
    """Ask of the first request since it was said, the last, and one where it had just gone; and of what nobody said."""
    try:
        timeline, truths = made()
    except Exception as problem:  # a log that can't be opened, or not as one conversation
        return Answers(1, faults=[f"{type(problem).__name__}: {problem}"])
    found = Answers()
    gone = [truth for truth in truths if truth.gone_since == truth.request][:1]
    for truth in {truth.request: truth for truth in (truths[0], *gone, truths[-1])}.values():
        why = explain_words(timeline, one.value, truth.request)
        found.add(_judge(truth, why))
        if why.would_keep:
            found.named += 1
            found.kept += _is_kept(one, timeline, why)
    never = Truth(len(timeline.plans) - 1, False, False, None, None)
    found.add(_judge(never, explain_words(timeline, NEVER_SAID)))
    return found


def _is_kept(one: Planted, timeline: Timeline, why: Why) -> bool:
    plan = replay(timeline.original, Settings(**(why.would_keep or {}))).plans[why.at_request]
    return any(one.value in message.content for message in plan.render())


def _judge(truth: Truth, why: Why) -> Answers:
    held = "message" if truth.sent else "summary" if truth.in_summary else None
    right = (
        why.gone_since == truth.gone_since,
        why.removed_by == truth.removed_by,
        bool(why.sent) == truth.sent and why.held_by == held,
    )
    faults = [] if all(right) else [f"{truth}, but {why}"]
    return Answers(1, int(truth.sent), *map(int, right), int(all(right)), faults=faults)
