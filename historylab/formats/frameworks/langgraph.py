"""LangGraph: states and their history as JSON, and the SQLite database of its checkpoints.

    {"values": {"messages": […]}, "config": {"configurable": {"thread_id": "…", "checkpoint_id": "…"}}}

Every checkpoint holds all messages so far: the newest of a thread is the conversation, the ends of other branches
(`parent_checkpoint_id`) are its branches. Checkpoints are msgpack: what it names a class is read as the fields it has,
nothing is imported or called, and nothing pickled is opened. Source: langgraph-checkpoint 2 to 4, serde/jsonplus.py,
and langgraph-checkpoint-sqlite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.lineage import same_beginning
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.frameworks.langchain import most_named_provider
from historylab.formats.frameworks.langchain_messages import is_dumped_message, read_langchain_messages
from historylab.formats.frameworks.langgraph_checkpoints import TABLES, Snapshot, in_database, in_json
from historylab.formats.messages.branching import paths, share_beginnings, with_branches
from historylab.registry import register

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
            report.skip("a state with the checkpoint_id of one before it", snapshot.where)
    for (thread, namespace), snapshots in sorted(threads.items(), key=lambda item: item[0][1] != ""):  # subgraphs last
        yield _conversation(thread, namespace, snapshots, report)


def _conversation(thread: str, namespace: str, snapshots: dict[str, Snapshot], report: Report) -> Conversation:
    parents = {id: s.parent if s.parent in snapshots else None for id, s in snapshots.items()}
    held: list[list[tuple[str, Any]]] = []
    read: list[list[Message]] = []
    for path in paths(parents, lambda id: snapshots[id].age):
        records = _records(path, snapshots, report, newest=not held)
        read.append(_read(records, held, report))
        held.append(records)
    metadata = {"thread_id": thread, "checkpoint_ns": namespace, "provider": most_named_provider(read[0])}
    title = f"{thread}: {namespace.partition(':')[0]}" if namespace else thread
    return with_branches(
        share_beginnings(read), title, {key: value for key, value in metadata.items() if value}, report
    )


def _records(path: list[str], snapshots: dict[str, Snapshot], report: Report, newest: bool) -> list[tuple[str, Any]]:
    """The messages of the last checkpoint of a path, with their locations; of an earlier one if it has none."""
    end = snapshots[path[-1]]
    if end.values and not _channel(end.values):
        report.warn("a last state in which no messages were found", end.where)
    for id in reversed(path):
        snapshot = snapshots[id]
        values = snapshot.values
        if channel := _channel(values):
            if newest:
                _warn_of_removed(values[channel], [snapshots[each] for each in path], report)
            for name in values if newest else ():
                if name != channel and not name.startswith(INTERNAL):
                    report.keep(name, snapshot.where)
            return [(f"{snapshot.where} {channel}[{i}]".strip(), record) for i, record in enumerate(values[channel])]
    return []


def _warn_of_removed(records: list[Any], path: list[Snapshot], report: Report) -> None:
    """Warn of messages that the largest checkpoint before the newest had, and the newest hasn't any more."""
    largest = max(path, key=lambda snapshot: snapshot.size)
    before = largest.values.get(_channel(largest.values), [])
    if len(before) > len(records):
        report.warn("messages of an earlier checkpoint that were removed since, left out", largest.where)


def _channel(values: Any) -> str:
    """The part of a state that holds messages: `messages`, or the first that does."""
    if not isinstance(values, dict):
        return ""
    held = [name for name, value in values.items() if isinstance(value, list) and any(map(is_dumped_message, value))]
    held = [name for name in held if isinstance(name, str) and not name.startswith(INTERNAL)]
    return "messages" if "messages" in held else held[0] if held else ""


def _read(records: list[tuple[str, Any]], held: list[list[tuple[str, Any]]], report: Report) -> list[Message]:
    """The messages of a path. What it shares with one before it is counted once."""
    alone = [record for _, record in records]
    shared = max((same_beginning(alone, [record for _, record in other]) for other in held), default=0)
    return read_langchain_messages(records[:shared], Report()) + read_langchain_messages(records[shared:], report)
