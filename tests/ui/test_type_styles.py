"""Words are set in six styles: two weights, four sizes."""

import re
from pathlib import Path

import pytest

import historylab

SHEETS = [
    sheet
    for sheet in Path(historylab.__file__).parent.rglob("*.css")
    if sheet.name not in ("report.css", "svg.css", "present.css")  # pages of their own: paper, slides, a room
]
SIZES, WEIGHTS = {".75rem", ".875rem", "1rem", "1.5rem", "0"}, {"400", "600"}  # 0: words that a sign stands for
NAMES = ("headline", "title", "strong", "body", "small", "small-strong")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_a_style_sheet_sets_words_in_one_of_six_styles(sheet):
    rules = sheet.read_text("utf-8")
    assert set(re.findall(r"font-size: *([^;} ]+)", rules)) <= SIZES
    assert set(re.findall(r"font-weight: *([^;} ]+)", rules)) <= WEIGHTS
    named = re.findall(r"(?<!-)\bfont: *([^;}]+)", rules)
    assert set(named) <= {"inherit", *(f"var(--hl-{name})" for name in NAMES)}


def test_the_six_are_declared_once():
    declared = re.findall(r"--hl-([\w-]+): *(\d+) ([\d.]+rem)", "".join(map(Path.read_text, SHEETS)))
    assert sorted((size, weight) for _, weight, size in declared) == [
        (".75rem", "400"),
        (".75rem", "600"),
        (".875rem", "400"),
        (".875rem", "600"),
        ("1.5rem", "600"),
        ("1rem", "600"),
    ]
