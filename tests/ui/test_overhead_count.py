"""Tools and a hidden prompt, pasted beside the overhead: counted, labelled an estimate, and used with a click."""

from __future__ import annotations

import json
import re

import pytest
from app_pages import screen, shown, text, unfolded

pytestmark = pytest.mark.slow  # a whole page, many times

SEARCH = {"name": "search", "description": "Find things", "parameters": {"type": "object"}}
TOOLS = [
    {"type": "function", "function": SEARCH},
    {"name": "<img src=x onerror=alert(1)>", "input_schema": {"type": "object"}},
]


def counting(**link: str):
    """The playground with the fields to paste in unfolded, as a click leaves it."""
    app = screen("pages/playground.py", **link)
    app.session_state["overhead-count"] = True
    return unfolded(app, "Model")


def pasted(app, tools: object, prompt: str = ""):
    app.text_area(key="pasted-tools").set_value(tools if isinstance(tools, str) else json.dumps(tools))
    app.text_area(key="pasted-prompt").set_value(prompt)
    return shown(app.run())


def test_pasted_tools_and_prompt_are_counted_and_used_instead_of_what_was_set():
    app = pasted(counting(overhead="700"), {"tools": TOOLS}, "Always be kind.")
    told = text(app)
    tools, prompt = (int(n) for n in re.search(r"2 tools: (\d+) tokens \+ prompt: (\d+) tokens", told).groups())
    assert "An estimate" in told
    assert "This replaces the current overhead of 700." in told
    assert "<img" not in " ".join(e.proto.body for e in app.get("html"))
    assert app.button(key="use-count").label == f"Use {tools + prompt} tokens"
    shown(app.button(key="use-count").click().run())
    assert app.text_input(key="set overhead").value == f"{tools + prompt:,}"
    assert f"The overhead is set to these {tools + prompt} tokens." in text(app)


def test_broken_json_is_told_with_its_place_and_offers_nothing():
    app = pasted(counting(), '[\n  {"name": }\n]')
    assert "no JSON: expecting value at line 2, column 12" in text(app)
    assert "use-count" not in [button.key for button in app.button]


def test_under_a_system_it_is_beside_the_overhead_too():
    app = pasted(counting(system="octopus"), TOOLS)
    assert "characters // 4" in text(app).partition("An estimate")[2][:200]


@pytest.mark.parametrize("said", ["", "700"])
def test_what_the_environment_sets_is_shown_and_cannot_be_set(monkeypatch, said):
    monkeypatch.setenv("HISTORYLAB_OVERHEAD", "300")
    app = pasted(counting(overhead=said), TOOLS)
    assert "The overhead stays at 300: set by  HISTORYLAB_OVERHEAD" in text(app)
    assert "use-count" not in [button.key for button in app.button]
