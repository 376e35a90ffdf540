"""Lines of a recording, made: the JSON that every store keeps and that an export writes."""

from __future__ import annotations

import json
import re
from typing import Any

from historylab.errors import StoreError
from historylab.formats.traces.recorded_lines import KIND

HALVES = re.compile("[\ud800-\udfff]")  # of an emoji that was cut in two, for which UTF-8 has no bytes


def make_line(kind: str, **fields: Any) -> str:
    """A line of that kind; fields without a value (None, an empty text or list) are left out.

    Raises StoreError for a value that is no JSON.
    """
    said = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    try:
        text = json.dumps({KIND: kind, **said}, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as problem:
        raise StoreError(f"what is to be recorded is no JSON: {problem}") from None
    return HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
