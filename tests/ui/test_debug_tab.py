"""The tab Debug: open as AgentDock's link opens it; how the request one looks at came about."""

from __future__ import annotations

import re

import pytest
import streamlit
from app_pages import on_tab, opening, screen, shown, text

from historylab.systems.presets.base import preset_in_link

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

WORDS = ("Policy", "Length", "Source", "Messages")


def debugged(**link: str):
    """Inspect as a link opens it on the tab."""
    return screen(debug="true", **link)


def panel(app) -> str:
    return next((e.proto.body for e in app.get("html") if "<th>Policy</th>" in e.proto.body), "")


def test_agentdocks_link_opens_it_with_its_four_words_and_each_fields_source(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "5")
    told = panel(debugged(historyPolicy="lastN"))
    assert all(f"<th>{word}</th>" in told for word in WORDS)
    assert "URL (historyPolicy)" in told
    assert "environment (HISTORYLAB_LENGTH)" in told
    assert panel(screen(historyPolicy="lastN")) == ""


TEMPLATE = {"HISTORYLAB_TEMPLATE": "template.json"}


@pytest.mark.feature("A21")
@pytest.mark.parametrize(
    ("env", "link", "source"),
    [
        ({"NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH": "5"}, {"preserveSystemMessages": "false"}, "environment"),
        (TEMPLATE, {"historyPolicy": "all"}, "URL"),
        ({}, {"preserveSystemMessages": "false"}, "URL"),
        (TEMPLATE, {}, "default (template)"),
        ({}, {}, "default"),
    ],
)
def test_its_source_is_the_strongest_of_every_setting_and_a_template_is_named(monkeypatch, tmp_path, env, link, source):
    (tmp_path / "template.json").write_text('{"chatSettings": {"historyLength": 7}}')
    monkeypatch.chdir(tmp_path)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert f'<th>Source</th><td class="hl-word">{source}</td>' in panel(debugged(**link))


@pytest.mark.parametrize("given", [{"v": "2"}, {"system": "agentdock"}, {"v": "2", "system": "agentdock"}])
def test_only_what_a_link_says_is_told_as_the_urls(given):
    told = panel(debugged(historyPolicy="none", **given))
    implied = "default (AgentDock)" if "system" in given else "default"
    assert source(told, "Policy") == "Source: URL (historyPolicy)"
    assert source(told, "Length") == source(told, "System messages") == f"Source: {implied}"
    assert '<th>Source</th><td class="hl-word">URL</td>' in told
    assert f'<th>Source</th><td class="hl-word">{implied}</td>' in panel(debugged(**given))


def test_a_system_in_the_link_is_not_told_as_its_word_where_the_environment_decides(monkeypatch):
    monkeypatch.setenv("NEXT_PUBLIC_DEFAULT_HISTORY_POLICY", "lastN")
    monkeypatch.setenv("NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH", "5")
    told = panel(debugged(historyPolicy="none", system="agentdock"))
    assert '<th>Source</th><td class="hl-word">environment</td>' in told
    assert source(told, "System messages") == "Source: default (AgentDock)"


def test_an_old_link_that_says_all_of_a_systems_fields_is_told_as_the_urls():
    told = panel(debugged(**preset_in_link("agentdock"), system="agentdock"))
    assert source(told, "Length") == "Source: URL (historyLength)"
    assert source(told, "System messages") == "Source: URL (preserveSystemMessages)"


def source(told: str, word: str) -> str:
    return re.search(rf"<th>{word}</th><td[^>]*>[^<]*</td><td>([^<]*)", told)[1]


def test_its_source_may_be_you():
    app = debugged()
    shown(app.number_input(key="set length").set_value(3).run())
    assert '<th>Source</th><td class="hl-word">you</td>' in panel(app)


def test_a_link_that_takes_the_system_messages_away_is_told_beside_them():
    told = panel(debugged(preserveSystemMessages="false"))
    assert re.search(r"System messages</th><td[^>]*>not kept</td><td>Source: URL \(preserve", told)


def test_the_link_opens_it_once_and_another_tab_stays_open():
    app = on_tab(debugged(), "Cost")
    shown(app.number_input(key="set length").set_value(3).run())
    assert panel(app) == ""
    assert panel(on_tab(app, "Debug"))


def test_tokens_per_message_add_up_to_what_is_sent():
    app = debugged(historyLength="3")
    table = next(frame.value for frame in app.dataframe if "decision" in frame.value and "why" not in frame.value)
    parts = r"([\d,]+) tokens of messages \+ ([\d,]+) of formatting \+ ([\d,]+) outside the messages = ([\d,]+) sent"
    messages, *others, sent = (int(n.replace(",", "")) for n in re.search(parts, text(app)).groups())
    assert table["sent"].sum() == messages
    assert messages + sum(others) == sent
    assert len(table) == 166


def test_what_took_how_long_is_measured_and_says_when():
    told = text(debugged())
    rows = "Count the tokens of 166 messages|Replay: plan 83 requests|Draw the page"
    took = dict(re.findall(rf"({rows}).*?([\d.]+) ms", told))
    assert len(took) == 3
    assert float(took["Draw the page"]) > float(took["Replay: plan 83 requests"]) > 0
    assert "when these settings were replayed" in told


def test_the_versions_are_those_installed():
    installed = rf"HistoryLab \S+, Streamlit {re.escape(streamlit.__version__)}, Python 3\.\S+, toktok-rs \d"
    assert re.search(installed, text(debugged()))


def test_a_conversation_without_a_request_has_settings_and_sources_all_the_same():
    app = screen()
    opening(app, "Paste")
    app.text_area(key="pasted").set_value('[{"role": "assistant", "content": "Hello!"}]').run()
    app.button(key="open-pasted").click().run()
    assert panel(on_tab(app, "Debug"))
    on_tab(app, "Sources")
    assert any("Setting by setting" in e.proto.body for e in app.get("html"))
