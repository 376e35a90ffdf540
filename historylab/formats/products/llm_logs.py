"""Logs of Simon Willison's `llm`: a response per row, and since 0.32 a tree of messages.

A turn is a request with its token counts: it names its last message, and each message names the one before it. The
texts of fragments and the types of attachments are in tables of their own, in both generations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.tables import has_table, table_rows
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.fields import object_in, objects_under, unpack_json
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.records import RECORD
from historylab.registry import register

LLM = replace(
    RECORD,
    items="messages",
    title="name",
    tools="tools",
    usage="usage",
    kinds={
        "text": {"text": "text"},
        "reasoning": {"thinking": "text"},
        "tool_call": {"call": {"id": "tool_call_id", "name": "name", "arguments": "arguments"}},
        "tool_result": {"result": {"id": "tool_call_id", "text": "output"}},
        "attachment": {"media": "media"},
    },
)
TURNS = replace(LLM, parent="parent")
COLUMNS = "id model prompt system response conversation_id datetime_utc"
OF_TURNS = {
    "turns": "id thread_id tip_message_hash model datetime_utc",
    "messages": "hash parent_hash role",
    "parts": "message_hash position type",
}


@register(
    "format",
    title="llm logs",
    recognise=lambda content: float(has_table(content, "responses", COLUMNS)),
    source="simonw/llm, llm/migrations.py and llm/logs.py, 0.36",
    checked="databases that llm 0.36 itself wrote",
)
def llm(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations that Simon Willison's `llm` logged, with their tools."""
    yield from _read_responses(content, report)
    if all(has_table(content, table, columns) for table, columns in OF_TURNS.items()):
        yield from _read_turns(content, report)


def _read_responses(content: Content, report: Report) -> Iterator[Conversation]:
    """The conversations of the responses that are no turns: some alphas of 0.32 wrote both."""
    turns = {row.get("id") for row in table_rows(content, "turns")}
    chats = {row["id"]: row for row in table_rows(content, "conversations", "id")}
    calls, results = (_by_response(content, table) for table in ("tool_calls", "tool_results"))
    prompts, systems = (_fragments(content, table) for table in ("prompt_fragments", "system_fragments"))
    media, kinds = _by_response(content, "prompt_attachments"), _column_by_id(content, "attachments", "type")
    messages, system = defaultdict[Any, list[dict[str, Any]]](list), dict[Any, str]()
    for row in table_rows(content, "responses", "datetime_utc, id"):
        if row["id"] in turns:
            continue
        key = row["conversation_id"] or row["id"]
        said = messages[key]
        prompt = join_texts(text for text in (*systems[row["id"]], row["system"]) if isinstance(text, str))
        if prompt and system.get(key) != prompt:
            system[key] = prompt
            said.append({"role": "system", "text": prompt})
        for result in results[row["id"]]:
            answers = {"answers": result.get("tool_call_id"), "name": result.get("name")}
            said.append({"role": "tool", "text": result.get("output"), **answers})
        named = (kinds.get(each.get("attachment_id")) or "file" for each in media[row["id"]])
        attached = [{"type": "attachment", "media": kind} for kind in named]
        if asked := [*attached, *prompts[row["id"]], *filter(None, [row["prompt"]])]:
            said.append({"role": "user", "parts": asked})
        about = {"thinking": row.get("reasoning"), "usage": _usage(row)}
        about |= {"model": row.get("resolved_model") or row["model"], "time": row["datetime_utc"]}
        said.append({"role": "assistant", "text": row["response"], "calls": calls[row["id"]], **about})
    for key, said in messages.items():
        yield from read_shaped(LLM, [(f"conversation {key}", {**chats.get(key, {}), "messages": said})], report)


def _by_response(content: Content, table: str) -> Mapping[Any, list[dict[str, Any]]]:
    """Response → its rows of a table, the arguments of a call unpacked."""
    found = defaultdict[Any, list[dict[str, Any]]](list)
    for row in table_rows(content, table):
        call = {"id": row.get("tool_call_id"), "arguments": unpack_json(row.get("arguments"))}
        found[row.get("response_id")].append({**row, **call})
    return found


def _usage(row: Mapping[str, Any]) -> dict[str, Any]:
    details = unpack_json(row.get("token_details"))
    counts = {name: row.get(name) for name in ("input_tokens", "output_tokens")}
    return {**(details if isinstance(details, dict) else {}), **counts}


def _column_by_id(content: Content, table: str, column: str) -> Mapping[Any, Any]:
    """Id of a row → what it has in that column."""
    return {row.get("id"): row.get(column) for row in table_rows(content, table)}


def _fragments(content: Content, table: str) -> Mapping[Any, list[Any]]:
    """Response → the texts of the fragments that it was given."""
    texts, found = _column_by_id(content, "fragments", "content"), defaultdict[Any, list[Any]](list)
    for row in sorted(table_rows(content, table), key=lambda row: str(row.get("order")).zfill(9)):
        found[row.get("response_id")].append(texts.get(row.get("fragment_id")))
    return found


# -- since 0.32


def _read_turns(content: Content, report: Report) -> Iterator[Conversation]:
    """The threads, with what was asked again as branches."""
    messages = {row["hash"]: row for row in table_rows(content, "messages")}
    parts, tools, names = _parts(content), _tools(content), _column_by_id(content, "threads", "name")
    threads, offered = defaultdict[Any, dict[Any, Any]](dict), defaultdict[Any, dict[Any, Any]](dict)
    for turn in table_rows(content, "turns", "datetime_utc, id"):
        said, tip = threads[turn["thread_id"]], turn["tip_message_hash"]
        chain, at = dict[Any, dict[str, Any]](), tip
        while at in messages and at not in said and at not in chain:
            row = messages[at]
            role = "user" if row["role"] == "tool" else row["role"]  # whose message may hold several results
            chain[at] = {"id": at, "parent": row["parent_hash"], "role": role, "parts": parts[at]}
            at = row["parent_hash"]
        if chain:
            model = turn.get("resolved_model") or turn["model"]
            chain[tip] |= {"model": model, "time": turn["datetime_utc"], "usage": _usage(turn)}
        said |= dict(reversed(chain.items()))
        offered[turn["thread_id"]] |= tools[turn["id"]]
    for thread, said in threads.items():
        about = {"name": names.get(thread), "tools": [*offered[thread].values()], "messages": [*said.values()]}
        yield from read_shaped(TURNS, [(f"thread {thread}", about)], report)


def _parts(content: Content) -> Mapping[Any, list[dict[str, Any]]]:
    """Message → its parts, with the texts of fragments in them, and the kinds of what is attached."""
    texts, kinds = _column_by_id(content, "fragments", "content"), _column_by_id(content, "attachments", "type")
    found = defaultdict[Any, list[dict[str, Any]]](list)
    for row in table_rows(content, "parts", "message_hash, position"):
        payload = unpack_json(row.get("payload"))
        part = {**(payload if isinstance(payload, dict) else {}), "type": row["type"]}
        pieces = (each.get("literal", texts.get(_id_in(each, "fragment"))) for each in objects_under(part, "text_ref"))
        part["text"] = row.get("text") or "".join(text for text in pieces if isinstance(text, str))
        part["media"] = kinds.get(_id_in(object_in(part, "attachment"), "id")) or "file"
        part |= {"is_error": True} if part.get("exception") else {}
        found[row["message_hash"]].append(part)
    return found


def _id_in(held: Mapping[str, Any], name: str) -> Any:
    """The id under a key; None for anything that is none."""
    id = held.get(name)
    return id if isinstance(id, str | int) else None


def _tools(content: Content) -> Mapping[Any, dict[Any, Any]]:
    """Turn → the definitions of the tools that it was offered, by their id."""
    known, found = {row.get("id"): row for row in table_rows(content, "tools")}, defaultdict[Any, dict[Any, Any]](dict)
    for row in table_rows(content, "turn_tools"):
        if tool := known.get(row.get("tool_id")):
            told = {"name": tool.get("name"), "description": tool.get("description")}
            found[row.get("turn_id")][tool["id"]] = {**told, "input_schema": unpack_json(tool.get("input_schema"))}
    return found
