"""A summary where the API has no system message for it: in a user's message, or at the end of the instructions.

Its last line is a mark with its digest. Read back it is ours only if the digest fits, so that nothing a user says is
taken for it.
"""

from __future__ import annotations

import re
from hashlib import blake2b

_MARK = re.compile(r"\n\[end of summary ([0-9a-f]{8})\]\Z")
BETWEEN = "\n\n"


def mark_summary(text: str) -> str:
    """A summary's text with our mark, some ten tokens."""
    return f"{text}\n[end of summary {_digest(text)}]"


def unmark_summary(text: str) -> str | None:
    """The summary that a text is, if it is one we marked and nothing else."""
    found = _MARK.search(text) if text.endswith("]") else None
    return text[: found.start()] if found and found[1] == _digest(text[: found.start()]) else None


def with_summaries(text: str, summaries: list[str]) -> str:
    """Instructions with summaries after them."""
    return BETWEEN.join(filter(None, (text, *map(mark_summary, summaries))))


def without_summary(text: str) -> tuple[str, str | None]:
    """Instructions, and the summary at their end, if there is one of ours."""
    end = len(text) if _MARK.search(text) else -1
    while end >= 0:  # from the last paragraph on, as the summary is the end
        end = text.rfind(BETWEEN, 0, end)
        start = 0 if end < 0 else end + len(BETWEEN)
        if (summary := unmark_summary(text[start:])) is not None:
            return text[: max(end, 0)], summary
    return text, None


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
