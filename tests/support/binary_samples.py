"""Samples of binary formats, made here: a function NAME__FILE returns the bytes of samples/NAME/FILE.

`_db` and `_parquet` at the end of a name stand for `.db` and `.parquet`.
"""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from typing import Any

import msgpack


def database(tables: dict[str, tuple[str, list[tuple[Any, ...]]]]) -> bytes:
    """An SQLite database: table → its columns, and its rows."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            places = ", ".join("?" * len(columns.split(",")))
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
        connection.commit()
        return connection.serialize()


def packed_object(module: str, name: str, fields: dict[str, Any]) -> msgpack.ExtType:
    """An object as LangGraph packs it: its class and its fields."""
    return msgpack.ExtType(5, msgpack.packb((module, name, fields, "model_validate_json")))


def checkpoint(messages: list[dict[str, Any]], **channels: Any) -> bytes:
    """A LangGraph checkpoint whose state holds these messages."""
    held = [packed_object("langchain_core.messages", "AnyMessage", message) for message in messages]
    return msgpack.packb({"v": 4, "channel_values": {"messages": held, "branch:to:model": None, **channels}})


CHECKPOINTS = "thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
WRITES = "thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value"


def langgraph__checkpoints_db() -> bytes:
    ask = {"type": "human", "content": "Which buoy blinks?", "id": "h1"}
    called = {"id": "t1", "name": "lights", "args": {"colour": "red"}}
    call = {
        "type": "ai",
        "content": "",
        "id": "a1",
        "tool_calls": [called],
        "response_metadata": {"model_name": "gpt-5"},
    }
    result = {"type": "tool", "content": "buoy 7", "id": "r1", "tool_call_id": "t1", "name": "lights"}
    first = {"type": "ai", "content": "Buoy 7.", "id": "a2"}
    again = {"type": "human", "content": "And the green one?", "id": "h2"}
    other = {"type": "human", "content": "And at night?", "id": "h3"}
    last = {"type": "ai", "content": "All of them.", "id": "a3"}
    steps = [
        ("1f0-1", None, [ask]),
        ("1f0-2", "1f0-1", [ask, call, result, first]),
        ("1f0-3", "1f0-2", [ask, call, result, first, again]),
        ("1f0-4", "1f0-2", [ask, call, result, first, other]),
        ("1f0-5", "1f0-4", [ask, call, result, first, other, last]),
    ]
    rows: list[tuple[Any, ...]] = [
        ("buoys", "", id, parent, "msgpack", checkpoint(held, mood="calm"), b"{}") for id, parent, held in steps
    ]
    rows.append(
        ("fog", "", "1f0-6", None, "msgpack", checkpoint([{"type": "human", "content": "Fog?", "id": "h9"}]), b"")
    )
    return database({"checkpoints": (CHECKPOINTS, rows), "writes": (WRITES, [])})


def openai_agents__sessions_db() -> bytes:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "lock", "arguments": '{"number": 3}'}
    yes = [{"type": "output_text", "text": "Yes."}]
    items: list[tuple[str, dict[str, Any]]] = [
        ("locks", {"role": "user", "content": "Is lock 3 open?"}),
        ("locks", {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Ask the lock."}]}),
        ("locks", call),
        ("night", {"role": "user", "content": "Who keeps watch?"}),
        ("locks", {"type": "function_call_output", "call_id": "c1", "output": "open"}),
        ("locks", {"type": "message", "id": "m1", "role": "assistant", "content": yes}),
    ]
    rows = [(i, who, json.dumps(item), f"2026-02-01 08:00:0{i}") for i, (who, item) in enumerate(items, 1)]
    sessions = [(who, "2026-02-01 08:00:00", "2026-02-01 08:00:09") for who in ("locks", "night")]
    return database(
        {
            "agent_sessions": ("session_id, created_at, updated_at", sessions),
            "agent_messages": ("id, session_id, message_data, created_at", rows),
        }
    )


STORED = "id, conversation_id, participant_kind, participant_id, participant_display_name"


def historylab_requests__recording_db() -> bytes:
    """A recording's file, without what its store needs beside it."""
    chat = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Which buoy blinks?"}]}
    more = {
        "messages": [{"role": "assistant", "content": "Buoy 7."}, {"role": "user", "content": "And the green one?"}]
    }
    request = {"historylab": "request", "version": 1, "conversation": "c-1", "api": "chat_completions", "app": "pilot"}
    answers = [{"choices": [{"message": {"role": "assistant", "content": text}}]} for text in ("Buoy 7.", "Buoy 9.")]
    lines = [
        {**request, "id": "r-1", "started": "2026-11-23T07:30:00+00:00", "request": chat, "response": answers[0]},
        {"historylab": "tags", "tags": ["lights"]},
        {**request, "id": "r-2", "after": "r-1", "same": 1, "unchanged": ["model"], "request": more, "status": 401}
        | {"error": "Incorrect API key"},
        {**request, "id": "r-3", "after": "r-1", "same": 1, "unchanged": ["model"], "request": more}
        | {"response": answers[1], "started": "2026-11-23T07:31:00+00:00", "seconds": 2},
        {**request, "id": "r-5", "after": "r-4", "same": 3, "request": {"messages": []}},
    ]
    rows = [(number, "c-1", 1795419000.0 + number, json.dumps(line)) for number, line in enumerate(lines, 1)]
    rows.append((9, "c-1", 1795419000.0, "{broken"))
    return database(
        {
            "stored_records": ("number, conversation, at, line", rows),
            "stored_messages": (f"{STORED}, content, timestamp, scope, metadata", []),
        }
    )


def toolpack__conversation_db() -> bytes:
    said = [("p1", "user", "ines", "Ines", "Who opens up?"), ("p2", "agent", "kael", None, "I do, at seven.")]
    rows = [
        (id, "C-quay", kind, who, name, text, f"2026-02-01T07:0{at}:00Z", "channel", '{"channelName": "#quay"}')
        for at, (id, kind, who, name, text) in enumerate(said)
    ]
    return database({"messages": (f"{STORED}, content, timestamp, scope, metadata", rows)})


def table(rows: list[dict[str, Any]], **options: Any) -> bytes:
    """A Parquet table of these rows."""
    import pyarrow
    from pyarrow import parquet

    written = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), written, **options)
    return written.getvalue()


def parquet__support_parquet() -> bytes:
    """A conversation per row, its messages a column of structs."""
    cup = {"id": "c1", "name": "order_status", "arguments": '{"order": 1042}'}
    call = [{"id": cup["id"], "type": "function", "function": {k: cup[k] for k in ("name", "arguments")}}]
    lamp = [
        {"role": "user", "content": "Where is my lamp?", "tool_calls": None, "tool_call_id": None},
        {"role": "assistant", "content": None, "tool_calls": call, "tool_call_id": None},
        {"role": "tool", "content": "on its way", "tool_calls": None, "tool_call_id": "c1"},
        {"role": "assistant", "content": "It is on its way.", "tool_calls": None, "tool_call_id": None},
    ]
    return table([{"title": "lamp", "messages": lamp}, {"title": "cup", "messages": lamp[:1]}], row_group_size=1)


def parquet__rows_parquet() -> bytes:
    """A message per row, two conversations interleaved."""
    said = [("a", "user", "Is the shop open?"), ("b", "user", "Hello?"), ("a", "assistant", "Until six.")]
    return table([{"conversation_id": c, "turn": n, "role": r, "content": t} for n, (c, r, t) in enumerate(said)])


def parquet__shared_parquet() -> bytes:
    """ShareGPT's turns, as data sets have them."""
    turns = [{"from": "human", "value": "Name a river."}, {"from": "gpt", "value": "The Loire."}]
    return table([{"id": "r1", "conversations": turns}])


def opencode__opencode_db() -> bytes:
    def message(name: str, session: str, time: int, role: str, **more: Any) -> tuple[Any, ...]:
        return name, session, time, json.dumps({"role": role, "time": {"created": 1770000000000 + time}, **more})

    def part(name: str, message: str, session: str, **said: Any) -> tuple[Any, ...]:
        return name, message, session, json.dumps(said)

    tokens = {"tokens": {"input": 4, "output": 6, "reasoning": 0, "cache": {"read": 8, "write": 2}}}
    asked = {"prompt": "Count the buoys"}
    task = {"status": "completed", "input": asked, "output": "Nine.", "metadata": {"sessionId": "ses_2"}}
    messages = [
        message("m1", "ses_1", 1, "user"),
        message("m2", "ses_1", 2, "assistant", modelID="gpt-5", **tokens),
        message("m3", "ses_2", 3, "user"),
        message("m4", "ses_2", 4, "assistant", modelID="gpt-5-mini", **tokens),
        message("m5", "ses_1", 5, "assistant", modelID="gpt-5", **tokens),
    ]
    parts = [
        part("p1", "m1", "ses_1", type="text", text="How many buoys?"),
        part("p2", "m2", "ses_1", type="tool", callID="c1", tool="task", state=task),
        part("p3", "m3", "ses_2", type="text", text="Count the buoys"),
        part("p4", "m4", "ses_2", type="text", text="Nine."),
        part("p5", "m5", "ses_1", type="text", text="There are nine."),
    ]
    sessions = [("ses_1", None, "/srv/buoys", "Buoys", 1), ("ses_2", "ses_1", "/srv/buoys", "Child session - 1", 2)]
    return database(
        {
            "session": ("id, parent_id, directory, title, time_updated", sessions),
            "message": ("id, session_id, time_created, data", [*messages, ("m6", "ses_1", 6, "{broken")]),
            "part": ("id, message_id, session_id, data", parts),
        }
    )


def goose_database__sessions_db() -> bytes:
    parts = [
        [{"type": "text", "text": "Is the kiln hot?"}],
        [
            {
                "type": "toolRequest",
                "id": "k1",
                "toolCall": {"status": "success", "value": {"name": "feel", "arguments": {}}},
            }
        ],
        [
            {
                "type": "toolResponse",
                "id": "k1",
                "toolResult": {"status": "success", "value": {"content": [{"type": "text", "text": "900"}]}},
            }
        ],
        [{"type": "text", "text": "Nine hundred."}],
    ]
    roles = ("user", "assistant", "user", "assistant")
    rows = [
        (i, f"m{i}", "s1", role, json.dumps(part), 1777881600 + i)
        for i, (role, part) in enumerate(zip(roles, parts, strict=True))
    ]
    rows.append((9, "m9", "s2", "user", json.dumps([{"type": "text", "text": "Glaze?"}]), 1777881700))
    sessions = [("s1", "The kiln", '{"model_name": "gpt-5"}'), ("s2", "The glaze", None)]
    return database(
        {
            "sessions": ("id, name, model_config_json", sessions),
            "messages": ("id, message_id, session_id, role, content_json, created_timestamp", rows),
        }
    )


def kiro__data_db() -> bytes:
    tools = [{"id": "k1", "name": "fs_read", "args": {"path": "pond.md"}}]
    results = [{"tool_use_id": "k1", "content": [{"Text": "3 newts"}], "status": "Success"}]
    history = [
        {
            "user": {"content": {"Prompt": {"prompt": "How many newts?"}}, "timestamp": "2026-05-17T10:00:00Z"},
            "assistant": {"ToolUse": {"message_id": "a1", "content": "I read.", "tool_uses": tools}},
            "request_metadata": {"stream_end_timestamp_ms": 1779012002000, "model_id": "claude-sonnet-4.5"},
        },
        {
            "user": {"content": {"ToolUseResults": {"tool_use_results": results}}},
            "assistant": {"Response": {"message_id": "a2", "content": "Three."}},
            "request_metadata": {"stream_end_timestamp_ms": 1779012005000},
        },
    ]
    payload = json.dumps({"conversation_id": "c1", "history": history, "transcript": []})
    return database({"conversations_v2": ("key, conversation_id, value", [("/srv/pond", "c1", payload)])})


def llm__logs_db() -> bytes:
    when = "2026-03-01T08:00:0"
    responses = [
        ("r1", "gpt-5-mini", "Which bell rings?", "Be brief.", "", "c1", f"{when}0", 40, 9, '{"cached_tokens": 16}'),
        ("r2", "gpt-5-mini", "", "Be brief.", "The small one.", "c1", f"{when}3", 60, 4, None),
        ("r3", "gpt-5-mini", "Alone?", None, "Yes.", None, f"{when}5", 5, 1, None),
    ]
    columns = (
        "id, model, prompt, system, response, conversation_id, datetime_utc, input_tokens, output_tokens, token_details"
    )
    return database(
        {
            "conversations": ("id, name, model", [("c1", "Bells", "gpt-5-mini")]),
            "responses": (columns, responses),
            "tool_calls": (
                "id, response_id, tool_id, name, arguments, tool_call_id",
                [(1, "r1", 1, "listen", "{}", "k1")],
            ),
            "tool_results": (
                "id, response_id, tool_id, name, output, tool_call_id",
                [(1, "r2", 1, "listen", "small", "k1")],
            ),
        }
    )


def llm__turns_db() -> bytes:
    """Tables of version 0.36, in which a turn was asked twice."""
    when = "2026-09-01T08:00:0"
    ringing = '{"name": "listen", "arguments": {"to": "east"}, "tool_call_id": "k1"}'
    parts = [
        ("m1", 0, "text", "Be brief.", None),
        ("m2", 0, "text", None, '{"text_ref": [{"fragment": 1}, {"literal": "\\nWhich bell rings?"}]}'),
        ("m2", 1, "attachment", None, '{"attachment": {"id": "a1"}}'),
        ("m3", 0, "reasoning", "I listen.", None),
        ("m3", 1, "tool_call", None, ringing),
        ("m4", 0, "tool_result", None, '{"name": "listen", "output": "small", "tool_call_id": "k1"}'),
        ("m5", 0, "text", "The small one.", None),
        ("m6", 0, "text", "It is the small one.", None),
    ]
    turn = "id, thread_id, parent_message_hash, tip_message_hash, model, resolved_model, input_tokens, output_tokens"
    responses = "id, model, prompt, system, response, conversation_id, datetime_utc"
    return database(
        {
            "responses": (responses, []),
            "threads": ("id, name, tip_message_hash", [("t1", "Bells", "m6")]),
            "turns": (
                f"{turn}, token_details, datetime_utc",
                [
                    ("u1", "t1", "m2", "m3", "gpt-5-mini", None, 40, 9, '{"cached_tokens": 16}', f"{when}0"),
                    ("u2", "t1", "m4", "m5", "gpt-5-mini", "gpt-5-mini-0807", 60, 4, None, f"{when}3"),
                    ("u3", "t1", "m4", "m6", "gpt-5-mini", None, 60, 6, None, f"{when}5"),
                ],
            ),
            "messages": (
                "hash, parent_hash, role",
                [
                    ("m1", None, "system"),
                    ("m2", "m1", "user"),
                    ("m3", "m2", "assistant"),
                    ("m4", "m3", "tool"),
                    ("m5", "m4", "assistant"),
                    ("m6", "m4", "assistant"),
                ],
            ),
            "parts": ("message_hash, position, type, text, payload", parts),
            "fragments": ("id, content", [(1, "Bells hang in towers.")]),
            "attachments": ("id, type", [("a1", "image/png")]),
            "tools": (
                "id, name, description, input_schema",
                [(1, "listen", "Listens.", '{"type": "object"}')],
            ),
            "turn_tools": ("turn_id, tool_id", [("u1", 1), ("u2", 1)]),
        }
    )


def cursor__state_db() -> bytes:
    def bubble(name: str, kind: int, **said: Any) -> tuple[str, bytes]:
        value = {"_v": 3, "type": kind, "bubbleId": name, "createdAt": f"2026-05-01T08:00:0{name[-1]}.000Z", **said}
        return f"bubbleId:c1:{name}", json.dumps(value).encode()

    tool = {"toolCallId": "t1", "name": "grep", "rawArgs": '{"pattern": "torn"}', "result": "nets.md: green"}
    shown = [
        bubble("b1", 1, text="Which net is torn?", images=[{"uuid": "i"}]),
        bubble("b2", 2, thinking={"text": "Look for it."}),
        bubble("b3", 2, toolFormerData=tool, tokenCount={"inputTokens": 900, "outputTokens": 40}),
        bubble(
            "b4", 2, toolFormerData={"name": "grep", "params": {"at": 1}, "status": "error", "error": "no such file"}
        ),
        bubble("b5", 2, text="The green one.", modelInfo={"modelName": "gpt-5"}),
        bubble("b6", 2, capabilityType=30),
    ]
    order = [{"bubbleId": key.split(":")[2], "type": 2} for key, _ in shown]
    about = {"name": "Nets", "modelConfig": {"modelName": "claude-sonnet-4-5"}, "fullConversationHeadersOnly": order}
    old = {
        "conversation": [{"type": 1, "text": "Dry it?", "bubbleId": "x"}, {"type": 2, "text": "Yes.", "bubbleId": "y"}]
    }
    child = {"subagentInfo": {"parentComposerId": "c1"}, "conversation": [{"type": 1, "text": "Count nets"}]}
    composers = [
        ("composerData:c1", json.dumps(about)),
        ("composerData:c2", json.dumps({"name": "Drying", "modelConfig": {"modelName": "default"}, **old}).encode()),
        ("composerData:c3", None),
        ("composerData:c4", json.dumps(child)),
    ]
    other = [("ItemTable", 1), ("bubbleId:c1:gone", None)]
    return database(
        {"ItemTable": ("key, value", []), "cursorDiskKV": ("key, value", [*composers, *shown[::-1], *other])}
    )
