"""The prices in effect: list prices, with those replaced on screen; None if unknown."""

from __future__ import annotations

from historylab.pricing import Prices, prices_of
from historylab.ui.session import session

ASKED = {
    "input": "Input",
    "output": "Output",
    "cache_read": "Input read from a cache",
    "cache_write": "Input written to a cache",
}
"""The numbers that can be replaced, in dollars per million tokens."""
NEEDED = ("input", "output")


def prices_in_effect(model: str) -> Prices | None:
    """The prices of `model`. Your numbers replace the list's; where there is no list, input and output are needed."""
    listed, yours = prices_of(model), own_prices(model)
    if listed is not None:
        return listed.with_changes(**yours) if yours else listed
    if any(name not in yours for name in NEEDED):
        return None
    return Prices(yours["input"], yours["output"], yours.get("cache_read"), yours.get("cache_write"), model=model)


def own_prices(model: str) -> dict[str, float]:
    """The numbers given on screen for that model."""
    return session.tab().prices.get(model, {})


def set_price(model: str, name: str, dollars: float | None) -> None:
    """Replace the price of a million tokens; None restores the list price."""
    yours = session.tab().prices.setdefault(model, {})
    listed = prices_of(model)
    if dollars is None or (listed is not None and float(getattr(listed, name)) == dollars):
        yours.pop(name, None)
    else:
        yours[name] = dollars
    session.touch()


def reset_prices(model: str) -> None:
    """Back to the list."""
    session.tab().prices.pop(model, None)
    session.touch()
