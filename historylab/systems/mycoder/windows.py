"""Context windows of models in mycoder's tables, and how much of one the last response used.

Source: the provider files of drivecore/mycoder (774e068). Names count as they are written; Ollama's also before the
colon. The app itself asks `historylab.pricing.window_of`, which knows today's models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.formats.messages.content_parts import mapping_of
from historylab.systems.base import require_whole_number
from historylab.systems.mycoder.usage import LLMResponse, TokenUsage

ANTHROPIC_WINDOWS: Mapping[str, int] = {
    "claude-3-7-sonnet-20250219": 200_000,
    "claude-3-7-sonnet-latest": 200_000,
    "claude-3-5-sonnet-20241022": 200_000,
    "claude-3-5-sonnet-latest": 200_000,
    "claude-3-haiku-20240307": 200_000,
    "claude-3-opus-20240229": 200_000,
    "claude-3-sonnet-20240229": 200_000,
    "claude-2.1": 100_000,
    "claude-2.0": 100_000,
    "claude-instant-1.2": 100_000,
}
OPENAI_WINDOWS: Mapping[str, int] = {
    "o3-mini": 200_000,
    "o1-pro": 200_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "gpt-4o": 128_000,
    "gpt-4-turbo": 128_000,
    "gpt-4-0125-preview": 128_000,
    "gpt-4-1106-preview": 128_000,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-3.5-turbo": 16_385,
    "gpt-3.5-turbo-16k": 16_385,
}
OLLAMA_WINDOWS: Mapping[str, int] = {
    "llama2": 4_096,
    "llama2-uncensored": 4_096,
    "llama2:13b": 4_096,
    "llama2:70b": 4_096,
    "mistral": 8_192,
    "mistral:7b": 8_192,
    "mixtral": 32_768,
    "codellama": 16_384,
    "phi": 2_048,
    "phi2": 2_048,
    "openchat": 8_192,
}
INPUTS = ("input_tokens", "prompt_tokens", "prompt_eval_count")
OUTPUTS = ("output_tokens", "completion_tokens", "eval_count")


def published_window(model: str) -> int | None:
    """Tokens of the model's window where mycoder's tables have it."""
    for table in (ANTHROPIC_WINDOWS, OPENAI_WINDOWS, OLLAMA_WINDOWS):
        if model in table:
            return table[model]
    return OLLAMA_WINDOWS.get(str(model).partition(":")[0])


def token_usage_from_message(usage: Any, model: str, *, context_window: int | None = None) -> LLMResponse:
    """Totals of a response from its usage as Anthropic, OpenAI or Ollama report it: a mapping or the SDK's object.

    `total_tokens` is input + output; on Anthropic that leaves out what came from the cache. `context_window` counts
    only for a model no table knows; without it `max_tokens` is None.
    """
    given = mapping_of(usage)
    prompt, output = _first(given, INPUTS), _first(given, OUTPUTS)
    cached = _inside_prompt(given)
    tokens = TokenUsage(
        input=prompt - cached,
        output=output,
        cache_reads=cached or _first(given, ("cache_read_input_tokens",)),
        cache_writes=_first(given, ("cache_creation_input_tokens",)),
    )
    window = published_window(model) or context_window or None
    return LLMResponse(token_usage=tokens, total_tokens=prompt + output, max_tokens=window)


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> int:
    return next((require_whole_number(given[name], name) for name in names if given.get(name) is not None), 0)


def _inside_prompt(given: Mapping[str, Any]) -> int:
    """Cached tokens OpenAI reports as a part of `prompt_tokens`: counted once, and priced as reads."""
    details = given.get("prompt_tokens_details")
    return _first(mapping_of(details), ("cached_tokens",)) if details else 0
