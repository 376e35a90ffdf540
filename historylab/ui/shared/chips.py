"""The parts of a chip under the verdict, as HTML: its title, and its number with what is said of it."""

from __future__ import annotations

from historylab.wording.cuts import capitalize_first
from historylab.wording.terms import info_html, with_terms
from historylab.wording.untrusted import escape


def chip_head(title: str, origin: str) -> str:
    """A chip's title, and on hover, focus or touch where its number comes from."""
    return f'<div class="hl-chip-title hl-tips">{title} {info_html("Where this comes from", origin)}</div>'


def chip_number(number: str, said: str, tag: str = "div", *, over: bool = False) -> str:
    """A number and what is said of it, on a line of its own or, as `b`, in one sentence."""
    big = f'<{tag} class="hl-number-big{" hl-over" if over else ""}">{escape(number)}</{tag}>' if number else ""
    terms = with_terms(said if number else capitalize_first(said), "fact", "trimming", "beginning", "request", "cache")
    return f'<div class="hl-chip-said hl-tips">{big} {terms}</div>'
