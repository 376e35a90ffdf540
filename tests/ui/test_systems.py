"""The choice of a system: its preset is loaded, its fields come first in its words, and leaving it is marked."""

from __future__ import annotations

import os
from itertools import cycle
from pathlib import Path

import pytest
from app_pages import screen, sentence, shown, sources, text, told, unfolded, uploaded, verdict

from historylab import load
from historylab.errors import LoadError
from historylab.formats.samples import samples
from historylab.planning.pipeline import plan_requests
from historylab.systems.presets.base import preset_in_link, presets

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

PAGE = "pages/playground.py"
REAL = os.environ.get("HISTORYLAB_REAL", "")
VARIANTS = [f"{name}:{variant}" for name, preset in presets().items() for variant in preset.variants]
LARGEST, MOST_CONVERSATIONS = 20_000_000, 3  # bytes of a real file, and how many of its conversations are looked at


def chosen(name: str, **link: str):
    app = screen(PAGE, **link)
    return shown(app.selectbox(key="system").set_value(name).run())


def labels(app) -> list[str]:
    kinds = ("selectbox", "number_input", "text_input", "toggle")
    return [w.label for kind in kinds for w in app.sidebar.get(kind)]


def test_ones_own_settings_come_first_and_every_system_is_offered():
    app = screen(PAGE)
    assert app.selectbox(key="system").value == ""
    ours = ["Your own settings", *(p.title for p in presets().values())]
    assert app.selectbox(key="system").options[: len(ours)] == ours


def test_choosing_a_system_loads_its_preset_as_chosen_by_you():
    app = chosen("octopus")
    assert app.number_input(key="set min_turns").value == 3
    assert app.text_input(key="set budget").value == "100,000"
    assert {sources(app)[name] for name in ("budget", "min_turns", "reserve", "pruner")} == {"you"}
    assert sources(unfolded(app, "Model"))["model"] == "default"
    assert app.query_params["system"] == "octopus"


def test_octopus_minimum_and_window_start_at_0_as_in_its_functions():
    app = chosen("octopus")
    shown(app.selectbox(key="set pruner").set_value("sliding_window").run())
    fields = [app.number_input(key=f"set {name}") for name in ("min_turns", "pruner.sliding_window.turns")]
    assert [field.min for field in fields] == [0, 0]
    shown(fields[0].set_value(0).run())
    shown(app.number_input(key="set pruner.sliding_window.turns").set_value(0).run())
    assert "keeps the last 0 turns" in text(app)


def test_its_fields_bear_its_names_and_units():
    short = "sample:theatre-trials"
    assert "Minimum history · complete turns" in labels(chosen("octopus", conv=short))
    assert "Rolling summary above · turns" in labels(chosen("toolpack", conv=short))
    assert {"History · pairs", "History · characters"} <= set(labels(chosen("mentu", conv=short)))
    mycoder = labels(chosen("mycoder", conv=short))
    assert {"Threshold · share of the window", "Preserve recent · messages"} <= set(mycoder)


def test_the_open_fields_keep_their_names_and_tell_the_systems():
    app = chosen("agentdock")
    assert {"System", "Policy", "Length", "Pruner", "Budget"} <= set(labels(app))
    assert "AgentDock calls it History length (historyLength)." in told(app, "Length")


def test_its_members_bear_its_names():
    pruner = chosen("octopus").selectbox(key="set pruner")
    assert pruner.options == ["FIFO", "Summarize", "Sliding window"]


def test_one_line_says_what_it_does_to_this_conversation():
    said = "AgentDock keeps the last 20 user messages: 40 of 166 messages at the last request, 1,496 tokens"
    assert said in text(chosen("agentdock"))


def test_what_a_provider_does_not_publish_is_said_below_the_line():
    app = chosen("openai")
    assert "OpenAI API compacts everything at 200,000 tokens: all 166 messages at the last request" in text(app)
    assert "What OpenAI's compaction item holds is encrypted and not known." in plain(app)


def test_counts_are_labelled_as_the_systems_own():
    app = chosen("octopus")
    assert "characters // 4 + 4 a message, an estimate" in text(app)
    assert "exact" not in verdict(app)


def test_a_changed_field_is_marked_and_there_is_a_way_back():
    app = chosen("agentdock")
    shown(app.number_input(key="set length").set_value(5).run())
    assert sentence(app).startswith("AgentDock, with changes: keep the last 5 user messages")
    assert app.button(key="system-back").help == "History length was 20."
    assert "keeps the last 5 user messages: 10 of" in text(app)
    shown(app.button(key="system-back").click().run())
    assert sentence(app).startswith("AgentDock: keep the last 20 user messages")
    assert app.number_input(key="set length").value == 20


def test_the_model_is_no_part_of_a_system():
    app = chosen("agentdock")
    shown(unfolded(app, "Model").selectbox(key="set model").set_value("gpt-4o").run())
    assert sentence(app).startswith("AgentDock: keep")


def test_another_stage_makes_it_another_system():
    app = chosen("octopus")
    shown(app.selectbox(key="set policy").set_value("none").run())
    assert "Octopus, with changes: 2 of 166 messages" in text(app)


def test_ones_own_settings_come_back_as_they_were():
    app = screen(PAGE, budget="3000")
    shown(app.number_input(key="set length").set_value(7).run())
    shown(app.selectbox(key="system").set_value("mentu").run())
    shown(app.selectbox(key="system").set_value("octopus").run())
    shown(app.selectbox(key="system").set_value("").run())
    assert app.number_input(key="set length").value == 7
    assert app.text_input(key="set budget").value == "3,000"
    assert sources(app)["budget"] == "URL"
    assert "system" not in app.query_params


def test_a_field_the_environment_holds_stays_locked_and_says_so(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "2500")
    app = chosen("octopus")
    assert sources(app)["budget"] == "environment"
    assert "Set by the environment, not by Octopus: Working memory" in told(app, "System")
    assert sentence(app).startswith("Octopus: keep everything up to 2.5k tokens")


def test_variants_are_offered_and_off_by_default():
    app = chosen("mentu")
    assert app.selectbox(key="variant").value == ""
    shown(app.selectbox(key="variant").set_value("Future: relevance").run())
    assert app.query_params["system"] == "mentu:Future: relevance"
    assert "most relevant in 25,000 tokens" in text(app)
    shown(app.selectbox(key="system").set_value("mycoder").run())
    assert app.selectbox(key="variant").value == ""
    shown(app.selectbox(key="variant").set_value("Sub-agent: late and hard").run())
    assert app.number_input(key="set compaction.preserve_recent.messages").value == 6


def test_a_variants_own_window_goes_with_it():
    app = chosen("mentu", conv="sample:theatre-trials")  # a short one, as it is drawn three times
    shown(app.selectbox(key="variant").set_value("Future: summarise before truncating").run())
    assert app.text_input(key="set window").value == "50,000"
    shown(app.selectbox(key="system").set_value("mycoder").run())
    assert app.text_input(key="set window").value == ""


def test_a_link_names_a_system_and_what_was_changed_of_it():
    app = screen(PAGE, v="2", system="octopus", minTurns="5")
    assert app.selectbox(key="system").value == "octopus"
    assert app.number_input(key="set min_turns").value == 5
    assert {sources(app)[name] for name in ("budget", "min_turns")} == {"system", "URL"}
    assert sentence(app).startswith("Octopus, with changes: keep")
    assert verdict(screen(PAGE, **dict(app.query_params.items()))) == verdict(app)


def test_the_address_says_what_was_said_and_leaves_the_rest_to_the_system_it_names():
    said = {"historyPolicy": "none", "system": "agentdock"}
    assert address(screen(PAGE, **said)) == {"v": "1", **said}
    app = chosen("octopus")
    assert set(address(app)) == {"v", "system"}
    shown(app.number_input(key="set min_turns").set_value(5).run())
    assert address(app) == {"v": "1", "system": "octopus", "minTurns": "5"}
    shown(app.button(key="system-back").click().run())
    assert address(app) == {"v": "1", "system": "octopus"}
    complete = {"v": "2", "system": "octopus", "minTurns": "5"}
    assert address(screen(PAGE, **complete)) == complete


@pytest.mark.parametrize("version", ["1", "2"])
def test_an_old_link_with_all_of_a_systems_fields_opens_as_the_system_and_keeps_them(version):
    told = {"v": version, "system": "octopus", **preset_in_link("octopus"), "minTurns": "5"}
    app = screen(PAGE, **told)
    assert app.button(key="system-back").help == "Minimum history was 3."
    assert sources(app)["budget"] == "URL"
    assert address(app) == told


def address(app) -> dict[str, str]:
    return {name: value for name, value in app.query_params.items() if name != "conv"}


def test_a_link_to_a_system_that_is_none_says_so():
    app = screen(PAGE, system="kraken")
    assert "kraken" in text(app)
    assert app.selectbox(key="system").value == ""


def test_back_to_defaults_leaves_the_system():
    app = chosen("toolpack")
    shown(app.button(key="defaults").click().run())
    assert app.selectbox(key="system").value == ""
    assert "system" not in app.query_params


def test_projected_messages_say_so_and_the_payload_is_what_is_sent():
    app = chosen("mentu", conv="sample:bike-rental-support")
    assert "The messages are shown as Mentu's prompt has them: 12 made from the conversation's 26." in plain(app)
    assert "made from 26," in text(app)


def test_the_inspector_shows_octopus_figures_under_debug_only():
    app = chosen("octopus", debug="true", minTurns="1")
    for word in ("Context inspector", "totalTokens", "budgetUsedPercent", "pruningApplied", "SystemPrompt", "section"):
        assert word in text(app)
    assert "Context inspector" not in text(chosen("octopus"))
    assert "Context inspector" not in text(chosen("agentdock", debug="true"))


def test_a_model_whose_window_nobody_knows_is_one_sentence_not_a_broken_page():
    app = chosen("mycoder", model="a-model-of-my-own")
    assert "the context window of 'a-model-of-my-own' is not known; set `window` (tokens)" in plain(app)
    shown(app.text_input(key="set window").set_value("8,000").run())
    assert "messages sent" in verdict(app)


def test_participants_are_offered_where_ids_are_asked_for():
    app = chosen("toolpack", conv="sample:ferry-desk")
    agent = app.selectbox(key="set projection.point_of_view.agent")
    assert len(agent.options) > 2
    shown(agent.set_value(agent.options[1]).run())
    assert sentence(app).startswith("toolpack: keep")
    app = unfolded(screen(PAGE, conv="sample:garden-room", filter="participants"), "Shortening")
    people = app.multiselect(key="set filter.participants.ids")
    assert len(people.options) >= 4
    shown(people.set_value(people.options[:1]).run())
    assert app.query_params["filter.participants.ids"] == people.options[0]


@pytest.mark.parametrize(("sample", "name"), list(zip(samples(), cycle(presets()), strict=False)))
def test_presets_draw_samples(sample, name):  # tests/systems plans every sample under every preset
    app = screen(PAGE, system=name, conv=f"sample:{sample}")
    assert "messages sent" in verdict(app)
    assert sentence(app).startswith(f"{presets()[name].title}: keep")


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_variant_draws(spec):
    assert "messages sent" in verdict(screen(PAGE, system=spec))


def plain(app) -> str:
    return text(app).replace("&#x27;", "'")


def real_files() -> list[Path]:
    found = [path for path in sorted(Path(REAL).rglob("*")) if path.is_file() and path.stat().st_size < LARGEST]
    return found[:: max(1, len(found) // 40)]  # a sample of them: every file is replayed in test_real_transcripts


@pytest.mark.skipif(not REAL, reason="HISTORYLAB_REAL names no folder of real transcripts")
@pytest.mark.parametrize("path", real_files() if REAL else [], ids=lambda path: path.name)
def test_every_preset_draws_real_conversations(path):
    try:
        conversations = load(path)[:MOST_CONVERSATIONS]
    except LoadError as problem:
        pytest.skip(f"{path.name} is no transcript we read: {problem}"[:160])
    for preset in presets().values():
        for conversation in conversations:
            for plan in plan_requests(conversation, preset.settings):
                assert plan.over_budget == (plan.tokens > plan.budget)
    app = screen(PAGE)
    uploaded(app, (path.name, path.read_bytes()))
    for name in presets():
        shown(app.selectbox(key="system").set_value(name).run(timeout=120))
