"""The map as SVG shows every request's decisions, stays small, and is a picture that needs nothing else."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from sketches import conv

from historylab import Settings, generate, replay
from historylab.figures.map_svg import map_svg
from historylab.figures.svg_file import map_file, token_file

SVG = "{http://www.w3.org/2000/svg}"


def glyphs(svg: str) -> list[str]:
    return re.findall(r'class="glyph"[^>]*>(.)<', svg)


def test_each_run_of_equal_decisions_has_its_glyph_oldest_message_first():
    made = replay(conv("s u a u a u a"), Settings(length=1))
    assert "".join(glyphs(map_svg(made, 2))) == "★●××●××●"


def test_it_says_in_words_what_it_shows():
    made = replay(conv("s u a u a u a"), Settings(length=1))
    said = re.search('aria-label="(.*?)"', map_svg(made, 1))[1]
    assert said.startswith("What every request does with every message: it sends 2 of 4 messages at turn 2")


@pytest.mark.parametrize("settings", [{"pruner": "relevance"}, {"pruner": "summarize"}, {"tool_output": "truncate"}])
def test_a_long_conversation_stays_a_small_picture_in_which_pins_are_seen(settings):
    made = replay(generate("support_desk", turns=300), Settings(policy="all", budget=3000, **settings))
    svg = map_svg(made, 10)
    assert len(svg) < 300_000
    assert 'fill="var(--pinned)"' in svg


def test_where_runs_are_many_cells_are_coarser(monkeypatch):
    made = replay(generate("support_desk", turns=90), Settings())
    fine = len(map_svg(made, 10))
    monkeypatch.setattr("historylab.figures.map_svg.MOST_BYTES", fine // 3)
    assert len(map_svg(made, 10)) < fine / 2


@pytest.mark.parametrize("file", [map_file, token_file])
def test_as_a_file_it_is_xml_with_its_own_colours_and_a_legend(file):
    made = replay(conv("s u a u a(t t) a u:900 a u"), Settings(length=1, budget=200))
    text = file(made, 2)
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert "var(" not in text
    assert not re.search(r"url\((?!#)|href|<script", text)
    words = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
    assert ("× dropped" in words) if file is map_file else ("tool results" in words)
