"""Requests of a recording that lost the prefix they had in the provider's cache: where, why as far as the file says.

A request lost its prefix where the usage reports far fewer cache reads than the request before had left in the cache,
although the context grew. The cause is what the file says, or unknown; it is never guessed. Where it broke and what
that cost are in the usage, whatever the cause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import isnan, nan

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.conversation.recorded import DECISIONS, PROMPT_CHANGED, TOOLS, sent_share
from historylab.conversation.sent import is_summary
from historylab.conversation.usage import MODEL, model_name, usage_by_request
from historylab.costs.broken_prefix import find_break, price_again
from historylab.planning.strategies.facts import instants
from historylab.pricing import FIVE_MINUTES

KEPT = 0.8
"""A request that reads less than this share of what was cached has lost its prefix."""
SMALLEST = 1024
"""Fewer tokens than this aren't cached at all."""
LIFETIMES = (FIVE_MINUTES, 3600.0, 86_400.0)
"""Seconds that providers keep a prefix for: by default, for an hour, for a day."""
CAUSES = ("model", "tools", "prompt", "pause", "message", "cut", "unknown")


@dataclass(frozen=True, slots=True)
class LostPrefix:
    """A request (from 0) that read `read` of the `cached` tokens. `cause` is one of CAUSES.

    `seconds` is the pause before it (NaN if unknown), `lifetime` how long the cache lasts; `models` are the former and
    the new one where the model changed; `message` is the index of what replaced the history, where something did. That
    the cut moved is known where a recording has what was decided.

    `broke_at` is about the index of the first message that was no longer found in the cache (None if unknown), and with
    `after_system` only the system prompt and the tools were. `dollars` is what it cost to send those of the `cached`
    tokens again that were not read, at the list prices of the model that answered (None without any).
    """

    request: int
    cached: int
    read: int
    cause: str
    seconds: float
    lifetime: float
    models: tuple[str, str] | None = None
    message: int | None = None
    broke_at: int | None = None
    after_system: bool = False
    dollars: Decimal | None = None


@dataclass(frozen=True, slots=True)
class _Reported:
    """A request with usage: its number, how much history it sends, its usage, the answer, seconds since 1970."""

    number: int
    size: int
    usage: Usage
    answer: Message
    at: float


def lost_prefixes(conversation: Conversation) -> tuple[LostPrefix, ...]:
    """Every request whose usage shows that it lost its cached prefix, in order."""
    return conversation.remember("lost prefixes", lambda: tuple(_find_lost(conversation)))


def cache_lifetime(conversation: Conversation) -> float:
    """Seconds that the cache lasted: an hour where prefixes were written for one; longer than any pause survived."""
    return conversation.remember("cache lifetime", lambda: _lifetime(conversation))


def _lifetime(conversation: Conversation) -> float:
    usages = [usage for usage in usage_by_request(conversation) if usage]
    hour = sum(2 * u.cache_writes_1h - u.cache_writes for u in usages) > 0
    survived = [now.at - then.at for then, now in _pairs(conversation) if not _is_lost(then, now)]
    longest = max((pause for pause in survived if not isnan(pause)), default=0.0)
    return next((t for t in LIFETIMES[hour:] if t >= longest), LIFETIMES[-1])


def _find_lost(conversation: Conversation) -> list[LostPrefix]:
    lost = [(then, now) for then, now in _pairs(conversation) if _is_lost(then, now)]
    return [_explain(conversation, then, now, _cached_tokens(then.usage)) for then, now in lost]


def explain_loss(conversation: Conversation, request: int, cached: int) -> LostPrefix:
    """A request (from 0) that could have read `cached` tokens and didn't; it and the one before carry usage."""
    reported = _reported_requests(conversation)
    then, now = reported[request - 1], reported[request]
    if then is None or now is None:
        raise ValueError("neither has a cause without usage")
    return _explain(conversation, then, now, cached)


def _reported_requests(conversation: Conversation) -> list[_Reported | None]:
    return conversation.remember("reported requests", lambda: _read_reported(conversation))


def _read_reported(conversation: Conversation) -> list[_Reported | None]:
    times, sizes = instants(conversation), conversation.columns.requests.tolist()
    return [
        _Reported(number, size, usage, conversation[size], float(times[size - 1]) if size else nan) if usage else None
        for number, (size, usage) in enumerate(zip(sizes, usage_by_request(conversation), strict=True))
    ]


def _pairs(conversation: Conversation) -> list[tuple[_Reported, _Reported]]:
    """Neighbouring requests with usage, of which the later one could have read what the earlier one cached."""
    return [
        (then, now)
        for then, now in pairwise(_reported_requests(conversation))
        if then and now and SMALLEST <= _cached_tokens(then.usage) <= now.usage.context
    ]


def _cached_tokens(usage: Usage) -> int:
    """Tokens that a request certainly left in the cache: what it read, and wrote where that is reported."""
    return usage.cache_reads + usage.cache_writes


def _is_lost(then: _Reported, now: _Reported) -> bool:
    return now.usage.cache_reads < KEPT * _cached_tokens(then.usage)


def _is_cut(then: Message, now: Message) -> bool:
    """Whether the settings of a recording cut what the request before had still sent."""
    decided = [each.metadata.get(DECISIONS) for each in (then, now)]
    if sent_share(now) == 1 or not all(isinstance(each, str) for each in decided):
        return False
    before, after = (re.findall(r"([A-Z?])(\d{1,9})", str(each)) for each in decided)
    (*whole, last), last_now = before or [("", "0")], after[len(before) - 1 : len(before)]
    goes_on = not before or any(letter == last[0] and int(count) >= int(last[1]) for letter, count in last_now)
    return not goes_on or whole != after[: len(whole)]


def _explain(conversation: Conversation, then: _Reported, now: _Reported, cached: int) -> LostPrefix:
    lifetime = cache_lifetime(conversation)
    models = tuple(model_name(each.answer.metadata.get(MODEL)) or "" for each in (then, now))
    replaced = next((i for i in range(then.size, now.size) if is_summary(conversation[i])), None)
    before = then.answer.metadata.get(TOOLS)
    pause = now.at - then.at
    causes = {
        "model": all(models) and models[0] != models[1],
        "tools": now.answer.metadata.get(TOOLS, before) != before,
        "prompt": now.answer.metadata.get(PROMPT_CHANGED) is True,
        "pause": pause > lifetime,
        "message": replaced is not None,
        "cut": _is_cut(then.answer, now.answer),
    }
    cause = next((name for name, holds in causes.items() if holds), "unknown")
    broke_at = _find_break(conversation, now)
    again = max(0, min(cached, now.usage.context) - now.usage.cache_reads)
    return LostPrefix(
        now.number,
        cached,
        now.usage.cache_reads,
        cause,
        pause,
        lifetime,
        (models[0], models[1]) if cause == "model" else None,
        replaced if cause == "message" else None,
        broke_at,
        broke_at is not None and now.usage.cache_reads > 0 and all(m.role == "system" for m in conversation[:broke_at]),
        price_again(now.usage, models[1] or conversation.recorded.model or "", again),
    )


def _find_break(conversation: Conversation, now: _Reported) -> int | None:
    """The first message that was not read; None where the request was not sent with all of its history."""
    if sent_share(now.answer) < 1:
        return None
    reported = [each for each in _reported_requests(conversation) if each]
    smallest = min((each.usage.cache_reads for each in reported if each.usage.cache_reads), default=0)
    before = [(each.size, _left_in_cache(each.usage)) for each in reported if each.number < now.number]
    return find_break(conversation, now.usage.cache_reads, smallest, before)


def _left_in_cache(usage: Usage) -> int:
    """Tokens that later requests may have read: all of them, where writes aren't reported."""
    return _cached_tokens(usage) if usage.cache_writes else usage.context
