"""Settings at the ends of what they may be are shown; those that cannot be replayed are named."""

from __future__ import annotations

import pytest
from app_pages import screen, shown, sources, text, unfolded

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

NOBODY_KNOWS_ITS_WINDOW = {"compaction": "at_threshold", "model": "mystery-1"}


@pytest.mark.parametrize("page", ["playground", "tune"])
def test_an_unknown_window_is_named_beside_the_settings(page):
    app = screen(f"pages/{page}.py", **NOBODY_KNOWS_ITS_WINDOW)
    assert "be replayed:" in text(app)
    assert "mystery-1" in text(app)
    shown(unfolded(app, "Model").selectbox(key="set model").set_value("gpt-5.5").run())
    assert "be replayed:" not in text(app)


@pytest.mark.parametrize(
    ("last", "link"), [("A", NOBODY_KNOWS_ITS_WINDOW), ("B", {"cmp": "compaction:at_threshold", "model": "mystery-1"})]
)
def test_comparing_with_it_is_said_under_what_is_compared(last, link):
    app = screen("pages/compare.py", **link)
    assert "be replayed:" in text(app)
    said = text(app).split()
    assert said.index(last) < said.index("replayed:")


ENDS = [
    {"filter": "time_window", "filter.time_window.minutes": "0"},
    {"pruner": "pairs", "pruner.pairs.pairs": "0"},
    {"pruner": "fifo", "pruner.fifo.trim_to": "0.000000001"},
    {"compaction": "at_threshold", "threshold": "0.0001"},
    {"historyLength": "9" * 25},
    {"reserve": "1000000000", "overhead": "999999000"},
]


@pytest.mark.parametrize("page", ["playground", "tune"])
@pytest.mark.parametrize("link", ENDS, ids=lambda link: next(reversed(link)))
def test_a_setting_at_the_end_of_what_it_may_be_is_shown_and_in_force(page, link):
    app = unfolded(screen(f"pages/{page}.py", conv="sample:theatre-trials", **link))  # a short one: Improve tries many
    drawn = {widget.key: str(widget.value).replace(",", "") for widget in (*app.number_input, *app.text_input)}
    for name in {"length" if name == "historyLength" else name for name in link} & set(sources(app)):
        assert sources(app)[name] == "URL"
        if f"set {name}" in drawn:
            assert float(drawn[f"set {name}"]) == float(link.get(name, link.get("historyLength")))


def test_a_number_that_must_be_more_than_nothing_is_refused_at_nothing():
    app = unfolded(screen("pages/playground.py", compaction="at_threshold", threshold="0.5"), "Shortening")
    shown(app.number_input(key="set threshold").set_value(0.0).run())
    assert "threshold" in text(app)
    assert sources(app)["threshold"] == "URL"
