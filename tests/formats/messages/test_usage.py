"""Usage in every provider's spelling, in the fields of `Usage`: input without what a cache held."""

from __future__ import annotations

import pytest

from historylab.formats.messages.usage import to_usage

ANTHROPIC = {"input_tokens": 4, "output_tokens": 9, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20}
TWENTY_AN_HOUR = {"ephemeral_1h_input_tokens": 20, "ephemeral_5m_input_tokens": 0}


HELD = {"cached_tokens": 64}
HELD_OF_LANGCHAIN = {"cache_read": 60, "cache_creation": 30}
GEMINIS = {"candidatesTokenCount": 5, "thoughtsTokenCount": 8, "promptTokenCount": 100, "cachedContentTokenCount": 60}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7}, (100, 7, 0, 0)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": HELD}, (36, 7, 64, 0)),
        ({"input_tokens": 100, "output_tokens": 7, "input_tokens_details": HELD}, (36, 7, 64, 0)),
        (ANTHROPIC, (4, 9, 70, 20)),
        ({**ANTHROPIC, "cache_creation": TWENTY_AN_HOUR}, (4, 9, 70, 20, 20)),
        ({"prompt_tokens": 94, "completion_tokens": 9, "cache_read_input_tokens": 70}, (24, 9, 70, 0)),
        ({"prompt_tokens": 4, "completion_tokens": 9, "cache_read_input_tokens": 70}, (4, 9, 70, 0)),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 90, "completion_tokens": 1}, (10, 1, 90, 0)),
        ({"input_tokens": 100, "cached_input_tokens": 90, "output_tokens": 1}, (10, 1, 90, 0)),
        ({"input_tokens": 100, "output_tokens": 1, "input_token_details": HELD_OF_LANGCHAIN}, (10, 1, 60, 30)),
        ({"inputTokens": 100, "outputTokens": 1, "cachedInputTokens": 90}, (10, 1, 90, 0)),
        (GEMINIS, (40, 13, 60, 0)),
        ({**GEMINIS, "totalTokenCount": 113}, (40, 13, 60, 0)),
        ({**GEMINIS, "candidatesTokenCount": 13, "totalTokenCount": 113}, (40, 13, 60, 0)),  # Qwen Code's
        ({"prompt_eval_count": 26, "eval_count": 298}, (26, 298, 0, 0)),
    ],
)
def test_input_leaves_out_what_was_read_from_a_cache_or_written_to_it(given, found):
    names = ("input", "output", "cache_reads", "cache_writes", "cache_writes_1h")
    assert to_usage(given) == dict(zip(names, found, strict=False))


@pytest.mark.parametrize(
    "given", [None, 5, [], {}, {"input_tokens": "many"}, {"prompt_tokens": -1}, {"total_tokens": 0}]
)
def test_what_reports_no_tokens_is_no_usage(given):
    assert to_usage(given) is None
