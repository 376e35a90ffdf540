"""A chat written as each API takes it, list and body: thinking, parallel calls, images and cache markers among it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from historylab.proxy.scripted_upstream.messages_rules import MOST_MARKS
from historylab.proxy.scripted_upstream.responses_rules import SEALED
from historylab.proxy.scripted_upstream.seals import seal

Record = dict[str, Any]


def as_chat(records: Iterable[Record]) -> list[Record]:
    return list(records)


def as_responses(records: Iterable[Record]) -> list[Record]:
    """Every other call is led to by reasoning, and half of what is said has parts."""
    items: list[Record] = []
    for k, record in enumerate(records):
        role, content = record["role"], record["content"]
        if role == "tool":
            items.append({"type": "function_call_output", "call_id": record["tool_call_id"], "output": content})
            continue
        calls = record.get("tool_calls", ())
        if calls and k % 2:
            thought = {"type": "summary_text", "text": f"Thought {k}."}
            sealed = SEALED + seal(calls[0]["id"])
            items.append({"type": "reasoning", "id": f"rs_{k}", "summary": [thought], "encrypted_content": sealed})
        if content:
            kind = "output_text" if role == "assistant" else "input_text"
            parts = [{"type": kind, "text": content}] if isinstance(content, str) else [*map(_responses_part, content)]
            if role == "assistant":
                items.append(
                    {"type": "message", "id": f"msg_{k}", "status": "completed", "role": role, "content": parts}
                )
            else:
                items.append({"role": role, "content": parts if k % 2 or not isinstance(content, str) else content})
        items += [{"type": "function_call", "id": f"fc_{c['id']}", "call_id": c["id"], **c["function"]} for c in calls]
    return items


def _responses_part(part: Record) -> Record:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "low"}


def as_anthropic(records: Iterable[Record]) -> list[Record]:
    """What a system message says later on stands in the user's message, after results; every call was thought of."""
    turns: list[Record] = []
    for k, record in enumerate(records):
        if record["role"] == "system" and not turns:
            continue
        role = "assistant" if record["role"] == "assistant" else "user"
        blocks = _blocks(record, k)
        if turns and turns[-1]["role"] == role:
            joined = _listed(turns[-1]["content"]) + blocks
            turns[-1]["content"] = sorted(joined, key=lambda block: block["type"] != "thinking")
        else:
            alone = len(blocks) == 1 and blocks[0]["type"] == "text" and k % 2
            turns.append({"role": role, "content": blocks[0]["text"] if alone else blocks})
    return turns


def marked(turns: list[Record]) -> list[Record]:
    """Messages of which each third ends in a mark for the cache, as many as the API takes beside the prompt's."""
    for turn in turns[::3][1 - MOST_MARKS :]:
        turn["content"] = _listed(turn["content"])
        for block in turn["content"][-1:]:
            block["cache_control"] = {"type": "ephemeral"}
    return turns


def _blocks(record: Record, k: int) -> list[Record]:
    content = record["content"] or []
    if record["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": record["tool_call_id"], "content": content}]
    calls = record.get("tool_calls", ())
    said = _listed(content) if isinstance(content, str) else [*map(_anthropic_part, content)]
    thought = {"type": "thinking", "thinking": f"Thought {k}.", "signature": seal(f"Thought {k}.")}
    called = [(c["id"], c["function"]) for c in calls]
    return [
        *([thought] if calls else []),
        *said,
        *({"type": "tool_use", "id": i, "name": f["name"], "input": json.loads(f["arguments"])} for i, f in called),
    ]


def _anthropic_part(part: Record) -> Record:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def as_gemini(records: Iterable[Record]) -> list[Record]:
    """Results of one turn in one content; a system message said later on is the user's; every call was thought of.

    Half of the answers are given in two chunks, as a stream leaves them.
    """
    contents: list[Record] = []
    called: dict[str, str] = {}
    for k, record in enumerate(records):
        calls = record.get("tool_calls", ())
        called |= {call["id"]: call["function"]["name"] for call in calls}
        if record["role"] == "system" and not contents:
            continue
        role, parts = "model" if record["role"] == "assistant" else "user", _gemini_parts(record, k, called)
        given = contents[-1] if contents else {"role": "", "parts": []}
        if given["role"] == role and _gives_result(parts) == _gives_result(given["parts"]):
            given["parts"] += parts
        elif role == "model" and k % 2 and len(parts) == 1:
            halves = [parts[0]["text"][:9], parts[0]["text"][9:]]
            contents += [{"role": role, "parts": [{"text": half}]} for half in halves]
        else:
            contents.append({"role": role, "parts": parts})
    return contents


def _gives_result(parts: list[Record]) -> bool:
    return any("functionResponse" in part for part in parts)


def _gemini_parts(record: Record, k: int, called: Mapping[str, str]) -> list[Record]:
    content = record["content"] or []
    if record["role"] == "tool":
        id = record["tool_call_id"]
        return [{"functionResponse": {"id": id, "name": called.get(id, "look"), "response": {"output": content}}}]
    calls = [
        {"functionCall": {"id": c["id"], "name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])}}
        for c in record.get("tool_calls", ())
    ]
    for call in calls[:1]:
        call["thoughtSignature"] = seal(f"Thought {k}.")
    thought = [{"text": f"Thought {k}.", "thought": True}] if calls else []
    said = [{"text": content}] if isinstance(content, str) else [*map(_gemini_part, content)]
    return [*thought, *said, *calls]


def _gemini_part(part: Record) -> Record:
    if part["type"] == "text":
        return {"text": part["text"]}
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return {"inlineData": {"mimeType": kind, "data": data}}


def _listed(content: Any) -> list[Record]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _prompt(records: Iterable[Record]) -> str:
    return next((r["content"] for r in records if r["role"] == "system"), "Be brief.")


CLAUDE = {"model": "claude-opus-5", "max_tokens": 99, "thinking": {"type": "enabled", "budget_tokens": 1024}}


def chat_body(records: list[Record]) -> Record:
    return {
        "model": "gpt-5.5",
        "messages": as_chat(records),
        "tools": [{"type": "function", "function": {"name": "t"}}],
    }


def responses_body(records: list[Record]) -> Record:
    led = bool(records) and records[0]["role"] == "system"
    return {"model": "gpt-5.5", "instructions": _prompt(records), "input": as_responses(records[led:])}


def anthropic_body(records: list[Record]) -> Record:
    system = [{"type": "text", "text": _prompt(records), "cache_control": {"type": "ephemeral"}}]
    return {**CLAUDE, "system": system, "messages": marked(as_anthropic(records))}


def gemini_body(records: list[Record]) -> Record:
    return {"systemInstruction": {"parts": [{"text": _prompt(records)}]}, "contents": as_gemini(records)}


WRITERS: Mapping[str, Callable[[list[Record]], Any]] = {
    "chat list": as_chat,
    "chat body": chat_body,
    "responses list": as_responses,
    "responses body": responses_body,
    "anthropic list": lambda records: marked(as_anthropic(records)),
    "anthropic body": anthropic_body,
    "gemini list": as_gemini,
    "gemini body": gemini_body,
}
FORMATS = {"chat": "chat_completions", "responses": "responses", "anthropic": "anthropic", "gemini": "gemini"}
FIELDS = {"chat": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}


def items_in(given: Any) -> list[Any]:
    """The items of a list or a body."""
    return given if isinstance(given, list) else next(given[field] for field in FIELDS.values() if field in given)


def body_of(way: str, given: Any) -> Record:
    """A list as the body it would be sent in; a body itself, with the model that an address says."""
    of = way.partition(" ")[0]
    body = {**CLAUDE, FIELDS[of]: given} if isinstance(given, list) else given
    return {**body, "model": "gemini-3.5-flash"} if of == "gemini" else body
