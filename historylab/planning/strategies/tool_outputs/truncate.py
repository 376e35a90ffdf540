"""`truncate`: a long tool result is cut, with a mark that states the length left out."""

from typing import Annotated, Any, Literal

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import KeepTokens, results_within, shorter_results, tool_results
from historylab.planning.strategies.truncation import truncate_text
from historylab.registry import FINE, register

TOO_LONG = reason(
    "tool_truncate",
    "A tool result longer than {limit:,} {unit}: its start is sent.",
    setting="tool_output.truncate.limit",
)
OLD_AND_LONG = reason(
    "tool_truncate_old",
    "A tool result longer than {limit:,} {unit}, beyond the newest {keep_tokens:,} tokens of results: its start is "
    "sent.",
    setting="tool_output.truncate.keep_tokens",
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
    to: Annotated[
        int,
        Field(
            ge=0,
            le=10_000_000,
            title="Cut down to",
            description="what is left of a longer one; 0: as much as is sent whole",
            json_schema_extra=FINE,
        ),
    ] = 0,
    keep_tokens: KeepTokens = 0,
) -> HistoryPlan:
    """Cuts long tool results to their start."""
    each = CHARACTERS_PER_TOKEN if unit == "tokens" else 1
    longest, left = limit * each, min(to or limit, limit) * each

    def shorten(conversation: Conversation, i: int, _tokens: int) -> str | None:
        text = conversation[i].content
        return truncate_text(text, left) if len(text) > longest else None

    texts = shorter_results(context, ("truncate", longest, left), shorten, media=True)
    numbers: dict[str, Any] = {"limit": limit, "unit": UNITS[unit]}
    if not keep_tokens:
        return plan.truncate(texts, TOO_LONG, **numbers)
    results = tool_results(context.history)
    older = results[: len(results) - results_within(context.history, keep_tokens)]
    before = older.item(-1) + 1 if len(older) else 0
    return plan.truncate(texts, OLD_AND_LONG, before=before, keep_tokens=keep_tokens, **numbers)
