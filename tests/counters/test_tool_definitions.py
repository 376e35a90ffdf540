"""Tool definitions, pasted: every provider's wrapping is read, each is counted, and an invalid one is located."""

from __future__ import annotations

import json

import pytest

from historylab.counters.base import open_counter
from historylab.counters.tool_definitions import count_prompt, count_tools, read_tools
from historylab.errors import LoadError

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PLAIN = {"name": "weather", "description": "The weather of a city", "parameters": SCHEMA}
OPENAI = {"type": "function", "function": PLAIN}
ANTHROPIC = {"name": "weather", "description": "The weather of a city", "input_schema": SCHEMA}
FORMS = {
    "OpenAI's list": [OPENAI],
    "a whole request": {"model": "gpt-5", "messages": [], "tools": [OPENAI]},
    "OpenAI's Responses API": [{"type": "function", **PLAIN}],
    "Anthropic's list": [ANTHROPIC],
    "MCP's answer": {"tools": [{"name": "weather", "inputSchema": SCHEMA}], "nextCursor": "x"},
    "Gemini's tools": {"tools": [{"functionDeclarations": [PLAIN]}]},
    "functions, as they once were": {"functions": [PLAIN]},
    "plain functions": [PLAIN],
    "one definition": OPENAI,
}
COUNTERS = [("exact", "gpt-5"), ("chars/4", "gpt-5"), ("octopus", "gpt-5")]


@pytest.mark.parametrize("form", FORMS)
def test_every_providers_form_is_read(form):
    assert [tool.name for tool in read_tools(json.dumps(FORMS[form], indent=2))] == ["weather"]


def test_a_providers_own_tool_goes_by_its_type():
    assert [tool.name for tool in read_tools('[{"type": "web_search"}]')] == ["web_search"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[\n  {"name": "a",}\n]', "line 2, column"),
        ("[", "line 1, column 2"),
        ("search(query)", "line 1, column 1"),
        ('[{"name": "a"}, 5]', "definition 2: a number"),
        ('{"tools": [{"type": "function"}]}', "definition 1: no name"),
        ('{"description": "x"}', "no name"),
        ("7" * 5000, "too long a number"),
        ("[" * 100_000, "too deep"),
        ("[" * 990 + "5" + "]" * 990, "too deep"),
    ],
)
def test_an_invalid_definition_is_located(text, said):
    with pytest.raises(LoadError, match=said):
        read_tools(text)


def test_nothing_pasted_is_no_tools():
    assert read_tools(" \n") == read_tools("[]") == []


@pytest.mark.parametrize(("name", "model"), COUNTERS)
def test_a_definition_counts_its_json_without_framing_and_spaces_count_nothing(name, model):
    counter = open_counter(name, model)
    spaced, tight = (read_tools(json.dumps([OPENAI, PLAIN], indent=indent)) for indent in (4, None))
    counts = count_tools(counter, spaced)
    assert counts == count_tools(counter, tight)
    assert counts[0] > counts[1] > 10
    assert abs(counts[1] - len(json.dumps(PLAIN)) / 4) < 15


@pytest.mark.parametrize(("name", "model"), COUNTERS)
def test_a_hidden_prompt_counts_as_the_message_it_is(name, model):
    counter = open_counter(name, model)
    assert count_prompt(counter, "  ") == 0
    assert count_prompt(counter, "You are brief. " * 20) > 60
