"""Words are set in six styles: two weights, four sizes."""

import re
from pathlib import Path

import pytest

import historylab

SHEETS = [
    sheet
    for sheet in Path(historylab.__file__).parent.rglob("*.css")
    if sheet.name not in ("svg.css", "present.css")  # pictures, and a screen for a room
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


def test_screen_and_reports_declare_the_same_six():
    declared = [re.findall(r"--hl-([\w-]+): *(\d+) ([\d.]+rem)", sheet.read_text("utf-8")) for sheet in SHEETS]
    (one, other) = filter(None, declared)
    assert (
        one == other and sorted(name for name, _, _ in one) == sorted(NAMES) and len({style[1:] for style in one}) == 6
    )
