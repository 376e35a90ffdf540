"""The reader's time zone, as the browser tells it."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo

import streamlit as st


def reader_zone() -> tzinfo | None:
    """The zone; None, the server's own, where the browser tells none that is known."""
    try:
        return ZoneInfo(st.context.timezone or "")
    except (ValueError, OSError, KeyError):  # KeyError: ZoneInfoNotFoundError
        return None
