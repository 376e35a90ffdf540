"""A stand-in for mycoder's `generate_text`."""

from __future__ import annotations

from historylab.systems.mycoder import LLMResponse, TokenUsage

MARK = "[COMPACTED MESSAGE HISTORY]: "


class Writer:
    """A `generate_text` that answers one summary and remembers what it was asked."""

    def __init__(self, text: str = "SUM", usage: TokenUsage | None = None):
        self.requests: list[dict] = []
        self.answer = text if usage is None else LLMResponse(text=text, token_usage=usage)

    def __call__(self, messages, *, temperature):
        self.requests.append({"messages": messages, "temperature": temperature})
        return self.answer
