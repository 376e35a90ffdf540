"""A log as HistoryLab reads it, compared with what was really sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.sent.logs import Held, LogFormat, Sent, in_order
from historylab import Conversation, as_sent, load
from historylab.conversation.sent import held_by_request, sent_histories
from historylab.errors import PlanError


@dataclass
class Judged:
    """What became of logs, and of their requests.

    `linked`: logs whose requests all repeat something of those before, beside the prompt: nothing else says that a
    request belongs to them. `whole`: of these, those that opened as the chats they are. The requests are of these, and
    any others that are read wrongly.
    `exact`: with just the messages that were sent; `unknown`: said not to be known; `unnamed`: of these without a
    reason; `wrong`: said to be known, and other than they were sent, or in no conversation.
    """

    logs: int = 0
    linked: int = 0
    whole: int = 0
    requests: int = 0
    exact: int = 0
    unknown: int = 0
    unnamed: int = 0
    wrong: int = 0
    conversations: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Judged) -> None:
        for name in ("logs", "linked", "whole", "requests", "exact", "unknown", "unnamed", "wrong", "conversations"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.faults += other.faults


@dataclass(frozen=True)
class Step:
    """A request as the timeline shows it; `why`: what isn't known of it."""

    messages: list[Held]
    known: bool
    why: str


def judge(log: Sequence[Sent], kind: LogFormat, *, chats: int = 1, branches: int = 0) -> Judged:
    """Load the log in that format and compare; it is of so many chats, with so many other paths."""
    requests = in_order(log)
    sent = [kind.as_held(request.messages) for request in requests]
    linked = is_linked(requests, sent, kind) or chats > 1
    found = Judged(logs=1, linked=int(linked), requests=len(sent))
    try:
        loaded = list(load(kind.written(log), name=kind.file))
        steps = [list(_steps(one, kind)) for root in loaded for one in (root, *root.branches)]
    except Exception as problem:  # a crash is a finding, too
        found.wrong, found.faults = len(sent), [f"{type(problem).__name__}: {problem}"]
        return found
    found.conversations = len(loaded)
    others = sum(len(one.branches) for one in loaded)
    found.whole = int(linked and found.conversations == chats and others == branches)
    if linked and not found.whole:
        found.faults.append(f"{len(loaded)} conversations with {others} branches, not {chats} with {branches}")
    matches = _in_order(sent, steps[0]) if len(steps) == 1 and len(steps[0]) == len(sent) else _anywhere(sent, steps)
    for k, (wanted, step) in enumerate(matches):
        _count(found, k, wanted, step)
    if not linked:
        found.requests, found.exact, found.unknown, found.unnamed = found.wrong, 0, 0, 0
    return found


def is_linked(log: Sequence[Sent], sent: Sequence[list[Held]], kind: LogFormat) -> bool:
    """Whether each request but the first repeats something that was sent or answered before, beside the prompt."""
    known = set[Held]()
    for request, messages in zip(log, sent, strict=True):
        said = {message for message in messages if message.role != "system"}
        if known and not said & known:
            return False
        known |= {*said, *([] if kind.bodies else kind.as_held([request.answer]))}
    return True


def _count(found: Judged, k: int, wanted: list[Held], step: Step | None) -> None:
    if step is not None and step.known and step.messages == wanted:
        found.exact += 1
    elif step is not None and not step.known:
        found.unknown += 1
        found.unnamed += not step.why
        found.faults.append(f"request {k + 1} isn't known ({step.why}); {_difference(wanted, step.messages)}")
    else:
        found.wrong += 1
        found.faults.append(f"request {k + 1} {_difference(wanted, step.messages) if step else 'is nowhere'}")


def _steps(conversation: Conversation, kind: LogFormat) -> Iterator[Step]:
    try:
        timeline = as_sent(conversation)
    except PlanError as refusal:  # nothing says so of a body by itself, which may as well be a chat
        for size in conversation.columns.requests.tolist():
            yield Step(kind.as_held(conversation[:size]), False, str(refusal))
        return
    held = held_by_request(conversation, sent_histories(conversation) or ())
    for step, (_, history) in zip(timeline.steps, held, strict=True):
        yield Step(kind.as_held(step.plan.render()), step.known, history.why)


def _in_order(sent: Sequence[list[Held]], steps: Sequence[Step]) -> Iterator[tuple[list[Held], Step | None]]:
    yield from zip(sent, steps, strict=True)


def _anywhere(
    sent: Sequence[list[Held]], conversations: Sequence[list[Step]]
) -> Iterator[tuple[list[Held], Step | None]]:
    """Each request with a step that shows it, else with one that ends in the same message and isn't known.

    A request that was sent twice is one step.
    """
    free = [step for steps in conversations for step in steps]
    for wanted in sent:
        match = next((step for step in free if step.known and step.messages == wanted), None)
        if not match:
            match = next((step for step in free if not step.known and step.messages[-1:] == wanted[-1:]), None)
            free = [step for step in free if step is not match]
        yield wanted, match


def _difference(wanted: list[Held], found: list[Held]) -> str:
    at = next((k for k, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), min(len(wanted), len(found)))
    where = f"has {len(found)} messages of {len(wanted)} sent; of these message {at + 1} is"
    return f"{where} {_excerpt(found[at : at + 1])}, not {_excerpt(wanted[at : at + 1])}"


def _excerpt(messages: Sequence[Held]) -> str:
    return (
        f"{messages[0].role}: {messages[0].text[:60]!r} {str(messages[0].calls or '')[:60]}".strip()
        if messages
        else "nothing"
    )
