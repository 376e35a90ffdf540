"""The caches keep timelines apart that differ only in the summaries a model wrote."""

from __future__ import annotations

from sketches import conv

from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.settings.model import Settings
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
