"""The recorded cases as a whole: every one is run, and docs/systems.md lists exactly those in which ours differs.

That a listed case differs, and that any other agrees, is shown where the cases run: `right(case)` is what is compared.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recorded_cases import DOCUMENT, VECTORS, all_cases, differing, identity

SYSTEMS = sorted(file.stem for file in VECTORS.glob("*.json"))
CASES = [case for system in SYSTEMS for case in all_cases(system)]


def test_no_two_cases_have_one_name():
    assert len({identity(case) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_recorded_function_is_run_by_a_test(system):
    sources = "\n".join(file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    run = re.findall(rf'@recorded\(\s*"{system}",(.*?)\)\n', sources, re.DOTALL)
    assert {case["function"] for case in all_cases(system)} == set(re.findall(r'"([^"]+)"', " ".join(run)))


def test_every_listed_case_was_recorded_and_something_else_decided():
    decided = {identity(c) for c in CASES if c.get("expected_decision", c["expected"]) != c["expected"]}
    assert differing() == decided


def test_the_page_counts_the_cases_it_speaks_of():
    said = re.search(
        r"^(\d+) cases were .* In (\d+)\nours agrees .* In these (\d+) ", DOCUMENT.read_text("utf-8"), re.M | re.S
    )
    assert [int(number) for number in said.groups()] == [len(CASES), len(CASES) - len(differing()), len(differing())]
