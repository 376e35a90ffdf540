"""Real transcripts, where there are any: every request of every conversation under many settings.

Set HISTORYLAB_REAL to a folder of transcripts; each file in it that `load` recognises takes part.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from api_rules import can_be_sent, counted, refusals

from historylab import load
from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.planning.pipeline import plan_requests
from historylab.planning.reasons import Action
from historylab.settings.model import Settings

FOLDER = os.environ.get("HISTORYLAB_REAL", "")  # read before the tests' own environment is cleaned
GRID = [
    Settings(length=length, pruner=pruner, budget=budget)
    for length in (1, 5, 20)
    for pruner in ("fifo", "sliding_window", "summarize", "off")
    for budget in (500, 2000, 8000, 32_000)
]
COUNT_EVERY = 7  # requests: counting afresh what was rendered is slow


def files() -> list[Path]:
    return [path for path in sorted(Path(FOLDER).rglob("*")) if path.is_file() and path.name != "LICENSE"]


def loaded(path: Path) -> list[Conversation]:
    try:
        return list(load(path))
    except LoadError as problem:
        pytest.skip(f"{path.name} is no transcript we read: {problem}"[:160])


@pytest.mark.skipif(not FOLDER, reason="HISTORYLAB_REAL names no folder of real transcripts")
@pytest.mark.parametrize("path", files() if FOLDER else [], ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_request_is_valid_keeps_what_matters_and_fits_or_says_so(path):
    for conversation in loaded(path):
        for settings in GRID:
            for number, plan in enumerate(plan_requests(conversation, settings)):
                rendered = plan.render()
                assert refusals(rendered) == []
                assert plan.over_budget == (plan.tokens > plan.budget)
                assert_kept(plan)
                if number % COUNT_EVERY == 0:
                    assert plan.tokens == counted(plan)


def assert_kept(plan) -> None:
    columns, actions = plan.history.columns, plan.actions
    for i in range(plan.size):
        if plan.history.conversation[i].role == "system":
            assert actions[i] == Action.PINNED
    users = columns.users[columns.users < plan.size]
    if len(users):
        assert actions[users[-1]] <= Action.TRUNCATED
    if can_be_sent(plan):
        newest = columns.block[: plan.size] == columns.block[plan.size - 1]
        assert (actions[newest] <= Action.TRUNCATED).all()
