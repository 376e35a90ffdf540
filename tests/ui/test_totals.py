"""The totals of the conversations listed, their figures row by row, and the older page that opens them unfolded."""

from __future__ import annotations

import json

import pytest
import streamlit as st
from app_pages import screen, shown, uploaded, verdict
from app_pages import text as html_text

from historylab.formats.samples import load_sample
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.tuning.workload import measure_load

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_remembered")]
PAGE = "pages/conversations.py"


@pytest.fixture
def nothing_remembered():
    """All these tests are one session to Streamlit, which would remember what an earlier one measured."""
    st.cache_resource.clear()


def opened(page: str = PAGE, **link: str):
    return shown(screen("app.py", **link).switch_page(page).run())


def text(app) -> str:
    return " ".join(html_text(app).split())


def cells(app) -> list[list[str]]:
    (table,) = (e.proto for e in app.get("bidi_component") if e.proto.id.endswith("-conversations"))
    return [[cell["text"] for cell in row["cells"]] for row in json.loads(table.json)["rows"]]


def sorted_by(app, column: str):
    app.session_state["historylab"].library.sort = column
    return shown(app.run())


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_the_headline_counts_what_is_listed_and_what_lost_something(start):
    app = opened(budget="400") if start == "app.py" else screen(PAGE)
    found = measure_load(replay(load_sample("birthday-by-the-sea")[0], Settings()), None)
    lost = True if start == "app.py" else bool(found.facts_lost)
    assert ("and it lost something it needed" in verdict(app)) is lost
    assert "Typical request:" in text(app)
    assert "10,000 a month cost" in text(app)


def test_each_row_has_the_figures_of_its_conversation():
    app = opened(conv="sample:three-languages")
    lost = [measure_load(replay(each, Settings()), None).facts_lost for each in load_sample("three-languages")]
    assert [row[4] for row in cells(app)] == [str(each) for each in lost]


def test_a_column_sorts_the_most_first():
    app = sorted_by(opened(conv="sample:three-languages"), "requests")
    requests = [int(row[2]) for row in cells(app)]
    assert requests == sorted(requests, reverse=True)
    assert [int(row[2]) for row in cells(sorted_by(app, "-requests"))] == sorted(requests)


def test_what_they_are_measured_under_is_said_and_follows_the_settings():
    assert "Measured so: keep the last 20 user messages up to 8k tokens, then drop the oldest turns" in text(opened())
    assert "up to 500 tokens, then drop the oldest turns" in text(opened(budget="500"))


def test_a_file_with_cuts_is_measured_as_it_was_sent_until_something_is_set():
    app = opened(conv="sample:held-for-the-auditors")
    assert "1 as sent" in text(app)
    assert "the budget" not in text(app)
    assert "as sent" not in text(opened(conv="sample:held-for-the-auditors", budget="900"))


def test_the_older_page_is_the_same_with_its_details_unfolded():
    app = opened("pages/corpus.py")
    assert "Typical request:" in text(app)
    assert "half send at most" in " ".join(e.proto.body for e in app.get("html"))
    assert "half send at most" not in " ".join(e.proto.body for e in opened().get("html"))


def test_the_volume_is_yours():
    app = opened("pages/corpus.py")
    assert app.text_input(key="volume").value == "10,000"
    shown(app.text_input(key="volume").set_value("50k").run())
    assert "50,000 a month cost" in text(app)
    shown(app.text_input(key="volume").set_value("many").run())
    assert "not “many”" in text(app)


def test_a_tight_budget_shows_in_the_totals():
    assert "None exceeds the budget" in text(opened())
    assert "None exceeds the budget" not in text(opened(budget="100", min_turns="3"))


def test_a_model_without_prices_asks_for_them():
    app = opened("pages/corpus.py", model="nobodys-model-7")
    assert "The prices of this model are unknown" in text(app)
    assert "No price list we have includes nobodys-model-7" in text(app)


def test_much_work_waits_for_a_click_and_the_list_stands_meanwhile(monkeypatch):
    monkeypatch.setattr("historylab.ui.library.measuring.AT_ONCE", 10)
    app = screen(PAGE)
    assert cells(app)[0][:3] == ["Sample", "166", "83"]
    assert "Typical request" not in text(app)
    shown(app.button(key="start-rows").click().run())
    assert "Typical request" in text(app)


def test_settings_that_can_be_replayed_nowhere_are_named():
    app = opened(compaction="at_threshold", model="mystery-1")
    assert "These settings can&#x27;t be replayed:" in text(app)
    assert "mystery-1" in text(app)
    assert cells(app)[0][0] == "Sample"


def test_a_search_totals_what_it_found():
    chats = [[{"role": "user", "content": words}] for words in ("A ferry?", "A bicycle?")]
    app = uploaded(screen(PAGE), ("two.jsonl", "\n".join(json.dumps({"messages": chat}) for chat in chats).encode()))
    app = shown(app.text_input(key="library-search").set_value("bicycle").run())
    assert len(cells(app)) == 1
    assert "“bicycle”, the best first" in text(app)
    assert "the best first" not in text(sorted_by(app, "cost"))
    assert "exceeds the budget" in text(app)
