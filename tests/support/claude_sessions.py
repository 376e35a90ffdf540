"""Sessions of Claude Code, written record by record as it does."""

from __future__ import annotations

import json
from pathlib import Path

from historylab.formats.load import load


class Session:
    """Writes records as Claude Code does: each names the one before it, unless told otherwise."""

    def __init__(self):
        self.records: list[dict] = []
        self.last: str | None = None

    def put(self, kind: str, content=None, *, parent: str | None = "last", reply: str = "", **more) -> str:
        uuid = more.pop("uuid", f"r{len(self.records)}")
        message = {"role": kind, "content": content}
        if reply:
            message["id"] = reply
        message |= {key: more.pop(key) for key in ("usage", "model") if key in more}
        record = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent == "last" else parent,
            "isSidechain": False,
            "sessionId": "s1",
            "timestamp": f"2026-01-01T10:{len(self.records):02d}:00Z",
            **({} if content is None else {"message": message}),
            **more,
        }
        self.records.append(record)
        self.last = uuid
        return uuid

    def load(self):
        return load(self.lines.encode(), name="session.jsonl")

    def save(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.lines)
        return path

    @property
    def lines(self) -> str:
        return "\n".join(json.dumps(record) for record in self.records)


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def call(name: str, key: str, **given) -> dict:
    return {"type": "tool_use", "id": key, "name": name, "input": given}


def result(key: str, content) -> dict:
    return {"type": "tool_result", "tool_use_id": key, "content": content}


def usage(output: int, reads: int = 70, writes: int = 9) -> dict:
    counts = {"input_tokens": 4, "cache_read_input_tokens": reads, "cache_creation_input_tokens": writes}
    return {**counts, "output_tokens": output, "service_tier": "standard"}


def lines_of(conversation) -> list[str]:
    return [f"{m.role[0]} {m.content}" for m in conversation]
