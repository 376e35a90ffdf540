"""The playground without a browser: it opens on a cut, obeys its sources in order, and keeps what it had."""

from __future__ import annotations

import json
import logging
import re
from urllib.parse import parse_qsl

import pytest
from app_pages import (
    hovers,
    next_conversation,
    opening,
    pasted,
    screen,
    shown,
    sources,
    text,
    unfolded,
    uploaded,
    verdict,
)

from historylab import Settings, replay
from historylab.formats.samples import load_sample
from historylab.ui.toolbar.share_dialog import NOT_YOURS

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

HELLO = json.dumps({"role": "user", "content": "Hello."})
LINE = json.dumps(
    {"messages": [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "Here."}]}
)


@pytest.mark.parametrize("path", ["app.py", "pages/playground.py"])
def test_it_opens_on_a_sample_with_a_visible_cut_and_a_plain_sentence(path):
    app = screen(path)
    said = verdict(app)
    assert "messages sent" in said
    assert "1.5k of 8k  tokens, 19%" in said
    assert "1,496 of 8,000 tokens: 18.7% of the budget." in hovers(app)
    assert text(app).count("(o200k_base, exact for gpt-5.5)") == 1
    assert "21 of 141  needed facts missing" in said
    assert "83¢" in said


def test_a_link_decides_where_nothing_stronger_does():
    app = screen(historyPolicy="lastN", historyLength="2", agent="demo")
    assert app.number_input(key="set length").value == 2
    assert sources(app)["length"] == "URL"
    assert sources(app)["budget"] == "default"


def test_each_of_agentdocks_links_opens():
    for link in ({"historyPolicy": "all"}, {"historyPolicy": "none"}, {"historyPolicy": "lastN", "historyLength": "0"}):
        assert sources(screen(agent="demo", **link))["policy"] == "URL"


def test_what_is_chosen_on_screen_beats_the_link_and_goes_into_the_address():
    app = screen(budget="3000")
    shown(app.text_input(key="set budget").set_value("500").run())
    assert sources(app)["budget"] == "you"
    assert app.query_params["budget"] == "500"


def test_a_later_answer_still_says_what_every_field_holds():
    """A browser that is behind puts a field on the page from it alone, and what it then holds comes back as chosen."""
    app = screen(budget="3000", historyPolicy="all").run()
    policy, pruner = (app.selectbox(key=f"set {name}").proto for name in ("policy", "pruner"))
    assert app.text_input(key="set budget").proto.default == "3,000"
    assert (policy.options[policy.default], pruner.options[pruner.default]) == ("All", "Oldest first")


@pytest.mark.parametrize("key", ["set budget", "set length", "request"])
def test_an_emptied_field_changes_nothing(key):
    app = screen(budget="3000")
    field = (app.text_input if key == "set budget" else app.number_input)(key=key)
    before = (verdict(app), field.value)
    shown(field.set_value("" if key == "set budget" else None).run())
    field = (app.text_input if key == "set budget" else app.number_input)(key=key)
    assert (verdict(app), field.value) == before


@pytest.mark.parametrize("written", ["1.5k", "1500", "1,500", " 1 500 tokens"])
def test_a_budget_is_read_as_people_write_it_and_shown_with_separators(written):
    app = screen()
    shown(app.text_input(key="set budget").set_value(written).run())
    assert (app.query_params["budget"], app.text_input(key="set budget").value) == ("1500", "1,500")


def test_a_budget_that_is_no_number_is_told_and_changes_nothing():
    app = screen(budget="3000")
    shown(app.text_input(key="set budget").set_value("plenty").run())
    assert "Budget is a number such as 96k or 96,000, not “plenty”." in text(app)
    assert (app.query_params["budget"], app.text_input(key="set budget").value) == ("3000", "3,000")


def test_a_value_equal_to_the_default_is_in_the_address_once_chosen():
    app = screen()
    shown(app.text_input(key="set budget").set_value("500").run())
    shown(app.text_input(key="set budget").set_value("8,000").run())
    assert app.query_params["budget"] == "8000"


def test_the_environment_locks_its_field_and_names_its_variable(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "900")
    app = screen(budget="3000")
    assert "set budget" not in [widget.key for widget in app.number_input]
    assert sources(app)["budget"] == "environment"
    assert "set by  HISTORYLAB_BUDGET" in text(app)


def test_an_environment_of_zero_wins_too(monkeypatch):
    monkeypatch.setenv("NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH", "0")
    app = screen(historyLength="7")
    assert sources(app)["length"] == "environment"
    assert " 2 of " in verdict(app)


def test_a_refused_value_is_told_with_what_counts_instead():
    app = screen(historyPolicy="lastn", budget="many")
    assert "Policy 'lastn' from the URL was refused" in text(app).replace("&#x27;", "'")
    assert "Used: 8,000 (default)" in text(app)


def test_a_link_to_another_page_drawn_before_the_last_click_brings_nothing_back():
    app = screen(historyLength="5")
    before = dict(app.query_params.items())
    shown(app.number_input(key="set length").set_value(2).run())
    app.switch_page("pages/settings.py")
    for name, value in before.items():
        app.query_params[name] = value
    shown(app.run())
    assert app.query_params["historyLength"] == "2"
    shown(app.switch_page("pages/playground.py").run())
    assert " 4 of " in verdict(app)


def test_back_brings_the_settings_of_the_same_page_before():
    app = screen(historyLength="5")
    before = dict(app.query_params.items())
    shown(app.number_input(key="set length").set_value(2).run())
    for name, value in before.items():
        app.query_params[name] = value
    shown(app.run())
    assert " 10 of " in verdict(app)


def test_back_to_defaults_forgets_you_and_the_link():
    app = screen(historyLength="3")
    shown(app.text_input(key="set budget").set_value("500").run())
    shown(app.button(key="defaults").click().run())
    assert set(sources(app).values()) == {"default"}
    assert "budget" not in app.query_params
    assert "defaults" not in [button.key for button in app.button]


def test_the_chosen_pruners_own_options_are_in_a_group_with_their_bounds():
    app = unfolded(screen(pruner="sliding_window"), "What stays")
    turns = app.number_input(key="set pruner.sliding_window.turns")
    assert (turns.value, turns.min) == (10, 0)
    shown(turns.set_value(3).run())
    assert " 6 of " in verdict(app)


def test_the_buttons_step_through_the_requests_and_stop_at_the_ends():
    app = screen()
    assert app.button(key="later").disabled
    shown(app.button(key="earlier").click().run())
    assert "Turn 82:" in verdict(app)


def test_a_file_that_is_none_says_so_in_one_sentence_and_what_was_open_stays():
    app = screen()
    before = verdict(app)
    uploaded(app, ("photo.png", b"\x89PNG\r\n\x1a\n0000"))
    assert "“photo.png”: this is a PNG image, not a transcript" in text(app)
    assert "What is shown is “A birthday by the sea”." in text(app)
    assert verdict(app) == before


def test_a_file_of_parts_that_cannot_be_read_is_refused_in_one_sentence_and_one_read_in_part_says_so():
    app = screen()
    foreign = '[{"role": "user", "content": [{"type": {"a": 1}, "text": "x"}]}]'
    for content, words in (
        (foreign, "o message in it could be read as OpenAI Chat Completions: 1 record was left out"),
        ('{"a": 1}', "Found an object with the key a, in no format read here"),
    ):
        pasted(app, content)
        assert words in text(app)
    pasted(app, f'{{"model": "m", "messages": [{HELLO}, {foreign[1:-1]}]}}')
    assert "1 message from 1 of 2 records; 1 was left out" in text(app)
    assert "Left out, 1 ×: a part whose type is an object, which can&#x27;t be read, and nothing else" in text(app)
    assert "Kept beside the messages: model" in text(app)


def test_an_upload_is_opened_and_never_in_the_address():
    app = screen()
    uploaded(app, ("orders.json", LINE.encode()))
    assert "1 of 1 messages sent" in verdict(app)
    assert "conversation" not in app.query_params


def test_text_can_be_pasted():
    app = pasted(screen(), LINE)
    assert "1 of 1 messages sent" in verdict(app)


def test_a_generated_conversation_is_in_the_address_and_opens_again_from_it():
    app = screen()
    opening(app, "Generate")
    app.selectbox(key="generator").set_value("support_desk").run()
    app.number_input(key="support_desk.turns").set_value(5)
    shown(app.button(key="generate").click().run())
    spec = app.query_params["conv"]
    assert spec.startswith("gen:support_desk:turns=5,")
    assert verdict(screen(conv=spec)) == verdict(app)
    assert verdict(screen(conversation=spec.removeprefix("gen:"))) == verdict(app)  # as links once said


def test_a_file_of_several_conversations_is_stepped_through_on_one_line():
    app = screen(conversation="three-languages")
    first = verdict(app)
    assert "entry-before" not in {button.key for button in app.button}
    assert verdict(next_conversation(app)) != first
    assert app.query_params["which"] == "2"
    assert "entry-after" not in {button.key for button in next_conversation(app).button}


def test_a_link_to_a_conversation_that_is_none_says_so_and_opens_the_default():
    app = screen(conversation="no-such-sample")
    assert "can&#x27;t be opened: there is no sample" in text(app)
    assert "messages sent" in verdict(app)


def test_a_conversation_without_a_request_is_no_error():
    app = pasted(screen(), '[{"role": "assistant", "content": "Hello!"}]')
    assert "This conversation makes no model requests." in text(app)
    assert "this holds only an answer" in text(app)
    assert "0 tokens" not in text(app)


@pytest.mark.parametrize("side", ["Messages", "Payload", "Stages"])
def test_a_models_name_in_a_link_is_only_text(side):
    app = screen(model="<img src=x onerror=alert(1)>")
    app.session_state["side"] = side
    shown(app.run())
    written = [e.proto.body for e in app.get("html")]
    assert any("&lt;img src=x" in body and "hl-meta" in body and "okens" in body for body in written)
    assert not any("<img" in body for body in written)


@pytest.fixture
def development_log(monkeypatch, caplog):
    caplog.set_level(logging.INFO, "historylab")
    monkeypatch.setattr(logging.getLogger("historylab"), "handlers", [logging.NullHandler()])
    monkeypatch.setenv("NODE_ENV", "development")
    return caplog


@pytest.mark.feature("A19", "A20")
def test_the_history_lines_are_logged_in_development_only(development_log, monkeypatch):
    screen(agent="demo", historyLength="2")
    assert [line for line in development_log.messages if "[History]" in line][:2] == [
        '[History] Agent demo history settings: {policy: "lastN", length: 2, messageCount: 166}',
        "[History] Trimmed messages from 166 to 4",
    ]
    development_log.clear()
    monkeypatch.setenv("NODE_ENV", "production")
    screen(agent="demo")
    assert "[History]" not in development_log.text


@pytest.mark.feature("A17", "A20")
@pytest.mark.parametrize("link", [{"budget": "900"}, {"budget": "2000", "pruner": "summarize"}, {"pruner": "off"}])
def test_what_is_logged_is_what_the_screen_says_of_the_newest_request_whatever_trimmed_it(development_log, link):
    """Under `all` AgentDock's policy trims nothing; the budget does, and the log has the plan's own numbers."""
    app = screen(historyPolicy="all", agent="demo", **link)
    said = verdict(app)
    lines = [line for line in development_log.messages if "from" in line]
    share = re.search(r"(\d+) of (\d+) messages sent", said)
    sent, messages = int(share[1]), int(share[2])
    trimmed = [f"[History] Trimmed messages from {messages} to {sent}"] if sent < messages else []
    tokens, counter = re.search(r"([\d,]+) of [\d,]+ tokens", hovers(app)), re.search(r"in all \((.+?)\)", text(app))
    untrimmed = int(replay(load_sample()[0], Settings()).untrimmed[-1])
    token_line = f"[History] Tokens from {untrimmed} to {tokens[1].replace(',', '')} ({counter[1]})"
    assert lines == [*trimmed, token_line]
    assert bool(trimmed) == ("budget" in link)


@pytest.mark.feature("A20")
def test_a_change_of_any_setting_is_logged_and_a_rerun_is_not(development_log):
    app = screen(historyPolicy="all")
    lines = len(development_log.messages)
    shown(app.run())
    assert len(development_log.messages) == lines
    shown(app.text_input(key="set budget").set_value("900").run())
    assert any("Trimmed messages from 166 to" in line for line in development_log.messages[lines:])


def test_a_template_file_named_in_the_environment_is_a_source(monkeypatch, tmp_path):
    template = tmp_path / "agent.json"
    template.write_text('{"chatSettings": {"historyPolicy": "lastN", "historyLength": 4}}')
    monkeypatch.setenv("HISTORYLAB_TEMPLATE", str(template))
    assert sources(screen())["length"] == "template"


def test_every_exporter_is_in_the_drawer():
    app = screen(budget="3000")
    shown(app.button(key="export").click().run())
    assert "HISTORYLAB_BUDGET=3000" in app.code[0].value
    assert {".env", "Shell", "JSON", "Kubernetes"} <= set(app.segmented_control(key="as").options)


def test_the_export_drawer_says_what_a_format_cannot_carry():
    app = screen(budget="3000")
    app.session_state["as"] = "agentdock"
    shown(app.button(key="export").click().run())
    assert "**Pruner, Budget" in app.warning[0].value
    assert "With this conversation" not in text(app)


def test_the_export_drawer_says_what_an_api_would_refuse_of_what_these_settings_send():
    app = screen(filter="newest", **{"filter.newest.messages": "0"})
    shown(app.button(key="export").click().run())
    assert re.search(r"With this conversation: .*83 of the 83 requests that are sent would be refused", text(app))


def test_the_share_link_decides_every_setting_and_opens_the_same_request():
    app = screen(budget="3000", conv="sample:three-languages", which="2")
    shown(app.button(key="earlier").click().run())
    shown(app.button(key="share").click().run())
    link = app.code[0].value
    assert "v=2&budget=3000&" in link
    assert "historyLength" not in link
    assert "the sample that is open: three-languages" in text(app)
    again = screen(**dict(parse_qsl(link.partition("?")[2], keep_blank_values=True)))
    assert verdict(again) == verdict(app)
    assert (sources(again)["budget"], sources(again)["length"]) == ("URL", "default")  # what the link doesn't say


def test_the_share_dialog_says_when_the_conversation_stays_here():
    app = pasted(screen(), LINE)
    shown(app.button(key="share").click().run())
    assert NOT_YOURS in text(app)
    assert app.code[0].value.endswith("?v=2&conv=file")


def test_what_a_link_says_of_a_place_and_cannot_be_read_is_told():
    app = screen(request="0", cmp="budgt:3", v="7")
    for words in ("request '0' in the link", "cmp 'budgt:3' in the link", "v '7' in the link"):
        assert words in text(app).replace("&#x27;", "'")
