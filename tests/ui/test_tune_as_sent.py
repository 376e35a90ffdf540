"""Improve where what was really sent is on screen: that is what settings must do better than, and what they replace."""

from __future__ import annotations

import pytest
from app_pages import screen, shown, sources, text

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tune page, as sent")]  # one process has the advice
PAGE = "pages/tune.py"
CUT = {"conv": "sample:held-for-the-auditors"}
SENT = "as-sent"


def tune(**link: str):
    """The page within the frame, as its link opens it."""
    return shown(screen("app.py", **link).switch_page(PAGE).run())


def system(app) -> str:
    return app.selectbox(key="system").value


def pick(app, label: str):
    field = next(each for each in app.selectbox if each.label.startswith("Settings looked at"))
    option = next(option for option in field.options if option.partition(":")[0] == label)
    return shown(field.select(option).run())


def test_the_verdict_is_beside_what_really_happened():
    app = tune(**CUT)
    assert system(app) == SENT
    assert "less than yours" not in text(app)
    assert " than what really happened; the chance " in text(app)
    assert "beside what was really sent" in text(app)
    assert "better than what really happened" in app.segmented_control(key="aim").options


def test_what_was_sent_can_be_picked_and_is_nobodys_settings():
    app = pick(tune(**CUT), "As sent")
    assert "This is what was really sent." in text(app)
    assert "Summaries here come from the offline summarizer" not in text(app)
    assert not {"use", "compare-with-mine", "export-these"} & {button.key for button in app.button}
    assert "What each single change does from here" not in text(app)


def test_the_export_of_an_agents_session_begins_with_the_command_that_starts_it_under_these_settings():
    app = shown(tune(**CUT).button(key="export-these").click().run())
    assert app.code[0].value == "historylab run --settings historylab.env -- claude"
    assert next(e.proto.label for e in app.get("download_button")) == "Download historylab.env for claude"


def test_a_candidate_takes_the_place_of_what_was_sent_until_that_is_undone():
    app = shown(tune(**CUT).button(key="use").click().run())
    assert system(app) == ""
    assert "you" in sources(app).values()
    assert system(shown(app.button(key="undo-trial").click().run())) == SENT


def test_the_settings_the_file_proposes_are_a_candidate_too():
    app = pick(tune(**CUT), "FIFO to 200,000")
    shown(app.button(key="use").click().run())
    assert (system(app), "you" in sources(app).values()) == ("", False)


@pytest.mark.parametrize(
    ("label", "compared"),
    [("FIFO to 200,000", {"A"}), ("FIFO to 200,000 over all messages (down to half)", {"A", "B"})],
)
def test_a_candidate_is_compared_with_what_was_sent(label, compared):
    app = shown(pick(tune(**CUT), label).button(key="compare-with-mine").click().run())
    assert {button.key[-1] for button in app.button if button.key.startswith("remove ")} == {"S", *compared}


def test_all_conversations_of_a_file_are_beside_what_happened_where_all_know_it():
    app = tune(conv="sample:lamp-through-the-night")
    shown(app.toggle(key="everywhere").set_value(True).run())
    assert "in 2 conversations" in text(app)
    assert "what really happened" in text(app)


def test_your_own_settings_are_the_base_once_they_are_chosen():
    app = tune(**CUT)
    shown(app.selectbox(key="system").set_value("").run())
    assert "what really happened" not in text(app)
    assert "Yours" in text(app)


def test_what_the_environment_sets_is_kept_so_the_base_is_its_settings(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "9000")
    app = tune(**CUT, system=SENT)
    assert "what really happened" not in text(app)
    assert "Set by the environment, so not varied: Budget" in text(app)
