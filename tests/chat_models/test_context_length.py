"""Refusals of requests that are too long, in the words of many servers."""

from __future__ import annotations

import pytest

from historylab.chat_models.context_length import TooLong, read_too_long

SAID = {
    "OpenAI, by code": (400, "Your input exceeds the context window of this model.", None, None),
    "OpenAI": (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 10012 tokens.",
        8192,
        10012,
    ),
    "Azure": (
        400,
        "This model's maximum context length is 4096 tokens, however you requested 4997 tokens (3997 in your prompt; "
        "1000 for the completion).",
        4096,
        4997,
    ),
    "vLLM": (
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, "
        "500 in the completion). Please reduce the length of the messages or completion.",
        4096,
        4500,
    ),
    "vLLM, newer": (
        400,
        "'max_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 3900 "
        "input tokens",
        4096,
        3900,
    ),
    "Anthropic": (400, "prompt is too long: 210031 tokens > 200000 maximum", 200_000, 210_031),
    "Anthropic, with the answer": (
        400,
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
        200_000,
        190_000,
    ),
    "Gemini": (
        400,
        "The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).",
        1_048_576,
        1_200_345,
    ),
    "Mistral": (
        400,
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        32_768,
        40_000,
    ),
    "OpenRouter": (
        400,
        "This endpoint's maximum context length is 131,072 tokens. However, you requested about 200,123 tokens",
        131_072,
        200_123,
    ),
    "xAI": (
        400,
        "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
        131_072,
        200_000,
    ),
    "Together": (
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and "
        "500 `max_new_tokens`",
        4097,
        4000,
    ),
    "Cohere": (
        400,
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
        4081,
        5000,
    ),
    "LM Studio": (
        400,
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context "
        "length of only 4096 tokens",
        4096,
        5000,
    ),
    "llama.cpp": (
        400,
        "the request exceeds the available context size (4096 tokens), try increasing it",
        4096,
        None,
    ),
    "Groq": (
        413,
        "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8123, please reduce",
        6000,
        8123,
    ),
    "OpenAI, a minute's tokens": (
        429,
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40001.",
        30_000,
        40_001,
    ),
    "Bedrock": (400, "Input is too long for requested model. The prompt is too long", None, None),
    "a proxy": (413, "<html>Request Entity Too Large</html>", None, None),
    "in a stream": (0, "it is an error: maximum context length is 2048 tokens", 2048, None),
}


@pytest.mark.parametrize("name", SAID)
def test_a_refusal_for_its_length_is_recognised_with_the_numbers_it_names(name):
    status, words, window, requested = SAID[name]
    assert read_too_long(status, words) == TooLong(window, requested)


def test_fields_count_where_the_server_has_some():
    body = {"type": "exceed_context_size_error", "n_prompt_tokens": 5021, "n_ctx": 4096}
    assert read_too_long(400, "no", body) == TooLong(4096, 5021)
    assert read_too_long(400, "Reduce it.", {"code": "context_length_exceeded"}) == TooLong()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.3"),
        (401, "context length exceeded"),
        (429, "Rate limit reached: Limit 30000, Used 29000, Requested 1200. Please try again in 1s."),
        (500, "oops"),
        (404, "no model with a context window like that"),
    ],
)
def test_nothing_else_is(status, words):
    assert read_too_long(status, words) is None
