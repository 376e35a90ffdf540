"""The answer place: it names the first loss, walks through them, tries what would keep a message, and takes it back."""

from __future__ import annotations

import re
from dataclasses import replace as changed
from types import SimpleNamespace

import pytest
import streamlit as st
from app_pages import screen, shown, sources, text, uploaded
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

from historylab import Settings, replay
from historylab.formats.samples import load_sample
from historylab.planning.reasons import Action
from historylab.recall.retention import retention
from historylab.ui.request import first_answer, request_view, try_it
from historylab.ui.session import background_work, cached
from historylab.wording.verdict import count_actions, count_sent

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

BIRTHDAY = {"conv": "sample:birthday-by-the-sea", "historyPolicy": "lastN", "historyLength": "20"}


def click(app, key: str):
    return shown(app.button(key=key).click().run())


def keys(app) -> set[str]:
    return {button.key for button in app.button}


def choose(app, message: int):
    app.session_state["historylab"].message = message
    return shown(app.run())


def looked_at(app) -> tuple[int, int]:
    state = app.session_state["historylab"]
    return state.request, state.message


def test_what_would_keep_a_message_is_tried_told_by_fresh_replays_and_taken_back_to_the_source_it_had():
    app = choose(screen(**BIRTHDAY, budget="7000"), 1)
    before, said = replay(load_sample("birthday-by-the-sea")[0], Settings(length=20, budget=7000)), text(app)
    undo = before.explain(-1, 1).undo
    assert set(undo) == {"length", "budget"}
    assert app.button(key="try-it").label == f"Try it: budget {undo['budget']:,}, length {undo['length']:,}"
    told = f"Sent if Length ≥ {undo['length']:,} and Budget ≥ {undo['budget']:,}."
    assert app.button(key="try-it").help.startswith(told)

    click(app, "try-it")
    after = replay(before.original, before.settings.replace(**undo))
    told = " ".join(text(app).split())
    assert f"Trying Length {undo['length']:,}, Budget {undo['budget']:,}" in told
    assert "Message 2 × dropped ● kept ✓ better" in told
    sent = [count_sent(count_actions(timeline.plans[-1])) for timeline in (before, after)]
    assert f"Messages sent {sent[0][0]} of {sent[0][1]} {sent[1][0]} of {sent[1][1]} +{sent[1][0] - sent[0][0]}" in told
    assert f"Tokens {before.plans[-1].tokens:,} {after.plans[-1].tokens:,} +" in told
    assert f"Facts lost {len(retention(before).losses)} {len(retention(after).losses)} ✓ better" in told
    assert (sources(app)["length"], sources(app)["budget"]) == ("you", "you")
    assert [app.button(key=f"{way}-trial").proto.type for way in ("undo", "keep")] == ["secondary", "primary"]

    click(app, "undo-trial")
    assert text(app) == said
    assert (sources(app)["length"], sources(app)["budget"]) == ("URL", "URL")

    click(app, "try-it")
    click(app, "keep-trial")
    assert "undo-trial" not in keys(app)
    assert sources(app)["length"] == "you"


def test_a_trial_that_loses_more_facts_asks_to_be_undone(monkeypatch):
    monkeypatch.setattr("historylab.ui.request.try_it.costs_facts", lambda shifts: True)
    app = click(choose(screen(**BIRTHDAY), 60), "try-it")
    assert [app.button(key=f"{way}-trial").proto.type for way in ("undo", "keep")] == ["primary", "secondary"]


def test_a_trial_ends_where_one_of_its_values_is_chosen_anew():
    app = click(choose(screen(**BIRTHDAY), 60), "try-it")
    assert "undo-trial" in keys(app)
    shown(app.number_input(key="set length").set_value(40).run())
    assert "undo-trial" not in keys(app)


def test_a_trial_ends_with_the_conversation_it_was_about():
    app = click(choose(screen(**BIRTHDAY), 60), "try-it")
    app = uploaded(app, ("next.json", b'[{"role": "user", "content": "Hello?"}]'))
    assert "undo-trial" not in keys(choose(app, 0))


def test_what_the_environment_locks_is_not_tried_and_the_variable_is_named(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "20")
    app = choose(screen(**BIRTHDAY), 60)
    assert "Length is set by HISTORYLAB_LENGTH in the environment, so it can’t be tried here." in text(app)
    assert "try-it" not in keys(app)


def test_where_no_setting_would_send_it_a_pin_does(monkeypatch):
    found = cached.answer
    monkeypatch.setattr(cached, "answer", lambda *about: changed(found(*about), undo=None))
    app = choose(screen(**BIRTHDAY), 60)
    assert "No setting we tried would send it." in text(app)
    assert "try-it" not in keys(app)
    click(app, "pin-instead")
    assert "Always sent: you pinned it." in text(app)


def test_what_takes_long_to_find_is_offered_a_click_ends_it_and_all_else_is_drawn_before_it(monkeypatch):
    drawn, found, waiting = [], cached.answer, ScriptRequests()
    waiting.request_rerun(RerunData(fragment_id="one on the page"))
    monkeypatch.setattr(try_it, "AT_ONCE", 20)
    monkeypatch.setattr(cached, "answer", lambda *about: drawn.append("answer") or found(*about))
    monkeypatch.setattr(request_view, "request_tabs", lambda *_: drawn.append("tabs") or [])
    app = choose(screen(conv=BIRTHDAY["conv"], historyPolicy="all", budget="1500", pruner="summarize"), 4)
    assert "The 83 requests up to this one are planned again" in app.button(key="find-answer").help
    assert "answer" not in drawn
    with monkeypatch.context() as clicking:
        clicking.setattr(background_work, "get_script_run_ctx", lambda **_: SimpleNamespace(script_requests=waiting))
        click(app, "find-answer")
    assert "try-it" not in keys(app)
    click(app, "find-answer")
    assert drawn[-2:] == ["tabs", "answer"]
    assert app.button(key="try-it").help.startswith("Sent if Budget = ")
    assert "find-answer" not in keys(app)


def test_it_names_a_loss_that_is_gone_for_good_leads_there_and_from_one_to_the_next():
    timeline = replay(load_sample("birthday-by-the-sea")[0], Settings(length=20))
    losses = retention(timeline).losses
    places = sorted({(loss.step, loss.message) for loss in losses})
    app = screen(**BIRTHDAY)
    assert app.button(key="first-loss").label == "Message 6 was dropped at turn 23."
    click(app, "first-loss")
    assert looked_at(app) == (22, 5)
    shown(app.run())
    assert f"Loss 1/{len(losses)}" in text(app)  # the worst is the first of them
    assert "loss-before" not in keys(app)
    assert "and no longer had it (■ gone for good: a person said it)" in text(app)
    others = [place for place in places if place != (22, 5)]
    click(app, "loss-after")
    assert looked_at(app) == others[0]
    click(app, "loss-before")
    click(app, "need-0")
    assert looked_at(app) == (22, 5)  # that is where it is needed
    click(app, "loss-after")
    click(app, "since")
    request, message = looked_at(app)
    assert timeline.plans[request].actions[message] == Action.DROPPED
    assert timeline.plans[request - 1].actions[message] == Action.KEPT
    click(app, "close-answer")
    assert looked_at(app)[1] is None
    click(app, "loss-after")  # from the one that the headline names
    assert looked_at(app) == others[0]


def test_the_headlines_loss_is_mended_with_one_click_that_loses_less_in_all():
    app = screen(**BIRTHDAY)
    click(app, "try-it")
    said = " ".join(text(app).split())
    assert re.search(r"Facts lost 21 \d ✓ better", said)
    assert "first-loss" not in keys(app)  # the trial is the answer


def test_with_nothing_lost_a_cheaper_setting_is_tried_with_one_click():
    app = screen(conv="sample:garden-room")
    assert "47% cheaper, no fact lost." in text(app)
    click(app, "try-it")
    assert app.button(key="undo-trial").label == "Undo"
    assert "Facts lost 0 0" in " ".join(text(app).split())


def test_a_long_search_for_cheaper_settings_is_offered_and_where_none_is_found_the_search_is(monkeypatch):
    st.cache_resource.clear()
    monkeypatch.setattr(first_answer, "AT_ONCE", 3)
    app = screen(conv="sample:garden-room")
    assert "try-it" not in keys(app)
    click(app, "find-saving")
    assert "try-it" in keys(app)
    monkeypatch.setattr(first_answer, "find_saving", lambda *_: None)
    assert first_answer.NONE_BETTER in text(click(screen(conv="sample:agatha-the-fern"), "find-saving"))


def test_where_every_request_is_over_the_budget_the_answer_is_what_mends_it():
    app = screen(conv="sample:agatha-the-fern", historyPolicy="all", pruner="off", budget="500")
    assert "Every request exceeds the budget" in text(app)
    assert "mend budget" in keys(app)
    assert first_answer.NONE_BETTER not in text(app)
    assert not {"try-it", first_answer.FIND_SAVING} & keys(app)


def test_a_message_that_comes_later_leads_to_the_first_request_after_it():
    app = screen(conv="sample:birthday-by-the-sea", historyPolicy="all", pruner="off")
    assert "loss-after" not in keys(app)
    app.session_state["historylab"].request = 0
    choose(app, 10)
    assert "It comes after the request shown." in text(app)
    click(app, "first-request")
    assert looked_at(app) == (5, 10)


def test_where_the_environment_holds_what_would_keep_it_the_answer_tries_something_else_or_says_so(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "20")
    assert "try-it" in keys(screen(conv="sample:birthday-by-the-sea"))
    monkeypatch.setenv("HISTORYLAB_BUDGET", "2000")
    assert "Budget is set by HISTORYLAB_BUDGET" in text(screen(conv="sample:birthday-by-the-sea", system="octopus"))
    monkeypatch.setenv("HISTORYLAB_STRICT_ENVIRONMENT", "true")
    app = screen(conv="sample:birthday-by-the-sea")
    assert "try-it" not in keys(app)
    assert "The environment is strict, so it can’t be tried here." in text(app)
