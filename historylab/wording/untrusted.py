"""Untrusted text made safe to show: one line, several lines, or HTML that is nothing but text."""

from __future__ import annotations

import html
import re
import unicodedata

NO_WIDTH = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # controls, direction overrides, lone surrogates
JOINERS = frozenset("\u200c\u200d")  # they shape Persian, Indic scripts and emoji
OVERRIDES = re.compile("[\u202a-\u202e]")  # they reorder the text on screen
LOOK_AT = 4  # characters looked at per character shown: a message may be a megabyte


def one_line(text: str, width: int) -> str:
    """The text's beginning on one line, at most `width` characters, controls and direction overrides shown as "�"."""
    head = text[: width * LOOK_AT]
    words = re.sub(r"\s+", " ", head).strip()
    if words.isprintable():
        shown = words
    else:
        shown = "".join("�" if unicodedata.category(c) in NO_WIDTH and c not in JOINERS else c for c in words)
    return shown if len(shown) <= width and len(text) <= len(head) else shown[: width - 1].rstrip() + "…"


def multiline(text: str, limit: int) -> str:
    """The text with its line breaks, encodable as UTF-8, at most `limit` characters and how many more there are."""
    shown = OVERRIDES.sub("�", text[:limit]).encode("utf-8", "replace").decode()
    return shown if len(text) <= limit else f"{shown}\n… {len(text) - limit:,} more characters"


def escape(text: object) -> str:
    """The text escaped for HTML: for `st.html` and for Plotly's hover labels."""
    return html.escape(str(text).encode("utf-8", "replace").decode())
