"""Long texts sent as their beginning, with a mark that says so."""

from __future__ import annotations

import re
from functools import lru_cache

MARK = "\n[... truncated {n:,} characters ...]"
LONGEST_MARK = 60  # characters


def truncate_text(text: str, characters: int, mark: str = MARK) -> str:
    """The text, or its first `characters` and the mark; `{n}` in the mark is the number of characters left out.

    A text that was cut so before is not cut for its mark, and the number counts what was left out then.
    """
    left_out = len(text) - characters
    if left_out <= 0:
        return text
    if found := _mark_pattern(mark).search(text, max(0, len(text) - LONGEST_MARK)) if "{n:,}" in mark else None:
        left_out = found.start() - characters
        if left_out <= 0:
            return text
        left_out += int(found["n"].replace(",", ""))
    return text[:characters] + mark.format(n=left_out)


@lru_cache
def _mark_pattern(mark: str) -> re.Pattern[str]:
    before, after = map(re.escape, mark.split("{n:,}"))
    return re.compile(rf"{before}(?P<n>[0-9][0-9,]{{0,15}}){after}\Z")
