"""Token counts as providers and frameworks report them, in the fields of `Usage`, in whichever spelling.

OpenAI, Gemini and most frameworks count what was read from a cache within the input; Anthropic counts it beside.
Sources: the API references of Chat Completions, Responses, Messages, Gemini's usageMetadata, and Ollama; LiteLLM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

INPUT = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
OUTPUT = ("completion_tokens", "output_tokens", "candidates_token_count", "response_token_count", "eval_count")
READS = (
    *("cache_read_input_tokens", "cached_tokens", "cached_content_token_count", "cached_input_tokens"),
    *("prompt_cache_hit_tokens", "cache_read_tokens", "cache_read"),
)
WRITES = ("cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens", "cache_creation")
HOUR = ("ephemeral_1h_input_tokens", "cache_write_1h_tokens")
MINUTES = ("ephemeral_5m_input_tokens",)
"""Names of one count, the first that is given counts; nested ones are looked for, too."""

DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details", "cache_creation")
BESIDE = {"cache_read_input_tokens", "cache_creation_input_tokens"}
"""Beside `input_tokens` (as in Anthropic's API) these are not counted within it."""

MORE_INPUT, MORE_OUTPUT = ("tool_use_prompt_token_count",), ("thoughts_token_count",)
"""Gemini's, which its other counts leave out."""
TOTAL = "total_token_count"


def to_usage(given: Any) -> dict[str, int] | None:
    """Tokens as a provider reported them, by field of `Usage`; None if it reported none."""
    if not isinstance(given, Mapping):
        return None
    fields = dict(_counts(given))
    reads, writes, hour, minutes = (_first(fields, names) for names in (READS, WRITES, HOUR, MINUTES))
    writes = max(writes, hour + minutes)  # LangChain gives the parts, and 0 for the whole
    taken = _first(fields, INPUT) + _first(fields, MORE_INPUT)
    if not ("input_tokens" in given and given.keys() & BESIDE) and taken >= reads + writes:
        taken -= reads + writes
    output = _first(fields, OUTPUT)
    if fields.get(TOTAL) != _first(fields, INPUT) + output:  # Qwen Code counts thoughts within the output
        output += _first(fields, MORE_OUTPUT)
    found = {"input": taken, "output": output, "cache_reads": reads, "cache_writes": writes}
    if hour:
        found["cache_writes_1h"] = hour
    for beside in filter(None, map(to_usage, _compactions(given))):
        found |= {name: found.get(name, 0) + count for name, count in beside.items()}
    return found if any(found.values()) else None


def _compactions(given: Mapping[Any, Any]) -> Iterator[Any]:
    """The passes in which Anthropic's API compacted: its own counts are without them."""
    passes = given.get("iterations")
    for each in passes if isinstance(passes, list) else ():
        if isinstance(each, Mapping) and each.get("type") == "compaction":
            yield {name: count for name, count in each.items() if name != "iterations"}


def _counts(given: Mapping[Any, Any]) -> Iterator[tuple[str, int]]:
    """The counts, nested ones first, so that those at the top win. Names in camel case become snake case."""
    named = [(_spelt(str(name)), value) for name, value in given.items()]
    for name, value in named:
        if name in DETAILS and isinstance(value, Mapping):
            yield from _counts(value)
    yield from ((name, value) for name, value in named if type(value) is int and value > 0)


@lru_cache(maxsize=256)
def _spelt(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _first(fields: Mapping[str, int], names: tuple[str, ...]) -> int:
    for name in names:
        if name in fields:
            return fields[name]
    return 0
