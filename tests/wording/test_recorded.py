"""What is said of a recording: what it names and what is used of it, how far our figures are off, what it lost."""

from __future__ import annotations

from decimal import Decimal

import pytest
from recorded_sessions import session

from historylab.costs.lost_prefix import lost_prefixes
from historylab.costs.proposal import SettingsProposal
from historylab.costs.reported import AsReported
from historylab.counters.calibration import Calibration
from historylab.settings.resolve import resolve_settings
from historylab.wording.costs import lost_prefix_sentence, reported_sentence
from historylab.wording.recorded import recorded_sentence

FIT = Calibration(20_211, 1.4, 2.9, 0.998, 0.04, 103)
OPUS = "claude-opus-4-5"


@pytest.mark.parametrize(
    ("proposal", "sentence"),
    [
        (SettingsProposal({}), ""),
        (
            SettingsProposal({"model": OPUS, **FIT.settings}, model=OPUS, tools=1, measured=True, calibration=FIT),
            "Recorded with claude-opus-4-5: its window, prices and cache are used; 1 tool and 20,211 measured tokens "
            "counted as overhead; tokens are calibrated from 103 requests, ±4%.",
        ),
        (
            SettingsProposal({"model": "gpt-4", "overhead": 90}, model="gpt-4", tools=2),
            "Recorded with gpt-4: its window and prices are used; 2 tools (90 tokens) counted as overhead.",
        ),
        (
            SettingsProposal({"model": "nobodys"}, model="nobodys"),
            "Recorded with nobodys: its window and prices are unknown.",
        ),
        (
            SettingsProposal({"model": "gemini-2.5-pro"}, model="gemini-2.5-pro"),
            "Recorded with gemini-2.5-pro: its prices and cache are used and its window is unknown.",
        ),
        (SettingsProposal({"overhead": 1}, measured=True), "1 measured token counted as overhead."),
        (SettingsProposal({"overhead": 90}, tools=1), "1 tool (90 tokens) counted as overhead."),
        (SettingsProposal({"budget": 40_000}, ("budget",)), "A budget of 40,000 is suggested for this file."),
        (SettingsProposal({}, model="x" * 201), f"Recorded with {'x' * 79}…: another model is set."),
        (
            SettingsProposal({}, calibration=Calibration(9, 8.7, 1, 0.32, 0.49, 3)),
            "The usage of its 3 requests fits its text too poorly for a tokenizer correction (R² 0.32, ±49%).",
        ),
    ],
)
def test_the_sentence(proposal, sentence):
    assert recorded_sentence(proposal) == sentence


def test_what_opens_with_its_cuts_is_not_said_to_open_untrimmed():
    proposal = SettingsProposal({"model": OPUS, "policy": "all"}, ("policy",), model=OPUS, fits=200_000)
    told = "Recorded with claude-opus-4-5: its window, prices and cache are used"
    assert recorded_sentence(proposal) == f"{told}; it fits its window of 200,000 and opens untrimmed."
    assert recorded_sentence(proposal, opens_as_sent=True) == f"{told}."


def test_what_another_source_decides_is_not_claimed():
    proposal = SettingsProposal({"model": OPUS, **FIT.settings}, model=OPUS, measured=True, calibration=FIT)
    resolution = resolve_settings({}, you={"model": "gpt-4o", "overhead": 5}, recorded=proposal.values)
    assert recorded_sentence(proposal, resolution) == (
        "Recorded with claude-opus-4-5: another model is set; tokens are calibrated from 103 requests, ±4%."
    )


def test_the_recorded_model_is_no_other_because_a_template_sets_it_too():
    proposal = SettingsProposal({"model": OPUS}, model=OPUS)
    resolution = resolve_settings({}, template={"model": OPUS}, recorded=proposal.values)
    assert recorded_sentence(proposal, resolution) == (
        "Recorded with claude-opus-4-5: its window, prices and cache are used."
    )


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ((105, 105, 100, 104), "4% above the provider's own ($1.00 for 105 requests)."),
        ((1, 1, 100, 93), "7% below the provider's own ($1.00 for 1 request)."),
        (
            (9, 12, 1000, 1001),
            "within 1% of the provider's own ($10.00 for 9 of 12 requests).",
        ),
        (
            (2, 2, 100, 104, True),
            "4% above the provider's own ($1.00 for 2 requests). The usage reports less output than the answers hold.",
        ),
    ],
)
def test_the_error_beside_a_cost(found, sentence):
    requests, of, reported, computed, *short = found
    as_reported = AsReported(requests, of, Decimal(reported) / 100, Decimal(computed) / 100, *short)
    assert reported_sentence(as_reported) == f"Our figure for not trimming is {sentence}"


@pytest.mark.parametrize(
    ("about", "cause", "cost"),
    [
        ({}, "cause unknown", "0.0431"),
        ({"minutes": [0, 1, 12]}, "11 minutes after the one before, and the cache lasts 5 minutes", "0.0431"),
        ({"minutes": [0, 1, 190]}, "3 hours after the one before, and the cache lasts 5 minutes", "0.0431"),
        ({"more": {2: {"model": "claude-haiku-4-5"}}}, "the model changed to claude-haiku-4-5", "0.00863"),
        ({"more": {i: {"tools": [{"name": f"{i}"}]} for i in (1, 2)}}, "the tools changed", "0.0431"),
    ],
)
def test_a_lost_prefix_is_told_with_its_cause_its_place_and_its_cost(about, cause, cost):
    lost = lost_prefixes(session([(5, 0, 9000), (5, 9000, 500), (5, 2000, 8000)], **about))
    said = f"request 3 ({cause}; it broke after the system prompt and tools)."
    assert lost_prefix_sentence(lost, 3) == (
        f"As the usage shows, 1 of 3 requests lost the prefix it had in the cache: {said} "
        f"Sending that again cost ${cost} more than reading it."
    )


@pytest.mark.parametrize(("read", "place"), [(0, "; nothing of it was read"), (9500, "; it broke around message 4")])
def test_the_place_where_it_broke_is_told_even_without_a_cause(read, place):
    requests = [(5, 0, 9000), (5, 9000, 500), (5, 9500, 5500), (5, 15_000, 5000), (5, read, 20_500 - read)]
    assert f"request 5 (cause unknown{place})." in lost_prefix_sentence(lost_prefixes(session(requests)), 5)


def test_many_are_counted_and_none_not_mentioned():
    lost = lost_prefixes(session([(5, 0, 9000), *[(5, 2000, 7000 + 100 * i) for i in range(1, 6)]]))
    assert lost_prefix_sentence(lost, 6).endswith(
        "; $0.0414) and 2 more. Sending that again cost $0.207 more than reading it."
    )
    assert lost_prefix_sentence((), 6) == ""
