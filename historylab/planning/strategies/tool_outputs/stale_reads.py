"""`stale_reads`: a tool result whose file was read again or changed by a later call gives way to a line that says so.

Files are known by the arguments of calls, not by what a shell command says. A batch at a time, as with `clear`: the
prefix stays the same between batches.
"""

from typing import Annotated, Self

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing
from historylab.counters.base import Counter, token_column
from historylab.planning.plan import HistoryPlan, Texts
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import NOTHING
from historylab.planning.strategies.superseded import PATHS, is_notice, superseded_results
from historylab.registry import FINE, register

STALE = reason(
    "stale_read",
    "A tool result whose file was read again or changed later: cleared.",
    remedy={"tool_output": "off"},
)


@register("tool_output", title="Clear reads that are out of date", phrase="out-of-date reads cleared")
def stale_reads(
    plan: HistoryPlan,
    context: Context,
    *,
    batch: Annotated[
        int,
        Field(
            ge=1,
            le=1_000_000,
            title="Results cleared at a time",
            description="results cleared at a time, so that the provider's prompt cache is rarely lost",
            json_schema_extra=FINE,
        ),
    ] = 10,
    paths: Annotated[
        str,
        Field(
            title="Arguments that name a file",
            description="arguments of calls that name the file they read or change, with commas; what a shell command "
            "says is not looked at",
            json_schema_extra=FINE,
        ),
    ] = PATHS,
) -> HistoryPlan:
    """Clears results whose file a later call read again or changed: safe; saves a little in long sessions."""
    history = context.history
    found = superseded_results(history.conversation, paths)
    cleared = int(found.since.searchsorted(history.size, side="right")) // batch * batch
    return plan.truncate(_notices(context, paths), STALE, only=found.messages[:cleared]) if cleared else plan


def _notices(context: Context, paths: str) -> Texts:
    """What is sent in place of each."""
    conversation, counter = context.history.conversation, context.history.counter
    key = ("superseded texts", paths, counter.key)
    return conversation.growing(key, lambda: _Notices(paths, counter, Texts(NOTHING, counter, {}, media=False))).texts


class _Notices(Growing[Conversation]):
    """Texts in place of results that are out of date; the first `known` of them were looked at."""

    __slots__ = ("_counter", "_known", "_paths", "texts")

    def __init__(self, paths: str, counter: Counter, texts: Texts, known: int = 0):
        self._paths, self._counter, self._known, self.texts = paths, counter, known, texts

    def followed_by(self, conversation: Conversation, start: int) -> Self:
        found, tokens = superseded_results(conversation, self._paths), token_column(conversation, self._counter)
        texts = {
            i: f"[Superseded by a later {how}: {tokens.item(i):,} tokens cleared]"
            for i, how in zip(found.messages[self._known :].tolist(), found.by[self._known :].tolist(), strict=True)
            if not is_notice(conversation[i].content)
        }
        texts_now = self.texts.followed_by(conversation, self._counter, texts)
        return type(self)(self._paths, self._counter, texts_now, len(found.messages))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> Self:
        return type(self)(self._paths, self._counter, self.texts.with_leading(before, now), self._known)
