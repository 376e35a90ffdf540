"""Amounts in text: counts, money, ratios to not trimming, and shares that are whole only if nothing is missing."""

from __future__ import annotations

import math
import re
from decimal import Decimal

WRITTEN = re.compile(r"(?P<digits>[0-9]{1,15}(\.[0-9]{1,6})?|[0-9]{1,3}(,[0-9]{3}){1,4})(?P<unit>[km]?)")


def count_of(number: int, noun: str) -> str:
    """A count with its noun: "1 row", "1,200 rows", "2 losses"; and "1 set of settings", "12 settings"."""
    if noun == "settings":
        return "1 set of settings" if number == 1 else f"{number:,} settings"
    return f"{number:,} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def money(amount: Decimal | float) -> str:
    """US dollars, with cents from $1 on; below that three significant digits."""
    value = float(amount)
    if math.isnan(value):
        return "not known"
    if value == 0 or value >= 1:
        return f"${value:,.2f}" if value < 10_000 else f"${value:,.0f}"
    return f"${value:.{max(2, 2 - math.floor(math.log10(value)))}f}"


def times(ratio: float) -> str:
    """A ratio to not trimming: "1.90×"; below 0.01 two significant digits."""
    if math.isnan(ratio):
        return "not known"
    return f"{ratio:.{1 - math.floor(math.log10(ratio))}f}×" if 0 < ratio < 0.01 else f"{ratio:.2f}×"


def percent(share: float | None) -> str:
    """A share (0 to 1) in percent; 0% and 100% only if it is exactly that."""
    if share is None or math.isnan(share):
        return "nothing to keep"
    return f"{min(max(share, 0.001), 0.999):.1%}" if 0 < share < 1 else f"{share:.0%}"


def short_count(number: int) -> str:
    """A count for people, to two or three digits: "685", "1.2k", "46k", "1.3M"; the exact one belongs in its hover."""
    for least, unit in ((999_500, "M"), (1_000, "k")):
        if number >= least:
            value = number / (1_000_000 if unit == "M" else 1_000)
            return f"{value:.1f}".removesuffix(".0") + unit if value < 9.95 else f"{value:,.0f}{unit}"
    return f"{number:,}"


def plain_count(number: int) -> str:
    """The same where it is exact, as in "96k"; otherwise every digit: "113,915"."""
    short = short_count(number)
    return short if parse_count(short) == number else f"{number:,}"


def parse_count(text: str) -> int | None:
    """The whole number a person wrote: "96k", "1.4M", "96,000", "96000"; None for what is none."""
    found = WRITTEN.fullmatch("".join(text.split()).lower().removesuffix("tokens"))
    if found is None:
        return None
    value = Decimal(found["digits"].replace(",", "")) * {"": 1, "k": 1_000, "m": 1_000_000}[found["unit"]]
    return int(value) if value == int(value) else None


def short_money(amount: Decimal | float) -> str:
    """Money for people: "8¢", "0.3¢", "$1.24", "$581"; the exact amount belongs in its hover."""
    value = float(amount)
    if math.isnan(value):
        return "not known"
    cents = value * 100
    if 0 < cents < 0.95:
        return f"{cents:.1g}¢"
    if 0 < cents < 99.5:
        return f"{cents:.0f}¢"
    return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"


def whole_percent(share: float) -> str:
    """A share of 1 for people: "48%"; "<1%" and ">99%" where it is neither nothing nor all."""
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"
