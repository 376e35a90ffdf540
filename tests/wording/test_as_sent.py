"""Words on what was really sent: whose size and limit it is, what isn't known, and not trimming beside it."""

from __future__ import annotations

import pytest
from recorded_sessions import session

from historylab import Conversation, Message, Settings, as_sent, replay
from historylab.conversation.message import Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.costs.amounts import money
from historylab.costs.bill import against_untrimmed
from historylab.costs.proposal import settings_for
from historylab.figures.context_bar import context_bar
from historylab.figures.svg_file import token_file
from historylab.formats.samples import load_sample
from historylab.planning.context_fill import context_fill, context_limit
from historylab.reports.decisions import decisions_csv
from historylab.reports.report import report
from historylab.reports.shown import Shown
from historylab.wording.as_sent import (
    as_sent_line,
    smaller_falls_sentence,
    unknown_sentence,
    untrimmed_note,
    untrimmed_sentence,
)
from historylab.wording.context import context_fill_sentence, measured_by
from historylab.wording.costs import as_reported_sentence, cost_finding

CUT = load_sample("lamp-through-the-night")[0]
CUTS = (SentHistory(4, ((2, 4),)), SentHistory(6, ((4, 6),), known=False, why="its line is missing"))


def chat(*histories: SentHistory, window: int | None = None, reported: int = 900, **metadata) -> Conversation:
    """Four turns in long messages; the first request reports its size."""
    said = [Message(("user", "assistant")[i % 2], f"{i} " + "words " * 200) for i in range(8)]
    said[1] = Message("assistant", said[1].content, metadata={"usage": Usage(input=reported, output=9)})
    parameters = {"parameters": {"num_ctx": window}} if window else {}
    return Conversation(said, metadata={**sent_metadata(histories), **parameters, **metadata})


def test_what_a_reported_size_has_besides_is_not_in_the_file():
    timeline = as_sent(CUT)
    bar, last = context_bar(timeline, 12, "key"), context_fill(timeline, 12)["overhead"]
    assert f'aria-label="Tokens by kind: not in the file {last:,}' in bar
    assert "not in the file" in token_file(timeline, 12)
    assert "overhead" not in token_file(timeline, 12)


def test_its_limit_is_the_models_window_and_of_an_unknown_one_the_largest_request():
    assert context_limit(as_sent(CUT)).is_window
    assert context_fill_sentence(as_sent(CUT), 12) == "7.1% of claude-sonnet-4-5's window."
    unknown = as_sent(chat(*CUTS, model="nobodys-model"))
    assert context_fill_sentence(unknown, int(unknown.contexts.argmax())) == "100% of the largest request."
    assert not unknown.over_budget.any()


def test_a_request_without_a_report_does_not_claim_one():
    assert measured_by(as_sent(CUT), 12) == "reported by the provider"
    assert "calibrated" in measured_by(as_sent(CUT), 14)


def test_a_request_of_which_nothing_tells_says_so_and_why():
    timeline = as_sent(chat(*CUTS))
    assert [bool(unknown_sentence(timeline, i)) for i in range(4)] == [False, False, False, True]
    assert "isn’t known which messages this request held: its line is missing." in unknown_sentence(timeline, 3)
    assert "its line is missing" in report([Shown(timeline)], 3)


def test_beside_any_timeline_of_a_file_with_cuts_stands_the_cost_without_them():
    for timeline in (as_sent(CUT), replay(CUT, settings_for(CUT))):
        compared = against_untrimmed(timeline)
        cost = money(compared.baseline.total)
        assert untrimmed_sentence(timeline, compared) == f"Without the cuts it would have cost {cost}."
    assert "untrimmed, as it would have been" in report([Shown(as_sent(CUT))], 12)
    assert untrimmed_sentence(replay(load_sample("agatha-the-fern")[0], Settings())) == ""


def test_where_prices_are_unknown_the_size_without_the_cuts_is_told():
    timeline = as_sent(chat(*CUTS))
    largest = timeline.untrimmed_contexts.max()
    assert untrimmed_sentence(timeline) == f"Without the cuts it would have had up to {largest:,} tokens a request."


def test_without_the_cuts_it_would_not_have_fitted_where_it_is_over_the_window():
    timeline = as_sent(chat(*CUTS, window=1000))
    over = f"would not have fitted: up to {timeline.untrimmed_contexts.max():,} tokens in a window of 1,000."
    assert untrimmed_sentence(timeline) == f"Without the cuts it {over}"
    assert untrimmed_sentence(timeline, against_untrimmed(timeline)).endswith(f", and {over}")


def test_in_a_comparison_not_trimming_never_happened_beside_a_cut():
    assert untrimmed_note(as_sent(CUT)) == "Not trimming never happened here: these messages really were cut."
    assert untrimmed_note(replay(load_sample("agatha-the-fern")[0], Settings())) == ""


def test_a_window_that_moves_is_counted_by_its_moves():
    assert "with 1 cut:" in as_sent_line(as_sent(CUT))
    assert "As the app sent it, cut anew at 2 requests:" in as_sent_line(as_sent(chat(*CUTS)))


def test_a_bill_names_who_cut_and_stands_beside_what_was_reported():
    timeline = as_sent(CUT)
    assert cost_finding(timeline, against_untrimmed(timeline)).effect.startswith("With Claude Code’s cuts it cost ")
    assert as_reported_sentence(timeline).startswith("Our figure is ")
    assert as_reported_sentence(replay(CUT, settings_for(CUT))).startswith("Our figure for not trimming is ")


def test_a_report_has_the_decisions_and_no_settings():
    page = report([Shown(as_sent(CUT))], 12)
    assert as_sent_line(as_sent(CUT)).partition(" (")[0] in page
    assert "<td>Budget" not in page


def test_a_report_on_settings_has_it_beside_them():
    page = report([Shown(as_sent(CUT), letter="S"), Shown(replay(CUT, settings_for(CUT)))], 12)
    assert "1 setting beside what was sent" in page
    assert 'value="S"' in page


def test_in_a_spreadsheet_each_message_has_its_own_cut():
    cuts = [SentHistory(n, ((n - 2, n),), cut=RecordedCut("auto", by="An agent")) for n in (4, 6)]
    found = decisions_csv(as_sent(chat(*cuts)), 3)
    assert [f"before request {n}" in found for n in (2, 3, 4)] == [False, True, True]


@pytest.mark.parametrize("name", ["\x1b[31m<b>", "x" * 500])
def test_the_name_of_a_program_is_shown_as_it_is_and_cut_short(name):
    line = as_sent_line(as_sent(chat(SentHistory(4, ((2, 4),), cut=RecordedCut("auto", by=name)))))
    assert "\x1b" not in line
    assert len(line) < 300


def test_a_smaller_fall_of_the_reported_size_is_named_and_is_no_cut():
    falls = session([(20_000, 0, 0), (18_000, 0, 0), (19_000, 0, 0), (18_900, 0, 0)])
    assert smaller_falls_sentence(as_sent(falls)) == "The reported size fell by 10% at request 2: too little for a cut."
    assert smaller_falls_sentence(as_sent(session([(20_000, 0, 0), (19_900, 0, 0)]))) == ""
    assert smaller_falls_sentence(as_sent(load_sample("held-for-the-auditors")[0])) == ""
