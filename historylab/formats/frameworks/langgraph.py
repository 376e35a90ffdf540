"""LangGraph: states and their history as JSON, and the SQLite database of its checkpoints.

    {"values": {"messages": […]}, "config": {"configurable": {"thread_id": "…", "checkpoint_id": "…"}}}

Every checkpoint holds all messages so far: the newest of a thread is the conversation, the ends of other branches
(`parent_checkpoint_id`) are its branches. One that lacks older messages of the one before says what was sent since.
Checkpoints are msgpack: what it names a class is read as the fields it has, nothing is imported or called, and nothing
pickled is opened. Source: langgraph-checkpoint 2 to 4, serde/jsonplus.py, and langgraph-checkpoint-sqlite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.lineage import same_beginning
from historylab.conversation.message import Message
from historylab.conversation.sent import RecordedCut, SentHistory, as_summary
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.frameworks.langchain import is_dumped_message, most_named_provider, read_langchain_messages
from historylab.formats.frameworks.langgraph_checkpoints import TABLES, Snapshot, in_database, in_json
from historylab.formats.messages.branching import paths, share_beginnings, with_branches
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.sent_view import FoundMessages, Sent, SentView, find_messages
from historylab.registry import register

CUT = RecordedCut(by="LangGraph")
INTERNAL = ("__", "branch:", "start:", "join:")  # how the names of LangGraph's own channels begin


def looks_like_langgraph(content: Content) -> float:
    """1 for the tables of its checkpoints, or for states that hold LangChain's messages."""
    if content.tables:
        return 1 if all(columns <= content.tables.get(table, frozenset()) for table, columns in TABLES.items()) else 0
    return 1 if any(_channel(snapshot.values) for snapshot in in_json(content.values, Report())) else 0


@register(
    "format",
    title="LangGraph states and checkpoints",
    recognise=looks_like_langgraph,
    marks="channel_values checkpoint_id",
)
def langgraph(content: Content, report: Report) -> Iterator[Conversation]:
    """Threads of LangGraph, from an SQLite database of checkpoints or from states as JSON."""
    found = in_database(content, report) if content.tables else in_json(content.values, report)
    threads: dict[tuple[str, str], dict[str, Snapshot]] = {}
    for snapshot in found:
        known = threads.setdefault((snapshot.thread, snapshot.namespace), {})
        if known.setdefault(snapshot.id, snapshot) is not snapshot:
            report.pass_over("a state with the checkpoint_id of one before it", snapshot.where)
    for (thread, namespace), snapshots in sorted(threads.items(), key=lambda item: item[0][1] != ""):  # subgraphs last
        yield _conversation(thread, namespace, snapshots, report)


def _conversation(thread: str, namespace: str, snapshots: dict[str, Snapshot], report: Report) -> Conversation:
    parents = {id: s.parent if s.parent in snapshots else None for id, s in snapshots.items()}
    held: list[list[Located]] = []
    read: list[list[Message]] = []
    sent: list[list[SentHistory]] = []
    for path in paths(parents, lambda id: snapshots[id].age):
        states = [snapshots[id] for id in path]
        records = _records(states, report, newest=not held)
        said = _Thread(report)
        for state in _states_at_falls(states):
            said.add(read_langchain_messages(_locate_messages(state), Report()))
        newest = _read(records, held, report)
        said.add(newest)
        report.records += max(0, len(said.messages) - len(newest))
        read.append(said.messages)
        sent.append(said.view.histories)
        held.append(records)
    metadata = {"thread_id": thread, "checkpoint_ns": namespace, "provider": most_named_provider(read[0])}
    title = f"{thread}: {namespace.partition(':')[0]}" if namespace else thread
    about = {key: value for key, value in metadata.items() if value}
    return with_branches(share_beginnings(read), title, about, report, sent)


class _Thread:
    """The messages of a thread, though later states hold fewer, and the history sent from there on."""

    def __init__(self, report: Report):
        self._report = report
        self.messages: list[Message] = []
        self.view = SentView()

    def add(self, state: list[Message]) -> None:
        """Take the messages of the next state."""
        held, found = self.view.at(len(self.messages)), find_messages(state, self.messages)
        known = [k for k, each in enumerate(found.order) if not isinstance(each, Message)]
        kept = [found.order[k] for k in known]
        if kept and set(kept) < set(held) and kept == held[: len(kept)]:  # the newest were taken back
            self._report.warn("messages of an earlier checkpoint that were removed since, left out", "")
            self.messages = self.messages[: max(i for i in kept if not isinstance(i, Message)) + 1]
            self.view = self.view.take_back(len(self.messages))
        elif not set(held) <= set(kept):
            self._cut(state, found, known[-1] + 1 if known else 0)
            return
        elif found.shortened:
            self.view.put(len(self.messages), held, None, shortened={**self.view.shortened, **found.shortened})
        self.messages += [each for each in found.order if isinstance(each, Message)]

    def _cut(self, state: list[Message], found: FoundMessages, stop: int) -> None:
        """Go on with what a state holds: what is new before what it kept is a summary; what follows was said since."""
        order, summary = list[Sent](), None
        for each in found.order[:stop]:
            if isinstance(each, Message):
                if summary is None and each.role in ("user", "system"):
                    summary = len(self.messages)
                    each = as_summary(each)  # noqa: PLW2901
                order.append(len(self.messages))
                self.messages.append(each)
            else:
                order.append(each)
        shortened = {**self.view.shortened, **found.shortened}
        self.view.put(len(self.messages), order, CUT, summary=summary, shortened=shortened)
        self.messages += state[stop:]


def _states_at_falls(path: list[Snapshot]) -> list[Snapshot]:
    """The states before and after which something was removed, as their sizes tell without decoding them."""
    falls = [k for k in range(1, len(path)) if path[k].size < path[k - 1].size]
    return [path[k] for k in sorted({*falls, *(k - 1 for k in falls)}) if _channel(path[k].values)]


def _locate_messages(snapshot: Snapshot) -> list[Located]:
    """The messages of a state with their places."""
    return [*located_items([(snapshot.where, snapshot.values)], _channel(snapshot.values))]


def _records(path: list[Snapshot], report: Report, newest: bool) -> list[Located]:
    """The messages of the last checkpoint of a path, with their locations; of an earlier one if it has none."""
    if path[-1].values and not _channel(path[-1].values):
        report.warn("a last state in which no messages were found", path[-1].where)
    held = next((snapshot for snapshot in reversed(path) if _channel(snapshot.values)), None)
    if not held:
        return []
    for name in held.values if newest else ():
        if name != _channel(held.values) and not name.startswith(INTERNAL):
            report.keep(name, held.where)
    return _locate_messages(held)


def _channel(values: Any) -> str:
    """The part of a state that holds messages: `messages`, or the first that does."""
    if not isinstance(values, dict):
        return ""
    held = [name for name, value in values.items() if isinstance(value, list) and any(map(is_dumped_message, value))]
    held = [name for name in held if isinstance(name, str) and not name.startswith(INTERNAL)]
    return "messages" if "messages" in held else held[0] if held else ""


def _read(records: list[Located], held: list[list[Located]], report: Report) -> list[Message]:
    """The messages of a path. What it shares with one before it is counted once."""
    alone = [record for _, record in records]
    shared = max((same_beginning(alone, [record for _, record in other]) for other in held), default=0)
    return read_langchain_messages(records[:shared], Report()) + read_langchain_messages(records[shared:], report)
