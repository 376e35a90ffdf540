"""A cell of the strip under the headline, as HTML: a number, and a few words on it."""

from __future__ import annotations

from historylab.wording.untrusted import escape


def strip_cell(number: str, said: str, told: str, *, over: bool = False) -> str:
    """The number, which tells on hover, focus and touch where it comes from (`told`), and the words after it."""
    big = "hl-number hl-over" if over else "hl-number"
    term = f'<b class="{big} hl-term" tabindex="0" aria-description="{escape(told)}">{escape(number)}</b>'
    return f'<div class="hl-cell hl-tips">{term} {escape(said)}</div>'
