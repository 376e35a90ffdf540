"""`trim()`: the messages to send, for a program that keeps no `Trimmer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from historylab.planning.pipeline import open_pipeline
from historylab.planning.trimmer import Trimmer, environment_settings
from historylab.planning.warn import USED_ONCE, say_once
from historylab.settings.model import Settings

M = TypeVar("M")


@overload
def trim(messages: Mapping[str, Any], settings: Settings | None = None) -> dict[str, Any]: ...


@overload
def trim(messages: Sequence[M], settings: Settings | None = None) -> list[M | dict[str, Any]]: ...


def trim(
    messages: Sequence[M] | Mapping[str, Any], settings: Settings | None = None
) -> list[M | dict[str, Any]] | dict[str, Any]:
    """What to send, as the same kind: a list of messages, or a request body.

    It holds the caller's own objects for what is kept, and new dicts for a summary or a shortened message. Nothing
    given is changed. Raises LoadError for what can't be read.

    This is a `Trimmer` used once: it knows nothing of earlier requests, so that settings which carry something from
    request to request (a summary, a cut) plan all of them anew each time; the logger `historylab` warns of that.
    """
    settings = settings or environment_settings()
    if open_pipeline(settings).carries:
        say_once(("used once", settings.key), lambda: USED_ONCE)
    return Trimmer(settings).trim(messages)
