"""A file that fits its window opens uncut, and a smaller budget is offered; what doesn't fit has a budget that does."""

from __future__ import annotations

import pytest
from reported_sessions import claude_session
from sketches import conv

from historylab import replay, settings_for
from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.costs.bill import against_untrimmed
from historylab.costs.proposal import proposed_settings
from historylab.formats.samples import load_sample
from historylab.recall.retention import retention
from historylab.settings.resolve import resolve_settings
from historylab.wording.costs import is_untrimmed
from historylab.wording.recorded import recorded_sentence

FULL = 165_000  # tokens at which a program compacts


@pytest.fixture(scope="module")
def fitting() -> Conversation:
    """A session of one task, 105,000 of 200,000 tokens at its end."""
    return claude_session(30, lambda _, visible: 17_000 + 1.2 * visible, words=1_500)


def compacted(*, marked: bool) -> Conversation:
    """A session that was full at 165,000 tokens of a window of 200,000, and went on from 40,000."""
    session = claude_session(
        40, lambda k, visible: 17_000 + k * (FULL - 17_000) / 29 if k < 30 else 40_000 + 900 * (k - 30), words=2_400
    )
    summary = 2 * 30 + 1  # before request 30, from 0
    return session.edited(
        m.__class__(m.role, m.content, m.id, tool_calls=m.tool_calls, tool_call_id=m.tool_call_id,
                    metadata={**m.metadata, "compact_summary": True} if marked and i == summary - 1 else m.metadata)
        for i, m in enumerate(session)
    )  # fmt: skip


def test_a_session_that_fits_its_window_opens_uncut(fitting):
    timeline = replay(fitting, settings_for(fitting))
    assert timeline.contexts.max() > 60_000
    assert is_untrimmed(timeline)
    assert not timeline.over_budget.any()
    assert not retention(timeline).losses
    assert against_untrimmed(timeline).ratio == 1


def test_a_smaller_budget_is_offered_and_cuts_where_it_is_taken(fitting):
    proposal = proposed_settings(fitting)
    assert proposal.fits == 200_000 > proposal.what_if
    tried = replay(fitting, resolve_settings({}, you={"budget": proposal.what_if}, recorded=proposal.values).settings)
    assert not is_untrimmed(tried)
    assert not tried.over_budget.any()
    assert "it fits its window of 200,000 and opens untrimmed" in recorded_sentence(proposal)


def test_a_session_of_many_questions_loses_none_of_them():
    session = claude_session(40, lambda _, visible: 9_000 + visible, words=80, questions=True)
    assert len(session.columns.users) > 20
    assert is_untrimmed(replay(session, settings_for(session)))


@pytest.mark.parametrize(
    "said", [{"url": "historyLength=5"}, {"env": {"HISTORYLAB_LENGTH": "5"}}, {"you": {"length": 5}}]
)
def test_a_length_that_somebody_sets_has_its_effect(said):
    session = claude_session(40, lambda _, visible: 9_000 + visible, words=80, questions=True)
    assert proposed_settings(session).values["policy"] == "all"
    found = resolve_settings(**{"env": {}, **said}, recorded=proposed_settings(session).values).settings
    assert (found.policy, found.length) == ("lastN", 5)
    assert (replay(session, found).plans[-1].sketch()).count("D") > 20


@pytest.mark.parametrize("marked", [True, False])
def test_where_the_program_compacted_is_the_window_that_the_file_shows(marked):
    session = compacted(marked=marked)
    proposal = proposed_settings(session)
    assert (proposal.fits, proposal.what_if) == (None, None)
    assert proposal.values["window"] == proposal.full == pytest.approx(FULL, rel=0.01)
    assert settings_for(session).budget <= proposal.full
    assert "its program compacted it at" in recorded_sentence(proposal)


def told(session: Conversation, **cut: object) -> Conversation:
    """The compacted session with a boundary that says so."""
    at = next(i for i, m in enumerate(session) if m.metadata.get("compact_summary"))
    history = SentHistory(at + 1, ((at, at + 1),), summarized=((0, at),), summary=at, cut=RecordedCut(**cut))
    return Conversation(session.messages, metadata={**session.metadata, **sent_metadata([history])})


def test_where_a_file_says_that_its_program_compacted_by_itself_is_its_window():
    proposal = proposed_settings(told(compacted(marked=True), trigger="auto", before=167_731))
    assert proposal.values["window"] == proposal.full == 167_731
    small = told(compacted(marked=True), trigger="auto", before=60_000)
    assert proposed_settings(small).values["window"] == 60_000


def test_what_a_file_says_a_person_had_compacted_is_no_window():
    proposal = proposed_settings(told(compacted(marked=True), trigger="manual", before=167_731))
    assert (proposal.full, "window" in proposal.values) == (None, False)


def test_what_a_person_had_compacted_was_not_full():
    session = claude_session(30, lambda k, visible: 4_000 + visible if k < 24 else 7_000, words=1_200)
    assert proposed_settings(session).full is None
    assert proposed_settings(session).fits == 200_000


def test_a_file_that_names_no_window_is_opened_as_ever():
    proposal = proposed_settings(conv("u:50 a(t:4000) a:20 " * 20))
    assert (proposal.fits, proposal.suggested) == (None, ("budget",))


def test_what_nothing_would_cut_proposes_nothing_more():
    small = Conversation(conv("u a u a").messages, metadata={"model": "claude-opus-4-5"})
    assert proposed_settings(small).suggested == ()


def test_our_sample_of_a_session_opens_uncut_as_a_file():
    sample = load_sample("lamp-through-the-night")[0]
    assert is_untrimmed(replay(sample, settings_for(sample)))
