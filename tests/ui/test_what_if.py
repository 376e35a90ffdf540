"""What Settings sources tries: a ready case against what the sources really say."""

from __future__ import annotations

from types import SimpleNamespace

from historylab.ui.session import what_if
from historylab.ui.session.tab import WhatIf


def test_a_ready_case_empties_other_sources_but_leaves_the_open_file(monkeypatch):
    state = SimpleNamespace(what_if=WhatIf())
    said = {"environment": {}, "you": {"budget": 9}, "url": {}, "template": {}, "recorded": {"budget": 47_000}}
    monkeypatch.setattr(what_if, "tab", lambda: state)
    monkeypatch.setattr(what_if, "touch", lambda: None)
    monkeypatch.setattr(what_if.choices, "said_by_sources", lambda: said)
    what_if.try_case("", {"url": "?budget=5"}, strict=False)
    assert state.what_if.texts == {"you": "", "url": "?budget=5"}
    what_if.try_case("", {"recorded": "budget=60000"}, strict=False)
    assert state.what_if.texts == {"you": "", "recorded": "budget=60000"}
