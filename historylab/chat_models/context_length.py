"""Recognises that a request was refused for its length, and reads the numbers in the server's words.

No two servers say it alike. Sources: the error texts of OpenAI, Anthropic, Gemini, Mistral, Groq, xAI, Cohere,
Together, OpenRouter, Bedrock, vLLM, llama.cpp and LM Studio, of each one in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SAYS_SO = re.compile(
    r"(?i)context[_ -]?(?:length|window|size|limit)|(?:prompt|input|request) is too long|too large for (?:the )?model"
    r"|request too large|maximum prompt length|input token count|too many tokens|tokens in the prompt|max_new_tokens"
    r"|exceed_context|reduce the length|string_above_max_length"
)
N = r"([\d,_]+)"
WINDOWS = (
    rf"(?i)context limit: [\d,]+ \+ [\d,]+ > {N}",
    rf"(?i)(?:context|prompt) (?:length|window|size|limit)\s*(?:is|of|:|only|\()*\s*(?:only )?{N}",
    rf"(?i)tokens? > {N}",
    rf"(?i)model with {N} maximum context",
    rf"(?i)maximum number of tokens allowed \({N}\)",
    rf"(?i)must be <= {N}",
    rf"(?i)cannot exceed {N}",
    rf"(?i)\blimit {N}",
)
REQUESTS = (
    rf"(?i)\({N} in the messages",
    rf"(?i){N} tokens? >",
    rf"(?i)context limit: {N} \+",
    rf"(?i)(?:resulted in|requested(?: about)?|received|contains|has|requests?) {N}(?: input)?(?: tokens)?",
    rf"(?i)token count \({N}\)",
    rf"(?i)given: {N}",
    rf"(?i)first {N}",
)
MAY_SAY_SO = frozenset({0, 400, 413, 422, 429, 500})
"""Statuses of such refusals; 0 is an error in a stream."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """A refusal for its length: the tokens the model takes and those the request had, where the server says so."""

    window: int | None = None
    requested: int | None = None


def read_too_long(status: int, words: str, body: Any = None) -> TooLong | None:
    """What a refusal says of the request's length; None if it was refused for something else."""
    fields = body if isinstance(body, Mapping) else {}
    told = f"{fields.get('code')} {fields.get('type')} {words}"
    if status not in MAY_SAY_SO or not (SAYS_SO.search(told) or status == 413):
        return None
    if status == 429 and "too large" not in words.lower():
        return None  # of tokens a minute: waiting helps
    window = _number(fields.get("n_ctx")) or _first(WINDOWS, words)
    requested = _number(fields.get("n_prompt_tokens")) or _first(REQUESTS, words)
    return TooLong(window, requested if requested != window else None)


def _first(patterns: tuple[str, ...], words: str) -> int | None:
    found = (re.search(pattern, words) for pattern in patterns)
    return next((n for match in found if match and (n := _number(match[1]))), None)


def _number(given: Any) -> int | None:
    digits = re.sub(r"\D", "", str(given)) if isinstance(given, str | int) else ""
    return int(digits) if digits and len(digits) < 12 and int(digits) > 1 else None
