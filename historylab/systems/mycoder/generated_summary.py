"""mycoder's summary: its prompt, the transcript it is given, and the caller's `generate_text` that writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from historylab.formats.messages.content_parts import mapping_of
from historylab.summarizers.base import SummaryTask

SUMMARIZER_PROMPT = (
    "You are an AI assistant tasked with summarizing a conversation. Provide a concise but informative summary that "
    "captures the key points, decisions, and context needed to continue the conversation effectively."
)
TRANSCRIPT_HEADER = "Here's the conversation to summarize:"
TEMPERATURE = 0.3  # low, for consistent summaries

GenerateText = Callable[..., Any]
"""`generate_text(messages, *, temperature)` gives a text, or an object with `text` and `token_usage`."""


class GeneratedSummary:
    """The caller's `generate_text` as a summarizer: it is given mycoder's prompt and the transcript."""

    name = "generate_text"

    def __init__(self, generate_text: GenerateText, prompt: str, token_tracker: Any = None):
        self._generate_text, self._prompt, self._token_tracker = generate_text, prompt, token_tracker

    def summarize(self, task: SummaryTask) -> str:
        transcript = "\n".join(f"{given_role(m.source)}: {content_text(m.source)}" for m in task.messages)
        request = [
            {"role": "system", "content": SUMMARIZER_PROMPT},
            {"role": "user", "content": f"{self._prompt}\n\n{TRANSCRIPT_HEADER}\n{transcript}"},
        ]
        answer = self._generate_text(request, temperature=TEMPERATURE)
        if isinstance(answer, str):
            return answer
        if self._token_tracker is not None:
            self._token_tracker.token_usage.add(answer.token_usage)
        text: str = answer.text
        return text


def given_role(message: Any) -> str:
    """The role as the caller wrote it."""
    return str(mapping_of(message).get("role") or "")


def content_text(message: Any) -> str:
    """The content as text: parts of text joined by newlines, any other value as JSON, "" where there is none."""
    content = mapping_of(message).get("content")
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = [p if isinstance(p, str) else p["text"] for p in parts if isinstance(p, str) or _is_text(p)]
    return "\n".join(texts) if texts else json.dumps(content, ensure_ascii=False, default=str)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)
