"""A summary where the API has no system message for it: in a user's message, or at the end of the instructions.

It stands between tags that carry a digest of it. Read back it is ours only if the digest fits, so that nothing a user
says is taken for it.
"""

from __future__ import annotations

import re
from hashlib import blake2b

TAG = "conversation_summary"
_MARKED = re.compile(rf'<{TAG} digest="([0-9a-f]{{16}})">\n(.*)\n</{TAG}>', re.DOTALL)
BETWEEN = "\n\n"


def marked(text: str) -> str:
    """A summary's text between our tags."""
    return f'<{TAG} digest="{_digest(text)}">\n{text}\n</{TAG}>'


def unmarked(text: str) -> str | None:
    """The summary that a text is, if it is one we marked and nothing else."""
    if not text.startswith(f"<{TAG} "):  # nearly always
        return None
    found = _MARKED.fullmatch(text)
    return found[2] if found and found[1] == _digest(found[2]) else None


def with_summaries(text: str, summaries: list[str]) -> str:
    """Instructions with summaries after them."""
    return BETWEEN.join(filter(None, (text, *map(marked, summaries))))


def without_summary(text: str) -> tuple[str, str | None]:
    """Instructions, and the summary at their end, if there is one of ours."""
    start = text.find(f"<{TAG} ")
    while start >= 0:
        summary = unmarked(text[start:])
        if summary is not None and (not start or text[:start].endswith(BETWEEN)):
            return text[:start].removesuffix(BETWEEN), summary
        start = text.find(f"<{TAG} ", start + 1)
    return text, None


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
