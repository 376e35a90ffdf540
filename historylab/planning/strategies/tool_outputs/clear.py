"""`clear`: all but the last tool results are cleared, a batch at a time.

Clearing one result per request would invalidate the provider's prompt cache every time; between batches the prefix
stays the same. From the request alone, as Anthropic's `clear_tool_uses_20250919` is documented: whoever sends the whole
history again is judged by the whole history again, so nothing is carried from request to request.
"""

import re
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan, Texts
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import KeepTokens, results_within, shorter_results, tool_name, tool_results
from historylab.registry import FINE, register

ALREADY = re.compile(r"\[Old tool result cleared: [0-9][0-9,]{0,15} tokens\]")
CLEARED = reason(
    "tool_clear", "A tool result older than the {keep:last results}: cleared.", setting="tool_output.clear.keep"
)
BEYOND_TOKENS = reason(
    "tool_clear_tokens",
    "A tool result beyond the newest {keep_tokens:,} tokens of results: cleared.",
    setting="tool_output.clear.keep_tokens",
)
TOO_LITTLE = reason(
    "tool_clear_waits",
    "Clearing the old tool results, these among them, would free {freed:,} tokens: below {least:,} none is cleared.",
)


def phrase(
    keep: int | None = None, batch: int | None = None, trigger: int | None = None, keep_tokens: int | None = None
) -> str:
    newest = f" but the newest {keep_tokens:,} tokens" if keep_tokens else ""
    at_once = "" if batch is None else f" {'one' if batch == 1 else batch} at a time"
    return f"old tool results cleared{newest}{at_once}{f' beyond {trigger:,} tokens' if trigger else ''}"


def from_the_end(*, batch: int = 10, trigger: int = 0, at_least: int = 0, exclude: str = "", **_others: object) -> int:
    """Batches are counted from the first result on; the other options look at all of them."""
    return 0 if trigger or at_least or exclude else batch


@register("tool_output", title="Clear old ones", phrase=phrase, from_the_end=from_the_end)
def clear(
    plan: HistoryPlan,
    context: Context,
    *,
    keep: Annotated[
        int, Field(ge=0, le=1_000_000, title="Results that stay whole", description="newest results that stay whole")
    ] = 10,
    batch: Annotated[
        int,
        Field(
            ge=1,
            le=1_000_000,
            title="Results cleared at a time",
            description="results cleared at a time",
            json_schema_extra=FINE,
        ),
    ] = 10,
    trigger: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            title="Cleared beyond",
            description="tokens of the whole request, overhead included, up to which nothing is cleared; 0 clears in "
            "every request",
            json_schema_extra=FINE,
        ),
    ] = 0,
    at_least: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            title="Cleared only to free",
            description="tokens that clearing must free: with fewer nothing is cleared, as it loses the provider's "
            "prompt cache",
            json_schema_extra=FINE,
        ),
    ] = 0,
    exclude: Annotated[
        str,
        Field(
            title="Tools never cleared",
            description="names of tools whose results stay whole, with commas; they count among the newest, too",
            json_schema_extra=FINE,
        ),
    ] = "",
    keep_tokens: KeepTokens = 0,
    longer_than: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            title="Only longer than",
            description="tokens up to which a result is never cleared; it counts among the newest, too",
            json_schema_extra=FINE,
        ),
    ] = 0,
) -> HistoryPlan:
    """Clears old tool results in batches."""
    if trigger and plan.tokens + context.settings.overhead <= trigger:
        return plan
    results = tool_results(context.history)
    within = results_within(context.history, keep_tokens) if keep_tokens else 0
    cleared = max(0, len(results) - max(keep, within)) // batch * batch
    if not cleared:
        return plan
    why = BEYOND_TOKENS if within > keep else CLEARED
    numbers: dict[str, Any] = {"keep_tokens": keep_tokens} if within > keep else {"keep": keep}
    texts = _notices(context, exclude, longer_than)
    shorter = plan.truncate(texts, why, before=results.item(cleared - 1) + 1, **numbers)
    freed = plan.tokens - shorter.tokens
    if freed >= at_least:
        return shorter
    old = np.zeros(context.history.blocks, bool)
    old[context.history.columns.block[results[:cleared]]] = True
    return plan.note(old, TOO_LITTLE, freed=freed, least=at_least)


def _notices(context: Context, exclude: str, longer_than: int) -> Texts:
    """The text sent in place of each; none for short results, and for those of tools that are excluded."""
    never = frozenset(name.strip() for name in exclude.split(",") if name.strip())

    def shorten(conversation: Conversation, i: int, tokens: int) -> str | None:
        message = conversation[i]
        cleared = ALREADY.fullmatch(message.content) and not message.media
        if cleared or tokens <= longer_than or (never and tool_name(conversation, i) in never):
            return None
        return f"[Old tool result cleared: {tokens:,} tokens]"

    return shorter_results(context, ("clear", never, longer_than), shorten)
