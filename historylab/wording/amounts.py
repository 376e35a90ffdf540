"""Amounts as people read them: how many, money, ratios to not trimming, shares that say 100% only where it is all."""

from __future__ import annotations

import math
from decimal import Decimal


def count_of(number: int, what: str) -> str:
    """How many, of what: "1 row", "1,200 rows". What is many by itself stays: "1 set of settings", "12 settings"."""
    if what == "settings":
        return "1 set of settings" if number == 1 else f"{number:,} settings"
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def money(amount: Decimal | float) -> str:
    """Dollars: cents from a dollar on, below that three digits that say something."""
    value = float(amount)
    if math.isnan(value):
        return "not known"
    if value == 0 or value >= 1:
        return f"${value:,.2f}" if value < 10_000 else f"${value:,.0f}"
    return f"${value:.{max(2, 2 - math.floor(math.log10(value)))}f}"


def times(ratio: float) -> str:
    """A ratio to not trimming: "1.90×"."""
    return "not known" if math.isnan(ratio) else f"{ratio:.2f}×"


def percent(share: float | None) -> str:
    """A share in percent; all and nothing only where it is exactly that."""
    if share is None or math.isnan(share):
        return "nothing to keep"
    return f"{min(max(share, 0.001), 0.999):.1%}" if 0 < share < 1 else f"{share:.0%}"
