"""Copilot CLI: `events.jsonl` of a session, an event per line with what it is about in `data`.

What stands under `transformedContent` is sent in the place of what was typed. Events of a sub-agent name the call that
began it, and are a conversation of their own. An answer has its tokens of output; `session-store.db`, two folders up,
has the usage of each call of all sessions, which is that of the answer with as many tokens of output.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import SIDECHAIN
from historylab.conversation.sent import as_summary
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.archives import FileSet, files_beside, pass_beside
from historylab.formats.files.content import Content
from historylab.formats.files.database import open_database, open_database_file, run_query
from historylab.formats.messages.fields import object_in, objects_under, text_in
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.sent_view import SentView, cut_told, token_count
from historylab.formats.messages.usage import to_usage
from historylab.formats.shapes.records import read_records
from historylab.registry import register

MESSAGES = {
    "system.message": "system",
    "user.message": "user",
    "assistant.message": "assistant",
    "tool.execution_complete": "tool",
}
COMPACTED = "session.compaction_complete"
CHOSEN = ("newModel", "selectedModel")
"""Fields of events by which a model is chosen for the answers that name none; empty: none is."""
SKILL = "<skill-context"
"""Begins what Copilot CLI says of a skill, in versions that name no source."""
BY = "Copilot CLI"
STORE = "session-store.db"
AHEAD = 20  # calls among which that of the next answer is looked for
BESIDE = ("workspace.yaml", "plan.md", "session.db", "checkpoints/*.md", "rewind-file-snapshots/*.json")
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
CALLS = f"""
    SELECT substr(session_id, 1, 200) AS session, substr(parent_tool_call_id, 1, 200) AS call,
    {", ".join(f"CAST({each} AS INTEGER) AS {each}" for each in COUNTS)}
    FROM assistant_usage_events"""
OF_ONE = f"{CALLS} WHERE session_id = :session ORDER BY id LIMIT 100000"
OF_ALL = f"{CALLS} ORDER BY id LIMIT 500000"
"""For a folder of sessions: a query for each of them would read the whole table as often."""


def looks_like_copilot_cli(content: Content) -> float:
    """0.95 for events of these types with their data."""
    found = [value for _, value in located_items(content.values[:40]) if isinstance(value, dict)]
    typed = [each.get("type") for each in found if isinstance(each.get("data"), dict)]
    return 0.95 if any(kind in ("user.message", "assistant.message", "session.start") for kind in typed) else 0


@register(
    "format",
    title="Copilot CLI",
    recognise=looks_like_copilot_cli,
    marks="data parentId toolRequests",
    source="github/copilot-sdk, dotnet/src/Generated/SessionEvents.cs, CLI 1.0",
    checked="getagentseal/codeburn, tests/providers/copilot.test.ts (of CLI 1.0.78)",
)
def copilot_cli(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of Copilot CLI, with their compactions, and their sub-agents after them."""
    runs, session, model = defaultdict[str, list[Located]](list), "", ""
    for where, value in located_items(content.values):
        data = object_in(value, "data") if isinstance(value, dict) else {}
        session = session or text_in(data, "sessionId") or ""
        model = str(next((data[name] for name in CHOSEN if isinstance(data.get(name), str)), model))
        call = text_in(data, "parentToolCallId") or ""
        own = data if call or data.get("model") else {**data, "model": model}  # a sub-agent has a model of its own
        if made := _record(value, own, where, report):
            runs[call].append((where, made))
    pass_beside(content, *BESIDE)
    usage = _usage_beside(content, session)
    for call, records in runs.items():
        _add_usage([record for _, record in records], usage[call])
        about: dict[str, Any] = {"session": session} if session else {}
        about |= {"call": call, SIDECHAIN: True} if call else {}
        said = [(where, record) for where, record in records if "cut" not in record]
        yield from (_with_cuts(one, records) for one in read_records(said, report, about=about))


def _record(value: Any, data: dict[str, Any], where: str, report: Report) -> dict[str, Any] | None:
    """The record that an event is; None if it is known to be no message."""
    if not isinstance(value, dict) or "." not in (kind := text_in(value, "type") or ""):
        report.skip(f"{kind_of(value)} that is no event", where)
        return None
    if kind == COMPACTED and data.get("success") and text_in(data, "summaryContent"):
        report.pass_over("a compaction", where)
        return {"cut": data}
    if kind not in MESSAGES:
        report.pass_over(f"an event {kind[:40]}", where)
        return None
    about = {"role": MESSAGES[kind], "time": value.get("timestamp"), "model": data.get("model"), "id": value.get("id")}
    if kind == "tool.execution_complete":
        result, error = data.get("result"), object_in(data, "error").get("message")
        said = result["content"] if isinstance(result, dict) and "content" in result else result
        return {**about, "text": said or error or said, "answers": data.get("toolCallId")}
    by_program = text_in(data, "source") not in (None, "", "user") or str(data.get("content")).startswith(SKILL)
    return {
        **about,
        "text": text_in(data, "transformedContent") or data.get("content"),
        "thinking": data.get("reasoningText"),
        "output": token_count(data.get("outputTokens")),
        "calls": [{**each, "id": each.get("toolCallId")} for each in objects_under(data, "toolRequests")],
        "injected": by_program,
    }


def _usage_beside(content: Content, session: str) -> Mapping[str, list[Any]]:
    """The rows on the calls of a session, by the call that began the sub-agent that made them; "": its own."""
    if isinstance(files := content.siblings, FileSet):
        place = PurePosixPath(content.name).parent.parent
        return files.once((STORE, place), lambda: _calls_beside(content, OF_ALL))[session]
    return _calls_beside(content, OF_ONE, session=session)[session]


def _calls_beside(content: Content, query: str, **given: str) -> Mapping[str, Mapping[str, list[Any]]]:
    """Session → call that began a sub-agent → the rows on its calls, in the database beside the sessions."""
    found = defaultdict[str, defaultdict[str, list[Any]]](lambda: defaultdict(list))
    if file := next((file for up in (2, 1) for file in files_beside(content, STORE, up)), None):
        opened = open_database_file(file.path) if file.path else open_database(file.data)
        with suppress(LoadError), opened as connection:
            for row in run_query(connection, query, **given):
                found[str(row.pop("session"))][str(row.pop("call") or "")].append(row)
    return found


def _add_usage(records: Sequence[dict[str, Any]], rows: Sequence[Mapping[str, Any]]) -> None:
    """Add to each answer the usage of the next call with as many tokens of output: some calls answer nothing."""
    outputs, at = [row["output_tokens"] for row in rows], 0
    for record in records:
        output = record.pop("output", None)
        if output and output in outputs[at : at + AHEAD]:
            at = outputs.index(output, at) + 1
            record["usage"] = to_usage(rows[at - 1])


def _with_cuts(read: Conversation, records: Sequence[Located]) -> Conversation:
    """The conversation with the compactions among its records, each of which leaves out the oldest messages."""
    view, size, places = SentView(), 0, {message.id: i for i, message in enumerate(read)}
    for _, record in records:
        told = record.get("cut")
        if told is None:
            size = places.get(str(record["id"]), size - 1) + 1
        elif size:
            summary, prompt = as_summary(Message("user", told["summaryContent"])), prompt_length(read)
            gone = prompt + (token_count(told.get("messagesRemoved")) or size)
            kept = [each for each in view.at(size) if not isinstance(each, Message)][gone:]
            cut = cut_told(BY, told.get("preCompactionTokens"), told.get("postCompactionTokens"), told.get("trigger"))
            view.put(size, [*range(prompt), summary, *kept], cut)
    return Conversation(read.messages, read.title, {**read.metadata, **view.metadata})
