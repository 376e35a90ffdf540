"""Untrusted text made safe to show: one line, several lines, or HTML or Markdown that is nothing but text."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

NO_WIDTH = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # controls, direction overrides, lone surrogates
JOINERS = frozenset("\u200c\u200d")  # they shape Persian, Indic scripts and emoji
STAY = JOINERS | {"\t", "\r"}
UNSEEN = "�"
LOOK_AT = 4  # characters looked at per character shown: a message may be a megabyte


def one_line(text: str, width: int) -> str:
    """The text's beginning on one line, at most `width` characters, what can't be seen shown as "�"."""
    head = text[: width * LOOK_AT]
    shown = replace_hidden(re.sub(r"\s+", " ", head).strip())
    return shown if len(shown) <= width and len(text) <= len(head) else shown[: width - 1].rstrip() + "…"


def multiline(text: str, limit: int) -> str:
    """The text with its line breaks, at most `limit` characters and how many more there are; what is unseen as "�"."""
    shown = replace_hidden(text[:limit])
    return shown if len(text) <= limit else f"{shown}\n… {len(text) - limit:,} more characters"


def escape(text: object) -> str:
    """The text escaped for HTML: for `st.html` and for Plotly's hover labels."""
    return html.escape(replace_hidden(str(text)))


def code_span(text: str, width: int = 80) -> str:
    """The text on one line as a code span, in which Markdown has no meaning: for labels, help and progress bars."""
    shown = re.sub(f"[{''.join(JOINERS)}]", UNSEEN, one_line(text, width))
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    room = " " if "`" in (shown[:1], shown[-1:]) else ""
    return f"{ticks}{room}{shown}{room}{ticks}" if shown else "(empty)"


def visible_json(value: Any) -> str:
    """Indented JSON in which what can't be seen is written as an escape: equivalent, and visible."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return replace_hidden(text, lambda c: json.dumps(c)[1:-1])


def replace_hidden(text: str, write: Callable[[str], str] = lambda _: UNSEEN) -> str:
    """The text with every character that takes no room, or reorders others, as `write(character)`.

    Line breaks, tabs, and the joiners of scripts and emoji stay.
    """
    return "\n".join(line if line.isprintable() else _escape_invisible(line, write) for line in text.split("\n"))


def _escape_invisible(line: str, write: Callable[[str], str]) -> str:
    return "".join(write(c) if unicodedata.category(c) in NO_WIDTH and c not in STAY else c for c in line)
