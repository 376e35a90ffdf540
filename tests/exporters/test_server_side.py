"""The parts of requests that leave trimming to a provider's API: what its SDK's types know, and nothing else."""

from __future__ import annotations

import json
from typing import Any, get_args, get_type_hints

import pytest

from historylab import Settings, export
from historylab.exporters.base import differences
from historylab.systems.presets.base import presets

CLEAR = "tool_output.clear."
ANTHROPIC, OPENAI = presets()["anthropic"], presets()["openai"]
BOTH = ANTHROPIC.variants["Clearing and compaction"]
EVERY_KNOB = BOTH.replace(**{f"{CLEAR}exclude": "memory, web search", f"{CLEAR}at_least": 5000})


def request(settings: Settings, target: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(export(settings, target))["request"]
    return found


def edits(settings: Settings) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = request(settings, "anthropic_api")["context_management"]["edits"]
    return found


def told(settings: Settings, target: str) -> dict[str, str]:
    return {name: d.instead for d in differences(settings, target) for name in d.settings}


def test_anthropics_fragment_has_every_knob_there_is():
    clearing, compaction = edits(EVERY_KNOB)
    assert clearing == {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": 100_000},
        "keep": {"type": "tool_uses", "value": 3},
        "clear_at_least": {"type": "input_tokens", "value": 5000},
        "exclude_tools": ["memory", "web search"],
        "clear_tool_inputs": False,
    }
    assert compaction == {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 150_000}}
    assert request(BOTH, "anthropic_api")["betas"] == ["context-management-2025-06-27", "compact-2026-01-12"]


def test_instructions_for_the_summary_go_with_it_if_a_model_would_write_it_here():
    told = {"summarizer.model.prompt": "Keep every id."}
    assert "instructions" not in edits(BOTH.replace(**told))[1]
    assert edits(BOTH.replace(summarizer="model", **told))[1]["instructions"] == "Keep every id."


def test_without_a_trigger_the_api_clears_from_the_first_result_that_is_not_among_the_newest():
    (clearing,) = edits(ANTHROPIC.settings.replace(**{f"{CLEAR}trigger": 0, f"{CLEAR}keep": 7}))
    assert clearing["trigger"] == {"type": "tool_uses", "value": 7} == clearing["keep"]


def test_a_share_of_the_window_is_written_in_tokens_and_never_below_what_the_api_takes():
    shares = OPENAI.settings.replace(**{"compaction.preserve_recent.trigger": 0}, window=80_000, threshold=0.4)
    assert request(shares, "openai_api") == {
        "context_management": [{"type": "compaction", "compact_threshold": 32_000}]
    }
    assert told(shares, "openai_api")["threshold"] == "Written as 32,000 tokens."
    assert edits(shares)[0]["trigger"]["value"] == 50_000
    assert told(shares, "anthropic_api")["compaction.preserve_recent.trigger"] == "The API takes 50,000 at least."


def test_a_compaction_at_a_share_of_an_unknown_window_is_not_carried():
    unknown = OPENAI.settings.replace(**{"compaction.preserve_recent.trigger": 0}, model="nobodys-model-7")
    assert request(unknown, "openai_api") == {}
    assert told(unknown, "openai_api")["compaction"].endswith("So the request asks it to edit nothing.")


def test_what_an_api_has_not_is_named_and_what_is_opaque_said():
    assert "encrypted and not known" in told(OPENAI.settings, "openai_api")["summarizer"]
    assert "0.5% of the window" in told(OPENAI.settings, "openai_api")["compaction.preserve_recent.max_share"]
    assert {"tool_output", "compaction"} <= {*told(BOTH.replace(compaction="rolling"), "openai_api")}
    more = ANTHROPIC.settings.replace(tool_output="clear+truncate", pin="m3", **{f"{CLEAR}batch": 5})
    assert {"tool_output", f"{CLEAR}batch", "pin"} <= {*told(more, "anthropic_api")}
    assert request(Settings(), "anthropic_api") == {"betas": [], "context_management": {"edits": []}}


def test_the_file_is_a_template_too():
    whole = json.loads(export(BOTH, "anthropic_api", only_changed=True))
    assert Settings(**whole["historylab"]) == BOTH
    assert whole["not_carried"][0].startswith("Not carried over: overhead, model")


@pytest.mark.slow  # seconds to load them
def test_anthropics_own_types_know_every_key():
    beta = pytest.importorskip("anthropic.types.beta")
    types = pytest.importorskip("anthropic.types")
    assert {*request(BOTH, "anthropic_api")["betas"]} <= {*get_args(get_args(types.AnthropicBetaParam)[1])}
    clearing, compaction = edits(EVERY_KNOB)
    assert_fits(clearing, beta.BetaClearToolUses20250919EditParam)
    assert_fits(compaction, beta.BetaCompact20260112EditParam)
    assert clearing.keys() == get_type_hints(beta.BetaClearToolUses20250919EditParam).keys()


def test_openais_own_types_know_every_key():
    params = pytest.importorskip("openai.types.responses.response_create_params")
    if not hasattr(params, "ContextManagement"):
        pytest.skip("this openai has no context_management yet")
    (compaction,) = request(OPENAI.settings, "openai_api")["context_management"]
    assert_fits(compaction, params.ContextManagement)


def assert_fits(value: dict[str, Any], typed: Any) -> None:
    """Every key is one of the TypedDict's, its `type` among those it allows, and nested ones likewise."""
    hints = get_type_hints(typed)
    assert value.keys() <= hints.keys()
    assert value["type"] in (get_args(hints["type"]) or (value["type"],))
    for key, inner in value.items():
        if isinstance(inner, dict):
            assert inner.keys() == {"type", "value"}
            fitting = [t for t in (hints[key], *get_args(hints[key])) if hasattr(t, "__total__")]
            assert any(inner["type"] in get_args(get_type_hints(t)["type"]) for t in fitting)
