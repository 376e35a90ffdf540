"""Settings that mend a request, as the labels of buttons."""

from __future__ import annotations

import pytest

from historylab.wording.over_budget import mend_in_words


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({"pruner.fifo.unit": "block"}, "Keep part of it"),
        ({"budget": 11777}, "Budget 11,777"),
        ({"tool_output": "truncate"}, "Tool outputs: Cut long ones (truncate)"),
    ],
)
def test_a_mend_is_named_as_the_settings_are_on_screen(changes, label):
    assert mend_in_words(changes) == label
