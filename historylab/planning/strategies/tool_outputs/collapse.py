"""`collapse`: results of older turns shrink to one line: the tool's name, the first line, and its length."""

import re
from typing import Annotated

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import shorter_results, tool_name
from historylab.registry import FINE, register

ALREADY = re.compile(r"[0-9][0-9,]{0,15} tokens: (?P<line>.*)\]")  # after the tool's name
OLDER_TURN = reason(
    "tool_collapse",
    "A tool result from before the {turns:last turns}: one line of it is sent.",
    setting="tool_output.collapse.turns",
)


@register("tool_output", title="One line each", phrase="old tool results collapsed", from_the_end=True)
def collapse(
    plan: HistoryPlan,
    context: Context,
    *,
    turns: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            title="Turns whose results stay whole",
            description="last turns whose results stay whole",
        ),
    ] = 2,
    characters: Annotated[
        int,
        Field(ge=1, le=10_000, title="Longest line", description="longest line that is left", json_schema_extra=FINE),
    ] = 120,
) -> HistoryPlan:
    """Shrinks the tool results of older turns to one line each."""
    history = context.history

    def shorten(conversation: Conversation, i: int, tokens: int) -> str:
        message, tool = conversation[i], tool_name(conversation, i)
        found = ALREADY.fullmatch(message.content.removeprefix(f"[Result of {tool}, "))
        if found and len(found["line"]) <= characters and not message.media:
            return message.content
        line = next((line.strip() for line in message.content.splitlines() if line.strip()), "")
        return f"[Result of {tool}, {tokens:,} tokens: {line[:characters]}]"

    if turns > history.users:
        return plan
    before = history.columns.users.item(history.users - turns) if turns else history.size
    texts = shorter_results(context, ("collapse", characters), shorten)
    return plan.truncate(texts, OLDER_TURN, before=before, turns=turns)
