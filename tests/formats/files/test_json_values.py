"""JSON that would take more memory than a file may: refused by its text, before it is parsed."""

from __future__ import annotations

import pytest

from historylab.errors import TooLarge
from historylab.formats.files import json_values
from historylab.formats.files.json_values import JsonParser


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setattr(json_values, "MAX_CONTAINERS", 100)
    monkeypatch.setattr(json_values, "MAX_COMMAS", 200)


@pytest.mark.parametrize("text", ["[" + "{}," * 101 + "1]", "[" * 201, "[" + "[]," * 101 + '"a'])
def test_too_many_lists_and_objects_are_refused_unparsed(text, monkeypatch):
    parser = JsonParser()
    monkeypatch.setattr(json_values, "from_json", None)
    with pytest.raises(TooLarge, match="more than 100 lists and objects; load a part of it"):
        parser.value(text)


def test_too_many_items_are_refused_unparsed():
    with pytest.raises(TooLarge, match="more than 200 items"):
        JsonParser().value("[" + "1," * 201 + "1]")


@pytest.mark.parametrize("inside", ["{[,", '\\"{', "\\\\", ", "])
def test_brackets_and_commas_of_texts_are_no_containers(inside):
    text = f'["{inside * 300}", {{"a": "{inside * 300}"}}]'
    assert len(JsonParser().value(text)) == 2


def test_the_lines_of_a_file_count_together():
    parser = JsonParser()
    with pytest.raises(TooLarge, match="more than 100 lists and objects"):
        for _ in range(500):
            parser.value('[{"a": 1}]')
