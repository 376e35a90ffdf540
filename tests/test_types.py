"""The public types as a checker, and so an editor, reads them: a right line passes, a wrong one is refused."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

LINES = {
    'Settings(budget=4000, pruner="fifo", options={"pruner.fifo.unit": "turn"})': "",
    'Settings().replace(budget=4000, options={"pruner.fifo.unit": "turn"})': "",
    'Settings().replace(**json.loads("{}"))': "",
    'Settings(prunner="fifo")': "call-arg",
    'Settings(budget="much")': "arg-type",
    "Settings(options=[1])": "arg-type",
    'Settings().replace(prunner="fifo")': "call-arg",
    'Settings().replace(budget="much")': "arg-type",
    "Settings().budget = 1": "misc",
    'assert_type(load(b"[]"), Conversations)': "",
    'assert_type(load(b"[]")[0], Conversation)': "",
    'assert_type(load(b"[]")[0][0], Message)': "",
    'assert_type(load(b"[]").report.skips, int)': "",
    "load(5)": "arg-type",
    'assert_type(generate("support_desk", turns=3), Conversation)': "",
    'assert_type(replay(generate("support_desk"), Settings()), Timeline)': "",
    'replay(generate("support_desk"), {"budget": 4000})': "call-overload",
    'assert_type(plan_history(generate("support_desk"), Settings()).sketch(), str)': "",
    "assert_type(recommend([]), Recommendation)": "",
    'assert_type(export(Settings(), "json"), str)': "",
    "historylab.laod": "attr-defined",
    "assert_type(doubled(3), int)": "",
    'doubled("3")': "arg-type",
}
"""Line → the code of the error mypy reports for it; "" for none."""

HEAD = """\
import json
from typing import assert_type

import historylab
from historylab import Conversation, Message, Settings, Timeline
from historylab import export, generate, load, plan_history, recommend, replay
from historylab.formats.load import Conversations
from historylab.registry import register
from historylab.tuning.recommend import Recommendation


@register("counter")
def doubled(number: int) -> int:
    return 2 * number


"""


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")
def test_a_checker_takes_what_is_right_and_refuses_what_is_not(root, tmp_path):
    snippet = tmp_path / "snippet.py"
    snippet.write_text(HEAD + "\n".join(LINES) + "\n", "utf-8")
    pruner = tmp_path / "newest_first.py"  # the guide's example
    pruner.write_text(
        re.search(r"```python\n(.*?)```", (root / "CONTRIBUTING.md").read_text("utf-8"), re.S)[1], "utf-8"
    )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(snippet), str(pruner)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    errors = {
        int(line): code for line, code in re.findall(r"snippet\.py:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.M)
    }
    first = HEAD.count("\n") + 1
    found = {line: errors.pop(first + number, "") for number, line in enumerate(LINES)}
    assert (found, errors) == (LINES, {}), done.stdout + done.stderr
    assert pruner.name not in done.stdout
