"""`truncate`: a long tool result is cut, with a mark that states the length left out."""

from typing import Annotated, Literal

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import shorter_results
from historylab.planning.strategies.truncation import truncate_text
from historylab.registry import register

TOO_LONG = reason(
    "tool_truncate",
    "A tool result longer than {limit:,} {unit}: its start is sent.",
    setting="tool_output.truncate.limit",
)
CHARACTERS_PER_TOKEN = 4  # for cutting only: what is sent is counted by the real counter
UNITS = {"tokens": f"tokens of {CHARACTERS_PER_TOKEN} characters", "characters": "characters"}


def phrase(limit: int | None = None) -> str:
    return "long tool results cut"


@register("tool_output", title="Cut long ones", phrase=phrase, from_the_end=True)
def truncate(
    plan: HistoryPlan,
    context: Context,
    *,
    limit: Annotated[
        int, Field(ge=1, le=10_000_000, title="Longest result sent whole", description="longest result sent whole")
    ] = 2000,
    unit: Annotated[
        Literal["tokens", "characters"],
        Field(title="Counted in", description="what the limit counts; a token is 4 characters"),
    ] = "tokens",
) -> HistoryPlan:
    """Cuts long tool results to their start."""
    characters = limit * (CHARACTERS_PER_TOKEN if unit == "tokens" else 1)

    def shorten(conversation: Conversation, i: int, _tokens: int) -> str:
        return truncate_text(conversation[i].content, characters)

    texts = shorter_results(context, ("truncate", characters), shorten, media=True)
    return plan.truncate(texts, TOO_LONG, limit=limit, unit=UNITS[unit])
