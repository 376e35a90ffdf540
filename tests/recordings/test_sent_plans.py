"""A recording as it was sent: each request under the settings, and in the mode, that its line names."""

from __future__ import annotations

import pytest
from live_recording import TRIMMED, recording

from historylab import Settings, as_sent
from historylab.formats.samples import load_sample
from historylab.recordings.sent_plans import decided_otherwise, newest_decision, sent_plans
from historylab.recordings.watch import Watch

WHOLE = Settings(policy="all", pruner="off")


@pytest.fixture
def proxy(tmp_path):
    with recording(tmp_path) as proxy:
        yield proxy


def conversation_in(proxy):
    """The newest conversation on record."""
    watch = Watch(proxy.store._store)
    return watch.conversations(watch.newest(1)[0].id)[0]


def test_each_request_is_planned_under_its_own_settings(proxy):
    app = proxy.app()
    for _ in range(5):
        app.ask()
    app.settings = WHOLE
    app.ask()
    app.settings = TRIMMED
    app.ask()
    found = sent_plans(conversation_in(proxy))
    assert [plan.sketch() for plan in found.timeline.plans][-3:] == ["DDDDKKKKK", "K" * 11, "DDDDDDDDKKKKK"]
    assert found.timeline.settings == TRIMMED
    assert found.timeline.under == (TRIMMED,) * 5 + (WHOLE, TRIMMED)
    assert found.otherwise == ()


def test_what_went_through_untrimmed_is_whole_and_what_was_only_watched_is_as_it_would_be(proxy):
    app = proxy.app()
    for _ in range(4):
        app.ask()
    app.ask(untrimmed="too slow")
    app.mode = "audit"
    app.ask()
    found = sent_plans(conversation_in(proxy))
    assert [plan.sketch() for plan in found.timeline.plans][-2:] == ["K" * 9, "DDDDDDKKKKK"]
    assert found.audited == (False,) * 5 + (True,)
    assert as_sent(conversation_in(proxy)).plans[-1].sketch() == "K" * 11


def test_a_first_request_that_failed_is_drawn_under_the_settings_it_was_sent_with(proxy):
    app = proxy.app()
    app.mode = "audit"
    app.ask(response={"error": {"message": "no such key"}}, status=401)
    watch = Watch(proxy.store._store)
    shown = watch.newest(1)[0]
    found = sent_plans(watch.conversations(shown.id)[0], shown.of_newest)
    assert (found.timeline.settings, found.audited, found.unrecorded) == (TRIMMED, (True,), ())


def test_an_answer_that_no_line_is_of_is_said(proxy):
    app = proxy.app()
    app.ask()
    app.messages += [{"role": "user", "content": "And?"}, {"role": "assistant", "content": "No."}]
    app.ask()
    found = sent_plans(conversation_in(proxy))
    assert found.unrecorded == (1,)
    assert len(found.timeline.plans) == 3


def test_a_recorded_decision_that_a_new_plan_does_not_make_is_drawn_and_found_when_asked(proxy):
    app = proxy.app()
    for _ in range(3):
        app.ask()
    conversation = conversation_in(proxy)
    assert decided_otherwise(conversation) == ()
    conversation[3].metadata["decisions"] = "D2K1"
    assert sent_plans(conversation).timeline.plans[1].sketch() == "DDK"
    assert sent_plans(conversation).otherwise == ()
    assert decided_otherwise(conversation) == (1,)


def test_a_request_planned_again_says_at_once_that_other_decisions_are_on_record(proxy):
    app = proxy.app()
    for _ in range(3):
        app.ask()
    conversation = conversation_in(proxy)
    for answer in conversation[1::2]:
        del answer.metadata["decided"]
    assert sent_plans(conversation).otherwise == ()
    conversation[3].metadata["decisions"] = "D2K1"
    assert sent_plans(conversation).otherwise == (1,)


def test_a_conversation_from_elsewhere_is_planned_under_the_defaults():
    conversation = load_sample("birthday-by-the-sea")[0]
    found = sent_plans(conversation)
    assert found.timeline.settings == Settings()
    assert newest_decision(conversation) is None


@pytest.mark.parametrize("under", [{"prunner": "x"}, {"budget": "many"}, {7: 7}, [], "all"])
def test_settings_that_cannot_be_read_count_as_unknown(proxy, under):
    proxy.app().ask()
    conversation = conversation_in(proxy)
    conversation[1].metadata["sent_under"] = under
    assert sent_plans(conversation).timeline.settings == Settings()
    assert newest_decision(conversation) is None
