"""Branches: the paths through a tree of messages, of which the newest is the conversation and the others are offered.

A record names the one it follows. Each end of the tree is the end of one path from the beginning: rewinds, edits and
regenerated answers leave several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from historylab.conversation.conversation import Conversation
from historylab.conversation.lineage import same_beginning
from historylab.conversation.message import Message, instant
from historylab.conversation.recorded import RESUMED, SIDECHAIN
from historylab.conversation.sent import SENT_HISTORIES, SentHistory, sent_histories, sent_metadata
from historylab.formats.base import Report
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.titles import opening

MOST_BRANCHES = 20
"""Branches offered of one conversation: the newest."""

FORKED_FROM = "forked_from"
"""Key of a conversation's metadata: the session whose history it began with."""

Key = TypeVar("Key", bound=Hashable)


def paths(
    parents: Mapping[Key, Key | None], newest: Callable[[Key], Any], current: Key | None = None
) -> list[list[Key]]:
    """Paths from the beginning to every end: to `current` first, the others from new to old, at most MOST_BRANCHES.

    `newest` sorts ends. Links may form cycles: each path stops where it would meet itself.
    """
    followed = set(parents.values())
    ends = [key for key in parents if key not in followed]
    if len(ends) > 1:
        ends.sort(key=newest, reverse=True)
    if current in parents and current is not None:
        ends = [current, *(end for end in ends if end != current)]
    elif not ends:  # nothing but a cycle
        ends = list(parents)[-1:]
    return [_path(parents, end) for end in ends[: MOST_BRANCHES + 1]]


def _path(parents: Mapping[Key, Key | None], end: Key) -> list[Key]:
    found: dict[Key, None] = {}
    on: Key | None = end
    while on is not None and on in parents and on not in found:
        found[on] = None
        on = parents[on]
    return list(found)[::-1]


def with_branches(
    found: Sequence[Sequence[Message]],
    title: str,
    metadata: Mapping[str, Any],
    report: Report,
    sent: Sequence[Sequence[SentHistory]] = (),
) -> Conversation:
    """The first of these lists of messages as a conversation, the others as its branches, titled by where they fork.

    A branch that adds nothing to a path before it is left out. `sent`: the cuts of each, where there are any.
    """
    about = [{**metadata, **sent_metadata(each)} if each else metadata for each in (*sent, *[()] * len(found))]
    main, known = list(found[0]), {id(message) for message in found[0]}
    branches = []
    for other, said in zip(found[1 : MOST_BRANCHES + 1], about[1:], strict=False):
        if any(id(message) not in known for message in other):
            known |= set(map(id, other))
            branches.append(Conversation(other, _fork_title(main, other), said))
            report.keep("other branches", branches[-1].title)
    return Conversation(main, title, about[0], branches)


def share_beginnings(
    found: Sequence[Sequence[Message]], key: Callable[[Message], Any] = lambda message: message
) -> list[list[Message]]:
    """The lists, where those that begin with messages of equal keys now begin with the same ones."""
    shared: list[list[Message]] = []
    keys: list[list[Any]] = []
    for messages in found:
        keys.append([key(message) for message in messages])
        same, known = max(((same_beginning(keys[-1], keys[i]), i) for i in range(len(shared))), default=(0, 0))
        shared.append([*(shared[known][:same] if same else ()), *messages[same:]])
    return shared


def join_resumed(found: Sequence[Conversation], report: Report) -> list[Conversation]:
    """The conversations, with a session that others go on from as one with these: the newest, the others as branches.

    A session goes on from another if it says so, or if the first message of both is the same one, by its id and time.
    """
    sessions = {one.metadata["session"]: one for one in found if _is_resumable(one)}
    alike: dict[Hashable, list[Conversation]] = {}
    for one in found:
        origin = _origin_of(one, sessions)
        first = next((m for m in origin if m.role != "system"), None)
        copied = _is_resumable(origin) and first is not None and first.id
        alike.setdefault((first.id, first.timestamp, first.content) if first and copied else id(origin), []).append(one)
    return [group[0] if len(group) == 1 else _joined_sessions(group, report) for group in alike.values()]


def _origin_of(one: Conversation, sessions: Mapping[str, Conversation]) -> Conversation:
    """The first session of those that it says it goes on from; a sub-agent that began with its caller's history is
    none that goes on from it."""
    seen = set[int]()
    while _is_resumable(one) and id(one) not in seen and (name := str(one.metadata.get(FORKED_FROM))) in sessions:
        seen.add(id(one))
        one = sessions[name]
    return one


def _is_resumable(one: Conversation) -> bool:
    return isinstance(one.metadata.get("session"), str) and one.metadata.get(SIDECHAIN) is not True


def _joined_sessions(group: Sequence[Conversation], report: Report) -> Conversation:
    """The newest of them, with what others say besides as its branches."""
    newest, *older = sorted(group, key=lambda one: (moment(one[-1].timestamp), len(one)), reverse=True)
    for one in older:
        report.keep("sessions that another goes on from", one.title)
    known = [*map(_copied_parts, newest)]
    others = (*older, *(branch for one in (newest, *older) for branch in one.branches))
    more = [one for one in others if same_beginning([*map(_copied_parts, one)], known) < len(one)]
    for one in more[MOST_BRANCHES:]:
        report.warn("a branch older than those offered", one.title)
    everything = [newest, *more[:MOST_BRANCHES]]
    resumed = [name for one in older if isinstance(name := one.metadata.get("session"), str)]
    about = {key: value for key, value in newest.metadata.items() if key != SENT_HISTORIES}
    sent = [sent_histories(one) or () for one in everything]
    shared = share_beginnings(everything, _copied_parts)
    return with_branches(shared, newest.title, {**about, RESUMED: resumed}, report, sent)


def _copied_parts(message: Message) -> Any:
    """The parts that a message shares with its copy in another session's file, which may have a time of its own."""
    return message.role, message.content, message.tool_calls, message.tool_call_id, message.id


def _fork_title(main: Sequence[Message], other: Sequence[Message]) -> str:
    """Where a path leaves the newest one: "from message 12: No, the other file"."""
    at = next((i for i, (a, b) in enumerate(zip(main, other, strict=False)) if a is not b), min(len(main), len(other)))
    first = other[at] if at < len(other) else None
    words = opening(first.content or ", ".join(call.name for call in first.tool_calls)) if first else ""
    return f"from message {at + 1:,}" + (f": {words}" if words else "")


def moment(raw: Any) -> float:
    """A time in seconds, to sort ends by; 0 if there is none."""
    seconds = instant(iso_time(raw))
    return 0.0 if math.isnan(seconds) else seconds


def join_texts(texts: Iterable[str]) -> str:
    """Texts joined by newlines, without the empty ones."""
    return "\n".join(filter(None, texts))
