"""Long texts sent as their beginning, with a mark that says so."""

from __future__ import annotations

MARK = "\n[... truncated {n:,} characters ...]"


def truncate_text(text: str, characters: int, mark: str = MARK) -> str:
    """The text, or its first `characters` and the mark; `{n}` in the mark is the number of characters left out."""
    left_out = len(text) - characters
    return text if left_out <= 0 else text[:characters] + mark.format(n=left_out)
