"""The name and look of every action, everywhere: one word, one glyph, one colour for light and one for dark.

What is sent is quiet, two tints of one hue; what is lost carries the ink. Each loss stays at least 18 CIEDE2000 from
everything else under the three common colour blindnesses; a glyph always goes with them, on the map a texture, too.
Kinds of tokens are tints of the quiet hue: they aren't decisions. Only the summary has the colour of what it replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from historylab.planning.reasons import Action


@dataclass(frozen=True, slots=True)
class Look:
    """The name and the drawing of one thing; `meaning` is its legend."""

    word: str
    glyph: str
    light: str
    dark: str
    meaning: str = ""

    @property
    def badge(self) -> str:
        """ "● kept" """
        return f"{self.glyph} {self.word}"

    @property
    def name(self) -> str:
        """ "cut-short", for style sheets"""
        return self.word.replace(" ", "-")

    def colour(self, dark: bool) -> str:
        return self.dark if dark else self.light

    def ink(self, dark: bool) -> str:
        """Black or white, whichever is more readable on the colour."""
        red, green, blue = bytes.fromhex(self.colour(dark)[1:])
        return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#FFFFFF"

    def mark(self, name: str) -> str:
        """The glyph on its colour as HTML; `name` is that of the page's colour variables: "kept", "only-B"."""
        style = f"background:var(--hl-{name});color:var(--hl-on-{name})"
        return f'<i class="hl-mark" style="{style}" aria-hidden="true">{self.glyph}</i>'


SUMMARY = Look("summary", "Σ", "#D9980F", "#EAB00F")

LOOKS: Mapping[Action, Look] = {
    Action.KEPT: Look("kept", "●", "#D3DFEA", "#26374A", "sent in full"),
    Action.PINNED: Look("always sent", "★", "#A3BCD4", "#41607F", "system messages and your pins"),
    Action.TRUNCATED: Look("cut short", "✂", "#9C46B9", "#C950F1", "sent in part"),
    Action.SUMMARIZED: Look("summarised", "Σ", SUMMARY.light, SUMMARY.dark, "replaced by a summary"),
    Action.DROPPED: Look("dropped", "×", "#343B44", "#98A4B1", "not sent"),
}

KINDS: Mapping[str, Look] = {
    "overhead": Look("overhead", "", "#DFDFDB", "#3A3F45"),
    "system": Look("system", "", "#6E8FB0", "#7FA3C9"),
    "user": Look("user", "", "#94B0CB", "#5F83AA"),
    "assistant": Look("assistant", "", "#B7CADC", "#456485"),
    "tool": Look("tool results", "", "#D3DFEA", "#2D4259"),
    "other": Look("other roles", "", "#B5BCC4", "#5B636C"),
    "framing": Look("formatting", "", "#DFDFDB", "#3A3F45"),
    "summary": SUMMARY,
}
"""The kinds of tokens, from the bottom of the chart up: all outside the messages, then `Timeline.tokens_by_kind`."""

PAGE = Look("page", "", "#FCFCFA", "#15181C")
INK = Look("ink", "", "#23272C", "#E4E7EA")
FAINT = Look("faint", "", "#656B73", "#9AA3AD")
GRID = Look("grid", "", "#E4E4DE", "#2C333B")
ACCENT = Look("accent", "", "#3A5578", "#A3C0E6")
TRIED = Look("tried", "", "#3A5578", "#8FB4DC")
FALLS_SHORT = Look("breaks a wish", "×", "#9AA0A6", "#6F7880")
ALARM = Look("over the budget", "!", "#B3261E", "#FF8A80")

CONFIGURATIONS: tuple[Look, ...] = (
    Look("A", "A", "#23272C", "#E4E7EA"),
    Look("B", "B", "#6D4BC3", "#B69CFF"),
    Look("C", "C", "#B45309", "#F0A36B"),
    Look("D", "D", "#0E7490", "#67D3E8"),
    Look("S", "S", "#3F7D20", "#9BD770", "what was really sent"),
)
"""The configurations compared. The letter always goes with the colour; in charts so does a dash pattern."""
