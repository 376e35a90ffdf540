"""A session as Claude Code's lines, with the usage that `context(request, visible)` says of each of its requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.counters.base import model_counter, token_column
from historylab.formats.load import load

MODEL = "claude-opus-4-5"


def claude_session(
    requests: int, context: Callable[[int, int], float], *, words: int = 120, questions: bool = False
) -> Conversation:
    """So many requests, each with a call and a result of `words` words; or, of `questions`, an answer to each.

    `visible` is what the messages of a request count by the model's own counter.
    """
    plain = _read(requests, words, questions, lambda _: 1)
    counted = token_column(plain, counter := model_counter(MODEL))
    visible = [int(counted[:size].sum()) + counter.per_request for size in plain.columns.requests.tolist()]
    return _read(requests, words, questions, lambda k: max(1, round(context(k, visible[k]))))


def _read(requests: int, words: int, questions: bool, context: Callable[[int], int]) -> Conversation:
    lines = [_line(0, "user", "Go through the stock rooms and note what is missing.")]
    for k in range(requests):
        usage = {"input_tokens": context(k), "output_tokens": 60}
        text = {"type": "text", "text": f"Room {k} is next, and then the others that are on the list."}
        call = {"type": "tool_use", "id": f"t{k}", "name": "look", "input": {"room": f"room-{k}"}}
        found = " ".join(f"shelf-{k}-{n}" for n in range(words // 4))
        result = found if questions else [{"type": "tool_result", "tool_use_id": f"t{k}", "content": found}]
        said = [text] if questions else [text, call]
        lines.append(_line(len(lines), "assistant", said, id=f"m{k}", model=MODEL, usage=usage))
        lines.append(_line(len(lines), "user", result))
    return load("\n".join(map(json.dumps, lines)).encode(), name="session.jsonl")[0]


def _line(k: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    at = f"2026-03-01T09:{k // 60:02}:{k % 60:02}Z"
    ids = {"uuid": f"u{k}", "parentUuid": f"u{k - 1}" if k else None, "sessionId": "s", "cwd": "/srv/app"}
    return {"type": role, "timestamp": at, **ids, "message": {"role": role, "content": content, **more}}
