"""Google AI Studio prompts, as they stand in Drive: `chunkedPrompt.chunks`, with the settings of the run.

A chunk is one piece of a turn: text, a thought, a file in Drive, code that was run. Media go to the text that follows,
thoughts to the answer. Source: files as AI Studio saves them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.kept_records import with_record
from historylab.registry import register

ROLES = {"user": "user", "model": "assistant"}
MEDIA = {"document": "file", "image": "image", "audio": "audio", "video": "video"}
HELD = {f"{place}{kind.title()}": name for place in ("drive", "inline") for kind, name in MEDIA.items()}
HELD |= {"inlineFile": "file", "inlineData": "file", "youtubeVideo": "video", "googleDriveFile": "file"}
"""Field of a chunk that holds media → their name."""

READ = {"role", "text", "parts", "isThought", "createTime", "id", "executableCode", "codeExecutionResult", *HELD}
LABELS = {"tokenCount", "finishReason", "thoughtSignatures", "thinkingBudget", "thinkingLevel", "branchChildren"}
LABELS |= {"branchParent", "isEdited", "safetyRatings", "isGeneratedUsingApiKey", "errorMessage"}
PARAMETERS = {"temperature": "temperature", "topP": "top_p", "topK": "top_k", "maxOutputTokens": "max_tokens"}
KINDS = {"text": str, "parts": list, "executableCode": dict, "codeExecutionResult": dict}
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
        turns = _Turns(report)
        turns.messages += _system(value.get("systemInstruction"), where, report)
        for i, chunk in enumerate(chunks):
            turns.add(chunk, f"{where} chunks[{i}]".strip())
        pending = value["chunkedPrompt"].get("pendingInputs")
        if any(isinstance(draft, dict) and _text(draft)[0] for draft in (pending if isinstance(pending, list) else ())):
            report.warn("a draft that was not sent, left out", where)
        yield Conversation(pair_by_order(turns.finish()), "", _settings(value.get("runSettings")))


def _chunks(value: Any) -> list[Any] | None:
    prompt = value.get("chunkedPrompt") if isinstance(value, dict) else None
    chunks = prompt.get("chunks") if isinstance(prompt, dict) else None
    return chunks if isinstance(chunks, list) else None


def _system(given: Any, where: str, report: Report) -> Iterator[Message]:
    text = given if isinstance(given, str) else _text(given)[0] if isinstance(given, dict) else ""
    if text:
        report.records += 1
        yield Message("system", text)
    elif given:
        report.warn("a systemInstruction without text", where)


def _settings(given: Any) -> dict[str, Any]:
    """The model and the parameters of the run."""
    settings = given if isinstance(given, dict) else {}
    found = {ours: settings[theirs] for theirs, ours in PARAMETERS.items() if settings.get(theirs) is not None}
    said: dict[str, Any] = {"provider": "google"} | ({"parameters": found} if found else {})
    model = settings.get("model")
    return said | ({"model": model.removeprefix("models/")} if isinstance(model, str) else {})


@dataclass
class _Turns:
    """The messages so far, and what waits for the text it belongs to."""

    report: Report
    messages: list[Message] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    media: list[tuple[str, str, Any]] = field(default_factory=list)  # (role, name, chunk)
    runs: int = 0

    def add(self, chunk: Any, where: str) -> None:
        """Read one chunk."""
        role = chunk.get("role") if isinstance(chunk, dict) else None
        if not isinstance(role, str) or not role:
            self.report.skip("no role" if isinstance(chunk, dict) else f"{kind_of(chunk)}, not an object", where)
            return
        before = self.report.warned
        self.report.leave(chunk, READ | LABELS, where)
        for name, kind in KINDS.items():
            if not isinstance(chunk.get(name), kind | None):
                self.report.warn(f"{name} is {kind_of(chunk[name])}", where)
        text, thought = _text(chunk)
        if thought:
            self.thoughts.append(thought)
        ours = ROLES.get(role, role)
        if self.media and self.media[0][0] != ours:
            self._flush()
        media = [name for held, name in HELD.items() if chunk.get(held)]
        self.media += [(ours, name, chunk) for name in media]
        code, result = chunk.get("executableCode"), chunk.get("codeExecutionResult")
        if not (text or thought or media or code or result):
            failed = "a chunk that failed" if chunk.get("errorMessage") else "a chunk without text or media"
            self.report.skip(failed, where)
            return
        self.report.records += 1
        begun = len(self.messages)
        if ours == role and role not in ROLES:
            self.report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
        if text:
            self._say(Message(ours, text, timestamp=iso_time(chunk.get("createTime")), id=_id(chunk)))
        if isinstance(code, dict):
            self.runs += 1
            self._say(Message("assistant", tool_calls=(ToolCall(f"{CODE}-{self.runs}", CODE, _json(code)),)))
        if isinstance(result, dict):
            output = result.get("output")
            said = output if isinstance(output, str) else _json(result)
            self._say(Message("tool", said, name=CODE, tool_call_id=f"{CODE}-{self.runs}"))
        self.messages[begun:] = with_record(self.messages[begun:], chunk, self.report.warned > before)

    def finish(self) -> list[Message]:
        """The messages, with what still waited."""
        self._flush()
        if self.thoughts:
            self._say(Message("assistant"))
        return self.messages

    def _say(self, message: Message) -> None:
        if message.role == "assistant" and self.thoughts:
            message = replace(message, metadata={"thinking": "\n".join(self.thoughts)})
            self.thoughts = []
        if self.media and self.media[0][0] == message.role:
            names, chunks = zip(*((name, chunk) for _, name, chunk in self.media), strict=True)
            message = replace(message, media=names, source=list(chunks))
            self.media = []
        self.messages.append(message)

    def _flush(self) -> None:
        """A message of the media that no text follows."""
        if self.media:
            self._say(Message(self.media[0][0]))


def _text(chunk: dict[str, Any]) -> tuple[str, str]:
    """A chunk's text, and its thoughts; `parts` repeat the text where both are given."""
    given, text = chunk.get("parts"), chunk.get("text")
    parts = [p for p in given if isinstance(p, dict)] if isinstance(given, list) else []
    said = "".join(p["text"] for p in parts if isinstance(p.get("text"), str) and not p.get("thought"))
    thought = "".join(p["text"] for p in parts if isinstance(p.get("text"), str) and p.get("thought"))
    whole = text if isinstance(text, str) else ""
    if chunk.get("isThought"):
        return "", whole or thought or said
    return whole or said, thought


def _id(chunk: dict[str, Any]) -> str | None:
    found = chunk.get("id")
    return found if isinstance(found, str) and found else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
