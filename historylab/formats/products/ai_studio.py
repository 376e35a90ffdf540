"""Google AI Studio prompts, as they stand in Drive: `chunkedPrompt.chunks`, with the settings of the run.

A chunk is one piece of a turn: text, a thought, a file in Drive, code that was run. Media go to the text that follows,
thoughts to the answer. Source: files as AI Studio saves them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import joined_source, with_record
from historylab.formats.messages.record_groups import located_items
from historylab.formats.shapes.threads import only_thinks
from historylab.registry import register

ROLES = {"user": "user", "model": "assistant"}
MEDIA = {"document": "file", "image": "image", "audio": "audio", "video": "video"}
HELD = {f"{place}{kind.title()}": name for place in ("drive", "inline") for kind, name in MEDIA.items()}
HELD |= {"inlineFile": "file", "inlineData": "file", "youtubeVideo": "video", "googleDriveFile": "file"}
"""Field of a chunk that holds media → their name."""

READ = {"role", "text", "parts", "isThought", "createTime", "id", "executableCode", "codeExecutionResult", *HELD}
READ |= {"tokenCount", "finishReason", "thoughtSignatures", "thinkingBudget", "thinkingLevel", "branchChildren"}
READ |= {"branchParent", "isEdited", "safetyRatings", "isGeneratedUsingApiKey", "errorMessage"}
PARAMETERS = {"temperature": "temperature", "topP": "top_p", "topK": "top_k", "maxOutputTokens": "max_tokens"}
KINDS = {"text": str | None, "parts": list | None, "executableCode": dict | None, "codeExecutionResult": dict | None}
CODE = "code_execution"


def holds_chunks(content: Content) -> float:
    """1 for `chunkedPrompt.chunks`."""
    return 1 if any(_chunks(value) is not None for _, value in content.values) else 0


@register("format", title="AI Studio", recognise=holds_chunks, marks="chunkedPrompt chunks runSettings")
def ai_studio(content: Content, report: Report) -> Iterator[Conversation]:
    """Prompts and answers of Google AI Studio, with thoughts kept beside."""
    for where, value in content.values:
        chunks = _chunks(value)
        if chunks is None:
            report.skip(f"{kind_of(value)} without chunks", where)
            continue
        report.leave(value, {"chunkedPrompt", "systemInstruction", "runSettings"}, where)
        report.leave(value["chunkedPrompt"], {"chunks", "pendingInputs"}, where)
        system = list(_system(value.get("systemInstruction"), where, report))
        said, runs = list[Message](), 0
        for at, chunk in located_items([(f"{where} chunks".strip(), chunks)]):
            runs += isinstance(chunk, dict) and isinstance(chunk.get("executableCode"), dict)
            said += _read(chunk, at, report, f"{CODE}-{runs}")
        drafts = list_in(value["chunkedPrompt"], "pendingInputs")
        if any(isinstance(draft, dict) and _text(draft)[0] for draft in drafts):
            report.warn("a draft that was not sent, left out", where)
        messages = pair_by_order([*system, *_join_chunks(said)])
        yield Conversation(messages, "", _settings(object_in(value, "runSettings")))


def _chunks(value: Any) -> list[Any] | None:
    prompt = object_in(value, "chunkedPrompt") if isinstance(value, dict) else {}
    return prompt["chunks"] if isinstance(prompt.get("chunks"), list) else None


def _system(given: Any, where: str, report: Report) -> Iterator[Message]:
    text = given if isinstance(given, str) else _text(given)[0] if isinstance(given, dict) else ""
    if text:
        report.records += 1
        yield Message("system", text)
    elif given:
        report.warn("a systemInstruction without text", where)


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The model and the parameters of the run."""
    found = {ours: given[theirs] for theirs, ours in PARAMETERS.items() if given.get(theirs) is not None}
    model = text_in(given, "model")
    said: dict[str, Any] = {"provider": "google"} | ({"parameters": found} if found else {})
    return said | ({} if model is None else {"model": model.removeprefix("models/")})


def _read(chunk: Any, where: str, report: Report, run: str) -> list[Message]:
    """The messages of one chunk, which those after it may go on: thoughts, media, text, a call, its result."""
    role = text_in(chunk, "role") if isinstance(chunk, dict) else None
    if not role:
        report.skip("no role" if isinstance(chunk, dict) else f"{kind_of(chunk)}, not an object", where)
        return []
    before = report.warned
    report.leave(chunk, READ, where)
    for name, kind in KINDS.items():
        if not isinstance(chunk.get(name), kind):
            report.warn(f"{name} is {kind_of(chunk[name])}", where)
    text, thought = _text(chunk)
    media = () if HELD.keys().isdisjoint(chunk) else tuple(name for held, name in HELD.items() if chunk.get(held))
    if not (text or thought or media or chunk.get("executableCode") or chunk.get("codeExecutionResult")):
        report.skip("a chunk that failed" if chunk.get("errorMessage") else "a chunk without text or media", where)
        return []
    report.records += 1
    if role not in ROLES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    made, ours = list[Message](), ROLES.get(role, role)
    if thought:
        made.append(Message("assistant", metadata={"thinking": thought}))
    if text:
        id, time = text_in(chunk, "id") or None, iso_time(chunk.get("createTime"))
        made.append(Message(ours, text, id, media=media, timestamp=time))
    elif media:
        made.append(Message(ours, media=media))
    if code := object_in(chunk, "executableCode"):
        made.append(Message("assistant", tool_calls=(ToolCall(run, CODE, json.dumps(code, ensure_ascii=False)),)))
    if result := object_in(chunk, "codeExecutionResult"):
        output = text_in(result, "output")
        output = json.dumps(result, ensure_ascii=False) if output is None else output
        made.append(Message("tool", output, name=CODE, tool_call_id=run))
    return with_record(made, [chunk] if media else chunk, report.warned > before)


def _join_chunks(messages: list[Message]) -> Iterator[Message]:
    """The messages, each with the thoughts and media of its role before it.

    Media wait for words until the other role speaks or shows some, thoughts until the next answer; neither comes
    between code and its result.
    """
    waiting: dict[str, Message] = {}
    for given in messages:
        speaks = given.role != "tool" and not only_thinks(given)
        for role in [role for role, held in waiting.items() if speaks and held.media and role != given.role]:
            yield waiting.pop(role)
        message = _join(waiting.pop(given.role), given) if given.role in waiting else given
        if message.role != "tool" and not (message.content or message.tool_calls):
            waiting[message.role] = message
        else:
            yield message
    yield from waiting.values()


def _join(before: Message, message: Message) -> Message:
    thought = join_texts(each.metadata.get("thinking", "") for each in (before, message))
    metadata, source = {"thinking": thought} if thought else {}, joined_source(before, message)
    return replace(message, media=(*before.media, *message.media), metadata=metadata, source=source)


def _text(chunk: dict[str, Any]) -> tuple[str, str]:
    """A chunk's text, and its thoughts; `parts` repeat the text where both are given."""
    parts, whole = [p for p in list_in(chunk, "parts") if isinstance(p, dict)], text_in(chunk, "text") or ""
    said = "".join(text_in(p, "text") or "" for p in parts if not p.get("thought"))
    thought = "".join(text_in(p, "text") or "" for p in parts if p.get("thought"))
    if chunk.get("isThought"):
        return "", whole or thought or said
    return whole or said, thought
