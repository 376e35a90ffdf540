"""What the cards of the sources say."""

from __future__ import annotations

from historylab.settings.resolve import resolve_settings
from historylab.ui.sources.source_order import said_html


def test_the_value_of_an_unknown_name_may_be_a_secret_and_is_not_shown():
    said = said_html(resolve_settings({"HISTORYLAB_API_KEY": "sk-917", "HISTORYLAB_LENGTH": "5"}), "environment")
    assert "HISTORYLAB_LENGTH=5" in said
    assert ">HISTORYLAB_API_KEY</code>" in said
    assert "sk-917" not in said


def test_what_a_link_says_stands_apart_from_what_its_system_decides():
    implied = {"system": {"historyPolicy": "lastN", "historyLength": "20", "pruner": "off"}}
    said = said_html(resolve_settings({}, {"historyPolicy": "none", **implied}), "url")
    assert said.count("historyPolicy=") == 1
    assert "historyLength=" not in said
    assert "<code>system</code> for 2 settings" in said
