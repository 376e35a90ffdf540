"""Reads records by a shape: who speaks, with which words, calls and results, and on which branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import SHOWN_ONLY, Message, revise
from historylab.conversation.recorded import TOOLS
from historylab.conversation.sent import SentHistory
from historylab.conversation.usage import MODEL, model_name
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.files.parquet_rows import MAX_ROW_BYTES, is_parquet, parquet_rows
from historylab.formats.messages.answers import AnswerParts, with_usage
from historylab.formats.messages.branching import with_branches
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.kept_records import with_record
from historylab.formats.messages.paths import Located, each_path, holds, lists_at, picked_at, value_at, values_at
from historylab.formats.messages.speakers import is_name
from historylab.formats.messages.usage import to_usage
from historylab.formats.messages.walker import (
    are_silent,
    call_at,
    prompt_beside,
    result_at,
    says_failed,
    table_of,
    text_at,
    walk_parts,
    words_in,
)
from historylab.formats.plain.csv_table import rows_of_table
from historylab.formats.shapes.casting import calls_said, cast_speakers, is_there, objects_at, word_at
from historylab.formats.shapes.cuts import find_cuts, find_restated
from historylab.formats.shapes.proposals import find_lists
from historylab.formats.shapes.shape import THINKING, Shape
from historylab.formats.shapes.threads import RecordTree
from historylab.formats.titles import first_question

MOST_LISTS = 5
"""Lists of a file that are named to whoever names one that it lacks."""
FIRST = 20
"""Records beside the messages, such as a header, that are looked at for a model, tools or a title."""


def read_shaped(
    shape: Shape, values: list[Located], report: Report, beside: tuple[Any, ...] = ()
) -> Iterator[Conversation]:
    """The conversations in located values, as a shape says. Fields it doesn't name are counted as not read.

    Objects `beside` the values tell of each conversation what those around its list don't.
    Of speakers whose role neither the shape nor the word for them says, the one who answers is the assistant.
    """
    found = lists_at(values, shape.items)
    roles = cast_speakers(shape, [item for _, items, _ in found for _, item in items], report)
    reader = _Reader(shape, roles, report)
    for _, items, around in found:
        groups: dict[str, list[Located]] = {}
        for where, item in items:
            groups.setdefault(text_at(item, shape.conversation), []).append((where, item))
        for label, group in groups.items():
            group.sort(key=lambda each: not holds(each[1], shape.first) if shape.first else 0)
            yield reader.conversation(group, label, (*around, *beside))


def read_mapped(shape: Shape, content: Content, report: Report) -> Iterator[Conversation]:
    """The conversations of a content by a shape: JSON values, or the rows of a table."""
    values = _values(content)
    if shape.items and not lists_at(values, shape.items):
        lists = [f"`{path[:60]}`" for path in dict.fromkeys(path for path, _ in find_lists(values)) if path]
        if lists:
            wanted = " or ".join(f"`{path[:60]}`" for path in each_path(shape.items)[:MOST_LISTS])
            raise LoadError(f"no list {wanted} is in this file; it has {', '.join(lists[:MOST_LISTS])}")
    yield from read_shaped(shape, values, report)


def _values(content: Content) -> list[Located]:
    if is_parquet(content):
        return list(parquet_rows(content).rows(most=MAX_ROW_BYTES))
    try:
        return content.values
    except LoadError:
        if content.text.lstrip()[:1] not in "[{" and (rows := list(rows_of_table(content.text))):
            return list(rows)
        raise


class _Reader:
    """One shape, and the roles of its speakers."""

    def __init__(self, shape: Shape, roles: Mapping[str, str], report: Report):
        self._shape, self._roles, self._report = shape, roles, report
        self._read, self._table = _fields_read(shape), table_of(shape.kinds)
        self._words = shape.worded
        self._answered = frozenset[str]()  # calls whose results are records of their own

    def conversation(self, group: list[Located], label: str, around: tuple[Any, ...]) -> Conversation:
        """The conversation that these records are, with its branches."""
        tree, beside = RecordTree(self._shape), list[Any]()
        self._answered = frozenset(text_at(item, self._shape.answers) for _, item in group)
        for where, item in group:
            found = self._messages(item, where)
            if not found and len(beside) < FIRST:
                beside.append(item)
            tree.add(where, item, found)
        metadata, title = self._facts(beside, around)
        if label:
            metadata[each_path(self._shape.conversation)[0]] = label
        ways = tree.ways(around, self._report)
        threads = [tree.thread(way) for way in ways]
        if (prompt := prompt_beside(around)) and not any(m.role == "system" for m in threads[0]):
            self._report.records += 1
            threads = [[Message("system", prompt), *said] for said in threads]
        cuts = [self._cuts(tree, way, said, around) for way, said in zip(ways, threads, strict=True)]
        return with_branches(threads, title or label or first_question(threads[0]), metadata, self._report, cuts)

    def _cuts(
        self, tree: RecordTree, way: list[tuple[Any, Any]], said: list[Message], around: tuple[Any, ...]
    ) -> list[SentHistory]:
        shape, by = self._shape, self._report.format
        if not shape.cuts:
            return []
        stops = tree.stops(way)
        added = len(said) - max(stops.values(), default=0)  # a prompt that stands beside the records
        stops = {key: stop + added for key, stop in stops.items()}
        if "history" not in shape.cuts:
            return find_cuts(shape, way, said, stops, by)
        whole = replace(shape, items="", cuts={})

        def read(history: list[Any]) -> list[Message]:
            return [m for one in read_shaped(whole, [("", history)], self._report.apart()) for m in one]

        return find_restated(shape, around, [*stops.values()], said, by, read)

    def _facts(self, beside: list[Any], around: tuple[Any, ...]) -> tuple[dict[str, Any], str]:
        """The model, tools and title that stand beside the messages."""
        places = [*beside, *around]
        model = next((name for each in places if (name := model_name(value_at(each, self._shape.model)))), None)
        tools = next((found for each in places if isinstance(found := value_at(each, self._shape.tools), list)), None)
        title = next((found for each in places if (found := text_at(each, self._shape.title))), "")
        return {**({MODEL: model} if model else {}), **({TOOLS: tools} if tools else {})}, title

    def _messages(self, item: Any, where: str) -> list[Message]:
        shape, report = self._shape, self._report
        if not isinstance(item, dict):
            report.skip(f"{kind_of(item)}, not an object", where)
            return []
        for path, values in shape.only.items():
            if (found := value_at(item, path)) not in values:
                known = found is not None and not (word_at(item, shape.role) and self._has_words(item))
                refuse = report.pass_over if known else report.skip
                refuse(f"a record whose {path} is {_show(found)}, not a message", where)
                return []
        word = word_at(item, shape.role)
        if not word:
            report.skip("no role", where)
            return []
        if self._roles.get(word) != "tool" and not self._has_words(item):
            report.pass_over(f"a record of {_show(word)} without words", where)
            return []
        before = report.warned
        report.leave(item, self._read, where)
        found = self._message(item, word, where)
        if not found:
            report.pass_over(f"a record of {_show(word)} that says nothing", where)
            return []
        report.records += 1
        return with_record(found, item, report.warned > before)

    def _has_words(self, item: Any) -> bool:
        return any(is_there(item, path) for path in self._words)

    def _message(self, item: dict[str, Any], word: str, where: str) -> list[Message]:
        shape, report = self._shape, self._report
        role = self._roles.get(word, word)
        thinks = role == THINKING
        role = "assistant" if thinks else role
        said = AnswerParts(
            id=text_at(item, shape.id) or None,
            timestamp=self._time(item, where),
            metadata=self._marks(item, role),
            role=role,
            late=True,
            name=text_at(item, shape.name) or (word if not shape.name and is_name(word) else None),
        )
        said.think("\n".join(words_in(value)[0] for value in values_at(item, shape.thinking)))
        text, media = words_in(_unwrap(values_at(item, shape.text)))
        said.say(text)
        said.media += media
        parts = value_at(item, shape.parts)
        own = parts if isinstance(parts, list) else [] if parts is None else [parts]
        walk_parts(own, shape.kind, self._table, said, where, report)
        if thinks:
            said.thoughts, said.texts = [*said.thoughts, *said.texts], []
        for call in calls_said(item, shape.calls):
            said.call(call_at(call, shape.calls))
        for result in objects_at(item, shape.results):
            found = result_at(result, shape.results)
            if found and found.tool_call_id not in self._answered:
                said.add_result(found)
        if said.calls and role not in ("user", "system"):
            said.role = "assistant"  # as its word may name a tool's call
        elif role not in ROLE_CODES:
            report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
        return self._finish(said, item, where)

    def _marks(self, item: dict[str, Any], role: str) -> dict[str, Any]:
        """The metadata of what a program put there, or of an answer that broke off."""
        if role == "user" and holds(item, self._shape.injected):
            return {"injected": True}
        return {SHOWN_ONLY: True} if role == "assistant" and holds(item, self._shape.unsent) else {}

    def _finish(self, said: AnswerParts, item: dict[str, Any], where: str) -> list[Message]:
        shape, report = self._shape, self._report
        answers = not said.calls and is_there(item, shape.answers or None)
        if answers or (said.role == "tool" and len(said.results) < 2):
            return [self._result(said, item)]
        if said.role == "user" and said.results:  # as APIs have them: before what is said beside them
            results, said.results = said.results, []
            rest = said.messages() if said.texts or said.media else []
            return [*(revise(m, timestamp=said.timestamp) for m in results), *rest]
        alone = said.results and not (said.texts or said.calls or said.thoughts or said.media or said.made)
        messages = [m if m.timestamp else revise(m, timestamp=said.timestamp) for m in said.messages()]
        if alone:
            return [m for m in messages if m.role == "tool"]
        if not any(m.content or m.tool_calls or m.media or m.metadata.get("thinking") for m in messages):
            if said.role == "user" and are_silent(value_at(item, shape.parts), shape.kind, shape.kinds):
                return []
            report.warn("empty content", where)
        if said.role != "assistant":
            return messages
        messages, fits = with_usage(messages, self._usage(item))
        if not fits:
            report.warn("usage that several requests share, not read", where)
        model = model_name(value_at(item, shape.model))
        return [_by_model(m, model) if model and m.role == "assistant" else m for m in messages]

    def _result(self, said: AnswerParts, item: dict[str, Any]) -> Message:
        """A record that is itself a result."""
        inner = said.results[0] if said.results else Message("tool")
        text = "\n".join(filter(None, (*said.texts, inner.content)))
        call = text_at(item, self._shape.answers) or inner.tool_call_id
        media = (*said.media, *inner.media)
        _, path = picked_at(item, self._shape.answers or self._shape.text or self._shape.parts)
        about = {"is_error": True} if says_failed(item, path) else inner.metadata
        return Message("tool", text, said.id, said.name, (), call, media, said.timestamp, metadata=about)

    def _time(self, item: Any, where: str) -> str | None:
        given = value_at(item, self._shape.time)
        time = iso_time(given)
        if given is not None and time is None:
            self._report.warn("a timestamp that is no time", where)
        return time

    def _usage(self, item: Any) -> dict[str, int] | None:
        at = self._shape.usage
        if isinstance(at, Mapping):
            counts = {name: value_at(item, path) for name, path in at.items()}
            found = {name: count for name, count in counts.items() if type(count) is int and count > 0}
            return {"input": 0, "output": 0, "cache_reads": 0, "cache_writes": 0, **found} if found else None
        return to_usage(value_at(item, at))


def _by_model(message: Message, model: str) -> Message:
    return revise(message, metadata={**message.metadata, MODEL: model})


def _unwrap(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values or None


def _show(value: Any) -> str:
    return f"{value[:40]!r}" if isinstance(value, str) else kind_of(value)


def _fields_read(shape: Shape) -> frozenset[str]:
    """The fields of a record that it reads, under every spelling of a path."""
    given: list[Any] = [shape.role, shape.text, shape.name, shape.time, shape.id, shape.conversation, shape.thinking]
    given += [shape.parts, shape.answers, shape.model, shape.parent, shape.tools, shape.title, tuple(shape.only)]
    given += [tuple(shape.injected), tuple(shape.unsent)]
    for at in (shape.calls, shape.results):
        given += [at["items"]] if at.get("items") else at.values()
    given += [] if "kept" in shape.cuts else [shape.cuts.get("summary", "")]
    given += shape.usage.values() if isinstance(shape.usage, Mapping) else [shape.usage]
    keys = [path.split(".") for paths in given for path in each_path(paths)]
    fields = {".".join(each[:n]) for each in keys for n in range(1, len(each) + 1)}
    return frozenset(fields - {""} | {"is_error", "isError"})
