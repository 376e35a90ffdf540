"""What is said of a file on opening: only what it names and what is used of it."""

from __future__ import annotations

import pytest

from historylab.costs.proposal import Proposal
from historylab.counters.calibration import Calibration
from historylab.settings.resolve import resolve_settings
from historylab.wording.recorded import recorded_sentence

FIT = Calibration(20_211, 1.4, 2.9, 0.998, 0.04, 103)
OPUS = "claude-opus-4-5"


@pytest.mark.parametrize(
    ("proposal", "sentence"),
    [
        (Proposal({}), ""),
        (
            Proposal({"model": OPUS, **FIT.settings}, model=OPUS, tools=1, tool_tokens=90, calibration=FIT),
            "Recorded with claude-opus-4-5: its window, prices and cache are used; 1 tool and 20,211 measured tokens "
            "counted as overhead; tokens are calibrated from 103 requests, ±4 %.",
        ),
        (
            Proposal({"model": "gpt-4", "overhead": 90}, model="gpt-4", tools=2, tool_tokens=90),
            "Recorded with gpt-4: its window and prices are used; 2 tools (90 tokens) counted as overhead.",
        ),
        (
            Proposal({"model": "nobodys"}, model="nobodys"),
            "Recorded with nobodys: its window and prices are unknown.",
        ),
        (
            Proposal({"model": "gemini-2.5-pro"}, model="gemini-2.5-pro"),
            "Recorded with gemini-2.5-pro: its prices and cache are used and its window is unknown.",
        ),
        (Proposal({"overhead": 90}, tools=1, tool_tokens=90), "1 tool (90 tokens) counted as overhead."),
        (Proposal({"budget": 40_000}, ("budget",)), "A budget of 40,000 is suggested for this file."),
        (Proposal({}, model="x" * 201), f"Recorded with {'x' * 79}…: another model is set."),
        (
            Proposal({}, calibration=Calibration(9, 8.7, 1, 0.32, 0.49, 3)),
            "The usage of its 3 requests fits its text too poorly to be used (R² 0.32, ±49 %).",
        ),
    ],
)
def test_the_sentence(proposal, sentence):
    assert recorded_sentence(proposal) == sentence


def test_what_another_source_decides_is_not_claimed():
    proposal = Proposal({"model": OPUS, **FIT.settings}, model=OPUS, calibration=FIT)
    resolution = resolve_settings({}, you={"model": "gpt-4o", "overhead": 5}, recorded=proposal.values)
    assert recorded_sentence(proposal, resolution) == (
        "Recorded with claude-opus-4-5: another model is set; tokens are calibrated from 103 requests, ±4 %."
    )
