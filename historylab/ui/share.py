"""The link to share: a whole address that means the same on any server, and never holds what was uploaded."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from historylab.exporters.base import as_text
from historylab.settings.names import url_name
from historylab.settings.resolve import Resolution
from historylab.ui import state


def full_link(resolution: Resolution) -> str:
    """Every setting, defaults too, the sample or seed that is open, and the request looked at."""
    values = resolution.settings.values().items()
    settings = {url_name(name): as_text(value) for name, value in values if value is not None}
    looked_at = state.desk().request
    request = {} if looked_at is None else {state.REQUEST: str(looked_at + 1)}
    return f"{address()}?{urlencode({**settings, **state.opened_parameters(), **request}, safe=':,')}"


def address() -> str:
    """The playground's address without a query; it is at the root, whatever path this tab came by."""
    return (st.context.url or "").partition("?")[0].removesuffix("/").removesuffix("/playground") + "/"
