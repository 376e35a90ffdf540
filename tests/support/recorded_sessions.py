"""Sessions with the usage a provider would report: `session([(sent, read, written), …])`, one request each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message

OPUS = "claude-opus-4-5"
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def session(
    requests: Sequence[tuple[int, int, int]],
    *,
    minutes: Sequence[float] = (),
    output: int = 10,
    more: Mapping[int, Mapping[str, Any]] | None = None,
    **usage: int,
) -> Conversation:
    """Per request what the provider counted as plain input, read and wrote; `minutes` at which each was sent.

    `more` is metadata of the answer to a request; `usage` is reported of every request besides.
    """
    messages = []
    for i, (sent, read, written) in enumerate(requests):
        at = START + timedelta(minutes=minutes[i] if minutes else i)
        messages.append(Message("user", f"question {i}", timestamp=at.isoformat()))
        reported = {"input": sent, "cache_reads": read, "cache_writes": written, "output": output, **usage}
        said = {"usage": reported, "model": OPUS, **(more or {}).get(i, {})}
        messages.append(Message("assistant", f"answer {i}", timestamp=at.isoformat(), metadata=said))
    return Conversation(messages)
