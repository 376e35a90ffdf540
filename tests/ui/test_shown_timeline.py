"""What was really sent, on screen: when it is shown by itself, when settings take over, and what links say of it."""

from __future__ import annotations

import pytest
from app_pages import ROOT, on_tab, pasted, screen, sentence, shown, text, told, verdict

from historylab import Conversation, Message
from historylab.conversation.sent import SentHistory, sent_metadata
from historylab.formats.convert import write

SAMPLE = {"conv": "sample:lamp-through-the-night"}
CUT = "6 of 34 messages"  # of the last request, as the sample's agent sent it
WHOLE = "34 of 34 messages"
pytestmark = pytest.mark.slow  # whole screens, drawn again at every click


def system(app) -> str:
    return app.selectbox(key="system").value


def choose(app, name: str):
    return shown(app.selectbox(key="system").set_value(name).run())


def test_a_file_with_cuts_opens_as_it_was_sent_and_says_who_cut():
    app = screen(**SAMPLE)
    assert (system(app), CUT in verdict(app)) == ("as-sent", True)
    assert "As Claude Code sent it, with 1 cut" in told(app, "System")


def test_the_fields_then_hold_the_settings_that_would_decide_instead():
    app = screen(**SAMPLE)
    assert sentence(app) == "Or keep the last 20 user messages up to 200k tokens, then drop the oldest turns."
    assert app.text_input(key="set budget").value == "200,000"


def test_a_file_that_says_nothing_of_it_offers_no_such_choice():
    assert "As recorded" not in screen(conv="sample:agatha-the-fern").selectbox(key="system").options


@pytest.mark.parametrize("link", [{"budget": "150000"}, {"system": "octopus"}, {"v": "2"}, {"system": "own"}])
def test_settings_that_a_link_brings_are_shown(link):
    app = screen(**SAMPLE, **link)
    assert (system(app) == "as-sent", CUT in verdict(app)) == (False, False)


def test_settings_of_the_environment_are_shown(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "150000")
    app = screen(**SAMPLE)
    assert (system(app), WHOLE in verdict(app)) == ("", True)


def test_a_setting_that_is_changed_takes_over_and_what_was_sent_can_be_chosen_again():
    app = screen(**SAMPLE)
    shown(app.selectbox(key="set pruner").set_value("off").run())
    assert (system(app), WHOLE in verdict(app)) == ("", True)
    choose(app, "as-sent")
    assert CUT in verdict(app)
    assert app.query_params["system"] == "as-sent"
    shown(app.button(key="defaults").click().run())
    assert (system(app), "system" in app.query_params) == ("as-sent", False)


def test_your_own_settings_are_those_the_file_proposes():
    app = choose(screen(**SAMPLE), "")
    assert WHOLE in verdict(app)
    assert "Recorded with claude-sonnet-4-5" in text(app)
    assert app.query_params["system"] == "own"


@pytest.mark.parametrize("chosen", ["as-sent", ""])
def test_what_is_chosen_outlives_a_reload(chosen):
    app = choose(screen(**SAMPLE), "octopus")
    choose(app, chosen)
    again = screen(**app.query_params)
    assert (system(again), CUT in verdict(again)) == (chosen, bool(chosen))


def test_a_shared_link_shows_what_was_sent_and_brings_the_settings_behind_it():
    app = screen(**SAMPLE)
    app.session_state["historylab"].wanted = "share"
    link = shown(app.run()).code[0].value
    again = screen(**dict(pair.split("=") for pair in link.partition("?")[2].split("&")))
    assert (system(again), CUT in verdict(again)) == ("as-sent", True)


def test_a_link_to_what_was_sent_of_a_file_that_does_not_say_is_refused_in_words():
    app = screen(conv="sample:agatha-the-fern", system="as-sent")
    assert "nothing in the conversation says what was sent" in text(app)


@pytest.mark.parametrize("tab", ["Lost facts", "Cost", "Refused", "Asked later", "Payload", "Stages"])
def test_every_tab_holds_what_is_true_of_it(tab):
    app = screen(**SAMPLE)
    app.session_state["historylab"].message = 3
    said = text(on_tab(app, tab))
    assert "Compacted by Claude Code before request 13" in said
    assert {"Stages": "no stage of these settings was asked", "Asked later": "isn’t known"}.get(tab, "") in said


def test_nothing_is_offered_there_that_would_change_nothing():
    app = screen(**SAMPLE)
    app.session_state["historylab"].message = 3
    keys = {button.key for button in shown(app.run()).button}
    assert not {"pin-instead", "use-overhead", "ignore-recorded"} & keys


def test_settings_that_would_have_kept_a_message_are_tried_beside_what_was_sent_and_taken_back():
    app = screen(**SAMPLE)
    app.session_state["historylab"].message = 3
    shown(shown(app.run()).button(key="try-it").click().run())
    assert "Before Now" in " ".join(text(app).split())
    assert (system(app), app.session_state["historylab"].message) == ("", 3)
    assert "Message 4: ● kept" in " ".join(text(app).split())
    shown(app.button(key="undo-trial").click().run())
    assert (system(app), CUT in verdict(app)) == ("as-sent", True)


def test_what_fits_its_window_but_was_cut_is_not_said_to_open_untrimmed():
    messages = [Message(role, "Noted.") for role in ("user", "assistant") * 24]
    cut = Conversation(messages, metadata={"model": "gpt-4o-mini", **sent_metadata([SentHistory(3, ((2, 3),))])})
    app = choose(pasted(screen(), write(cut, "historylab").text), "")
    assert ("Recorded with gpt-4o-mini" in text(app), "opens untrimmed" in text(app)) == (True, False)


def test_the_export_drawer_says_that_no_setting_decided_it():
    app = screen(**SAMPLE)
    app.session_state["historylab"].wanted = "export"
    assert "These settings aren't in use" in text(shown(app.run()))


def test_the_tab_debug_says_who_decided_it_instead():
    said = text(screen(**SAMPLE, debug="true"))
    assert "As Claude Code sent it" in said
    assert "Source:" not in said


def test_an_edit_was_never_sent_and_taking_it_back_shows_what_was():
    app = screen(**SAMPLE)
    app.session_state["historylab"].message = 3
    shown(shown(app.run()).button(key="delete-message").click().run())
    assert "It was never sent like this" in text(app)
    assert system(app) == ""
    shown(app.button(key="undo-edit").click().run())
    assert CUT in verdict(app)


def test_a_file_of_ones_own_opens_as_it_was_sent_too():
    file = (ROOT / "sample_conversations" / "lamp-through-the-night.jsonl").read_text("utf-8")
    app = pasted(screen(conv="sample:agatha-the-fern"), file)
    assert (system(app), CUT in verdict(app)) == ("as-sent", True)
    assert "system" not in app.query_params


def test_compare_has_what_was_sent_beside_the_settings():
    app = screen("pages/compare.py", **SAMPLE)
    assert "than what was really sent" in verdict(app)
    assert "As sent" in text(app)
    assert "Not trimming never happened here: these messages really were cut." in text(app)


def test_compare_of_a_file_that_says_nothing_has_no_such_column():
    assert "As sent" not in text(screen("pages/compare.py", conv="sample:agatha-the-fern"))
