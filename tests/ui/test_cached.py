"""The caches keep apart what differs only in the summaries a model wrote, and what different tabs opened."""

from __future__ import annotations

import ast
import gc
import inspect
import re
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

from app_pages import screen
from sketches import conv

from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.settings.model import Settings
from historylab.ui.session import cached, cached_recording
from historylab.ui.session.cached import timeline_key

FOLDS = Settings(policy="all", pruner="summarize", summarizer="model", budget=160)


def summarised_as(text: str) -> Timeline:
    model = ScriptedChatModel(replies=[Reply(text)] * 20)
    timeline = replay(conv("u a u a u a u a u", words=30), FOLDS, instruments=open_instruments(FOLDS, chat_model=model))
    assert any(text in plan.summary.text for plan in timeline.plans if plan.summary)
    return timeline


def test_another_summary_of_the_same_length_is_another_timeline():
    assert timeline_key(summarised_as("The red one.")) == timeline_key(summarised_as("The red one."))
    assert timeline_key(summarised_as("The red one.")) != timeline_key(summarised_as("The big one."))


def test_only_samples_generated_conversations_and_the_servers_recording_are_cached_for_all_tabs():
    assert set(shared_by(cached)) == {"sample", "generate_file"}
    of_recording = {"open_watch", "recorded_shelf", "recorder", "plans_as_sent", "requests_decided_otherwise"}
    assert set(shared_by(cached_recording)) == of_recording


def shared_by(module: ModuleType) -> Iterator[str]:
    for function in ast.parse(inspect.getsource(module)).body:
        for call in getattr(function, "decorator_list", ()):
            options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            if options.get("scope") != "'session'":
                yield function.name


def test_no_garbage_is_looked_for_while_a_conversation_is_replayed(monkeypatch):
    looked = []
    monkeypatch.setattr(cached, "replay", lambda *given: looked.append(gc.isenabled()) or replay(*given))
    cached._replay(conv("u a u a"), SimpleNamespace(settings=FOLDS, timeline=None, seconds=0.0))
    assert (looked, gc.isenabled()) == ([False], True)


def test_what_changes_brings_no_script_markup_or_style():
    components = [element.proto for element in screen("pages/playground.py").get("bidi_component")]
    scripts = [c for c in components if c.component_name.endswith("_script")]
    assert {c.component_name for c in scripts} >= {f"historylab.{n}_script" for n in ("history_map", "token_bars")}
    assert all(c.WhichOneof("data") is None for c in scripts)
    assert all(len(c.js_content + c.html_content + c.css_content) < 500 for c in components if c not in scripts)


def test_a_script_brings_what_it_uses_of_the_shared_ones_and_no_comments():
    components = [element.proto for element in screen("pages/playground.py").get("bidi_component")]
    code = {c.component_name.removeprefix("historylab."): c.js_content for c in components}
    assert "makeClock" in code["history_map_script"]
    assert "makeClock" not in code["search_hits_script"]
    assert not re.search(r"^\s*//", code["history_map_script"], re.MULTILINE)
