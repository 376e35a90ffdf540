"""The name and look of every action, everywhere: one word, one glyph, one colour for light and one for dark.

The colours stay at least 18 CIEDE2000 apart under the three common colour blindnesses; two of them are faint against
the page, so the glyph always goes with them. Kinds of tokens are shades of one neutral hue: they aren't decisions.
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


LOOKS: Mapping[Action, Look] = {
    Action.KEPT: Look("kept", "●", "#1697D0", "#0AA2F1", "sent in full"),
    Action.PINNED: Look("pinned", "★", "#0B4F30", "#02FBC6", "always sent: system messages and your pins"),
    Action.TRUNCATED: Look("truncated", "✂", "#74126F", "#EC24A0", "sent in part"),
    Action.SUMMARIZED: Look("summarised", "Σ", "#DD9F12", "#EAB00F", "replaced by a summary"),
    Action.DROPPED: Look("dropped", "×", "#C8CAC7", "#626161", "not sent"),
}

KINDS: Mapping[str, Look] = {
    "overhead": Look("overhead", "", "#E9E3D6", "#332F29"),
    "system": Look("system", "", "#22354D", "#C9D8EA"),
    "user": Look("user", "", "#4A7099", "#8FB4DC"),
    "assistant": Look("assistant", "", "#86A5C5", "#5F86B0"),
    "tool": Look("tool results", "", "#BDCDDD", "#3B5878"),
    "other": Look("other roles", "", "#A99BB5", "#8B7A9B"),
    "framing": Look("framing", "", "#D8D2C4", "#4A463E"),
    "summary": Look("summary", "Σ", "#DD9F12", "#EAB00F"),
}
"""The kinds of tokens, from the bottom of the chart up: all outside the messages, then `Timeline.tokens_by_kind`."""

PAGE = Look("page", "", "#FCFCFA", "#15181C")
INK = Look("ink", "", "#23272C", "#E4E7EA")
FAINT = Look("faint", "", "#656B73", "#9AA3AD")
GRID = Look("grid", "", "#E4E4DE", "#2C333B")
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
