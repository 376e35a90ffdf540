"""`trim()`: the messages to send, for a program that keeps no `Trimmer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from historylab.planning.pipeline import open_pipeline
from historylab.planning.trimmer import Trimmer, environment_settings
from historylab.planning.warn import USED_ONCE, say_once
from historylab.settings.model import Settings

M = TypeVar("M")


def trim(messages: Sequence[M], settings: Settings | None = None) -> list[M | dict[str, Any]]:
    """The messages to send: the caller's own objects for what is kept, a new dict for a summary or a shortened message.

    A `Trimmer` used once: it knows nothing of earlier requests, so that settings which carry something from request to
    request (a summary, a cut) plan all of them anew each time; the logger `historylab` warns of that.
    """
    settings = settings or environment_settings()
    if open_pipeline(settings).carries:
        say_once(("used once", settings.key), lambda: USED_ONCE)
    return Trimmer(settings).trim(messages)
