"""Results that Anthropic's API cleared before the model read them, as its answers tell: how many, and not which.

The oldest go first, without those of tools that the request excludes. Each request is edited anew; its app goes on
sending everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from historylab.conversation.message import MOST_TOKENS, Message
from historylab.conversation.sent import RecordedCut, SentHistory, each_sent
from historylab.conversation.usage import usage_of
from historylab.formats.messages.sent_view import history_at

APPLIED_EDITS = "applied_edits"
"""Key of an answer's metadata: the edits that the API says it made to the request, as it says them."""
CLEARED = "[tool result cleared by the API]"
KIND, KEPT = "clear_tool_uses", 3
BY = "Anthropic’s API"


@dataclass(frozen=True, slots=True)
class ClearingRule:
    """The part of a request's `context_management` that decides which results go: the newest kept, tools excluded."""

    keep: int = KEPT
    excluded: frozenset[str] = frozenset()

    def oldest(self, messages: Sequence[Message], held: Sequence[int], count: int) -> list[int] | None:
        """The results that are cleared if it is so many of those held; None where that can't be."""
        tools = {call.id: call.name for message in messages for call in message.tool_calls}
        results = [i for i in held if messages[i].role == "tool"]
        cleared = [i for i in results if tools.get(messages[i].tool_call_id or "") not in self.excluded]
        return cleared[:count] if count <= max(0, len(cleared) - self.keep) else None


def edits_in(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that says which edits the API made to the request of this answer; empty where it made none."""
    told = answer.get("context_management")
    edits = told.get("applied_edits") if isinstance(told, Mapping) else None
    return {APPLIED_EDITS: edits} if isinstance(edits, list) and edits else {}


def clearing_rule(context_management: Any) -> ClearingRule | None:
    """The rule in a request's field of that name; None where it has none that clears results."""
    given = context_management.get("edits") if isinstance(context_management, Mapping) else None
    for edit in given if isinstance(given, list) else ():
        if isinstance(edit, Mapping) and str(edit.get("type")).startswith(KIND):
            keep, excluded = edit.get("keep"), edit.get("exclude_tools")
            kept = keep.get("value") if isinstance(keep, Mapping) else keep
            names = excluded if isinstance(excluded, list) else ()
            return ClearingRule(kept if type(kept) is int else KEPT, frozenset(n for n in names if isinstance(n, str)))
    return None


def with_applied_edits(
    histories: Sequence[SentHistory], messages: Sequence[Message], rule: ClearingRule | None = None
) -> list[SentHistory]:
    """The histories of these messages with what the API cleared of single requests, as their answers tell."""
    found, before = {each.size: each for each in histories}, 0
    for size, answers in _answered_requests(messages):
        count, tokens = _cleared_results(answers)
        if count or before:
            now = found.get(size) or history_at(histories, size)
            found[size] = _clear_results(now, messages[:size], rule, count, tokens, before, answers) if count else now
        before = count
    return [found[size] for size in sorted(found)]


def _answered_requests(messages: Sequence[Message]) -> Iterator[tuple[int, Sequence[Message]]]:
    """The history length of each request, and the messages that answer it."""
    start = 0
    while start < len(messages):
        stop = start + 1
        while stop < len(messages) and messages[start].role == messages[stop].role == "assistant":
            stop += 1
        if start and messages[start].role == "assistant":
            yield start, messages[start:stop]
        start = stop


def _cleared_results(answers: Sequence[Message]) -> tuple[int, int]:
    """The number of results that were cleared of a request, and their tokens."""
    count = tokens = 0
    for answer in answers:
        edits = answer.metadata.get(APPLIED_EDITS)
        for edit in edits if isinstance(edits, list | tuple) else ():
            if isinstance(edit, Mapping) and str(edit.get("type")).startswith(KIND):
                count = max(count, _whole(edit.get("cleared_tool_uses")))
                tokens = max(tokens, _whole(edit.get("cleared_input_tokens")))
    return count, tokens


def _whole(value: Any) -> int:
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0


def _clear_results(
    now: SentHistory,
    messages: Sequence[Message],
    rule: ClearingRule | None,
    count: int,
    tokens: int,
    before: int,
    answers: Sequence[Message],
) -> SentHistory:
    held = [i for i in each_sent(now.sent) if not isinstance(i, Message)]
    cleared = rule.oldest(messages, held, count) if rule else None
    usage = next(filter(None, map(usage_of, answers)), None)
    context = usage.context if usage else 0
    cut = RecordedCut(KIND, context + tokens if context else None, by=BY) if count > before else None
    texts = {**now.shortened, **dict.fromkeys(cleared or (), CLEARED)}
    size = f", {tokens:,} tokens" if tokens else ""
    why = f"the API cleared {count:,} tool result{'' if count == 1 else 's'} here{size}, and doesn’t say which"
    known = now.known and cleared is not None
    return replace(now, shortened=texts, cut=now.cut or cut, known=known, why=now.why if known or now.why else why)
