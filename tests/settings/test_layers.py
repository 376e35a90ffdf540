"""What a source says as text: written out, edited, and read back."""

from __future__ import annotations

import pytest

from historylab.settings.layers import read_layer, write_layer

SAID = {
    "environment": {"HISTORYLAB_LENGTH": "0", "NEXT_PUBLIC_DEFAULT_HISTORY_POLICY": "all"},
    "you": {"budget": "4000", "pruner.fifo.unit": "block"},
    "url": {"historyPolicy": "all", "filter": "newest+scope"},
    "template": {"chatSettings": {"historyPolicy": "none", "historyLength": 5}},
    "recorded": {"model": "gpt-4o"},
}


@pytest.mark.parametrize("source", SAID)
def test_what_was_written_out_is_read_back(source):
    assert dict(read_layer(source, write_layer(source, SAID[source])).values) == SAID[source]


@pytest.mark.parametrize("source", SAID)
def test_an_empty_text_says_nothing(source):
    assert read_layer(source, "\n ").values == {}
    assert not read_layer(source, "").problems


def test_only_settings_of_the_environment_are_written_out():
    assert write_layer("environment", {"PATH": "/bin", "OPENAI_API_KEY": "sk", "HISTORYLAB_LENGTH": "3"}) == (
        "HISTORYLAB_LENGTH=3"
    )


def test_only_settings_of_a_template_are_written_out():
    own = {"length": 5, "chatSettings": {"historyPolicy": "all"}, "historylab": {"budget": 900}}
    private = {
        "OPENAI_API_KEY": "sk-1",
        "HISTORYLAB_API_KEY": "sk-2",
        "nodeConfigurations": {"llm": {"apiKey": "sk-3"}},
    }
    held = {"chatSettings": {"historyPolicy": "all", "initialMessages": ["sk-4"]}}
    held["historylab"] = {"budget": 900, "note": "sk-5"}
    assert read_layer("template", write_layer("template", {**own, **private, **held})).values == own


def test_the_environment_is_read_as_people_write_it():
    found = read_layer("environment", "# ours\nexport HISTORYLAB_BUDGET='4000'\n\nHISTORYLAB_LENGTH = 3\n")
    assert found.values == {"HISTORYLAB_BUDGET": "4000", "HISTORYLAB_LENGTH": "3"}
    assert not found.problems


@pytest.mark.parametrize(
    ("source", "text", "told"),
    [
        ("environment", "HISTORYLAB_LENGTH=3\nlength 5", "Line 2 is no NAME=value"),
        ("environment", "LENGTH=3", "No setting is read from LENGTH; did you mean HISTORYLAB_LENGTH"),
        ("url", "?historylength=5", "No setting is called historylength; did you mean historyLength"),
        ("template", "{", "It says nothing, because the text is not valid JSON"),
        ("template", '{"length": [}', "It says nothing, because"),
        ("you", "budget", "Line 1 is no NAME=value"),
        ("url", "a" * 20_001, "It has 20,001 characters; at most 20,000 are read"),
    ],
)
def test_what_cannot_be_read_is_said(source, text, told):
    assert read_layer(source, text).problems[0].startswith(told)


def test_a_whole_address_is_a_url_too():
    found = read_layer("url", "http://localhost:3000/chat?agent=demo&historyPolicy=all&historyPolicy=none")
    assert found.values["historyPolicy"] == "all"
