"""What models take and cost: context windows and prices, from genai-prices' offline snapshot."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=512)
def window_of(model: str) -> int | None:
    """Tokens the model takes at most, or None where it isn't known."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    return found.context_window
