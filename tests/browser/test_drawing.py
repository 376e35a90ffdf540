"""What every component of ours that draws is built on."""

from __future__ import annotations

import pytest

from historylab.figures.browser import BROWSER

pytestmark = pytest.mark.browser

# Streamlit calls again with newer data, and ends the call before, which waited for the script, only afterwards.
OVERTAKEN = """(drawing) => {
  const drawnBy = new Function(`${drawing}; return drawnBy`)(), said = [];
  const draw = drawnBy(class {
    constructor(root, signal) {
      said.push("made");
      signal.addEventListener("abort", () => said.push("over"));
    }
    receive(data) { said.push(data); }
  });
  const [first, second] = ["1", "2"].map((data) => draw({ data, parentElement: document.body }));
  first();
  said.push("later");
  second();
  draw({ data: "3", parentElement: document.body });
  return said.join(" ");
}"""


def test_a_call_that_is_ended_late_leaves_what_a_newer_one_draws(tab):
    script = (BROWSER / "drawing.js").read_text("utf-8")
    assert tab.evaluate(OVERTAKEN, script) == "made 1 2 later over made 3"
