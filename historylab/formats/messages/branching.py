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

Key = TypeVar("Key", bound=Hashable)


def paths(
    parents: Mapping[Key, Key | None], newest: Callable[[Key], Any], current: Key | None = None
) -> list[list[Key]]:
    """Paths from the beginning to every end: to `current` first, the others from new to old, at most MOST_BRANCHES.

    `newest` sorts ends. Links may form cycles: each path stops where it would meet itself.
    """
    followed = set(parents.values())
    ends = sorted((key for key in parents if key not in followed), key=newest, reverse=True)
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


def share_beginnings(found: Sequence[Sequence[Message]]) -> list[list[Message]]:
    """The lists, of which those that begin with equal messages begin with the same ones."""
    shared: list[list[Message]] = []
    for messages in found:
        known = max(shared, key=lambda other: same_beginning(messages, other), default=[])
        same = same_beginning(messages, known)
        shared.append([*known[:same], *messages[same:]])
    return shared


def join_resumed(found: Sequence[Conversation], report: Report) -> list[Conversation]:
    """The conversations, with a session that others go on from as one with these: the newest, the others as branches.

    Of them all the first messages are equal, ids and times included, as copied records have them.
    """
    alike: dict[tuple[str | None, ...], list[Conversation]] = {}
    for one in found:
        first = next((m for m in one if m.role != "system"), None)
        resumable = one.metadata.get("session") and not one.metadata.get(SIDECHAIN)
        key = (first.id, first.timestamp, first.content) if first and first.id and resumable else (str(id(one)),)
        alike.setdefault(key, []).append(one)
    return [group[0] if len(group) == 1 else _joined_sessions(group, report) for group in alike.values()]


def _joined_sessions(group: Sequence[Conversation], report: Report) -> Conversation:
    """The newest of them, with what others say besides as its branches."""
    newest, *older = sorted(group, key=lambda one: (moment(one[-1].timestamp), len(one)), reverse=True)
    for one in older:
        report.keep("sessions that another goes on from", one.title)
    more = [one for one in older if same_beginning(one, newest) < len(one)]
    everything = [newest, *more, *(branch for one in (newest, *older) for branch in one.branches)]
    resumed = [name for one in older if isinstance(name := one.metadata.get("session"), str)]
    about = {key: value for key, value in newest.metadata.items() if key != SENT_HISTORIES}
    sent = [sent_histories(one) or () for one in everything]
    return with_branches(share_beginnings(everything), newest.title, {**about, RESUMED: resumed}, report, sent)


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
