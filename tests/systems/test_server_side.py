"""What providers do on their servers, simulated: what is sent, what that costs the cache, and what is only assumed."""

from __future__ import annotations

from sketches import conv

from historylab.costs.traffic import traffic
from historylab.planning.replay import replay
from historylab.systems.presets.base import presets

ANTHROPIC, OPENAI = presets()["anthropic"], presets()["openai"]
BOTH = ANTHROPIC.variants["Clearing and compaction"]
TRIGGER = "compaction.preserve_recent.trigger"
SESSION = "s u:40 a(t:60) a(t:60) a(t:60) a(t:60) a(t:60) a u a"


def replayed(settings, **options):
    return replay(conv(SESSION), settings.replace(counter="chars/4", window=12_000, **options))


def test_the_defaults_are_those_that_the_providers_document():
    clear = {name: ANTHROPIC.settings.value(f"tool_output.clear.{name}") for name in ("trigger", "keep", "at_least")}
    assert clear == {"trigger": 100_000, "keep": 3, "at_least": 0}
    assert BOTH.value(TRIGGER) == 150_000
    assert OPENAI.settings.value(TRIGGER) == 200_000


def test_beyond_anthropics_trigger_each_new_result_clears_one_more_and_loses_the_cache():
    timeline = replayed(ANTHROPIC.settings, **{"tool_output.clear.trigger": 300})
    assert [plan.sketch() for plan in timeline.plans][3:] == [
        "PKKKKKKK", "PKKTKKKKKK", "PKKTKTKKKKKK", "PKKTKTKKKKKKKK",
    ]  # fmt: skip
    assert traffic(timeline).broken.tolist() == [False] * 4 + [True, True, False]


def test_openais_compaction_leaves_one_item_and_what_is_newest_and_loses_the_cache_when_it_is_made():
    timeline = replayed(OPENAI.settings, **{TRIGGER: 300})
    assert [plan.sketch() for plan in timeline.plans][3:] == [
        "PKKKKKKK", "PKSSSSSSKK", "PKSSSSSSKKKK", "PKSSSSSSKKKKKK",
    ]  # fmt: skip
    assert traffic(timeline).broken.tolist() == [False] * 4 + [True, False, False]
    assert 0 < timeline.plans[-1].summary_tokens <= 60  # 0.5% of the window


def test_what_is_not_published_is_said():
    assert "encrypted and not known" in OPENAI.assumes(OPENAI.settings)
    assert "not in the bill" in OPENAI.assumes(OPENAI.settings)
    assert ANTHROPIC.assumes(ANTHROPIC.settings).count("Assumed") == 1
    assert ANTHROPIC.assumes(BOTH).count("Assumed") == 2
    assert presets()["octopus"].assumes(OPENAI.settings) == ""


def test_the_rule_speaks_in_tokens():
    assert ANTHROPIC.rule(BOTH) == (
        "clears all but the newest 3 tool results beyond 100,000 tokens and compacts everything at 150,000 tokens"
    )
    shares = OPENAI.settings.replace(**{TRIGGER: 0, "compaction.preserve_recent.messages": 4}, threshold=0.8)
    assert OPENAI.rule(shares) == "compacts everything but the newest 4 messages at 80% of the window"
    assert OPENAI.rule(BOTH) == ""
