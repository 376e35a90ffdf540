"""A usage table on screen: thresholds by cost on Improve, and nowhere a word on what was forgotten."""

from __future__ import annotations

import pytest
from app_pages import landing, pasted, shown, text, verdict

from historylab.wording.losses import RECALL_UNKNOWN

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("usage table")]
ROWS = [f"<b>reader</b>,{session},claude-sonnet-4-5,{9_000 + 3_000 * n},200" for session in "abc" for n in range(30)]


@pytest.fixture(scope="module")
def app():
    return pasted(landing(), "\n".join(["agent,session,model,input_tokens,output_tokens", *ROWS]))


def test_inspect_says_once_that_nothing_is_known_and_leads_to_thresholds(app):
    said = text(app)
    assert said.count(RECALL_UNKNOWN) == 1
    assert "fact lost" not in said


def test_improve_has_a_row_for_each_agent_and_what_else_it_would_cost(app):
    shown(app.switch_page("pages/tune.py").run())
    assert verdict(app).strip().startswith("This agent would cost less under another threshold.")
    assert "&lt;b&gt;reader&lt;/b&gt;" in text(app)
    assert "Tokens per request" in text(app)
    assert "Try up to" not in text(app)


def test_compare_counts_what_is_dropped_and_not_what_is_lost(app):
    shown(app.switch_page("pages/compare.py").run())
    assert " drops " in verdict(app)
    assert "loses" not in verdict(app)
    assert RECALL_UNKNOWN.split(":")[0] in text(app)
