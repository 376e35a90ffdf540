"""`wrap()`: the proxy's work within a client of OpenAI's or Anthropic's SDK, without a server in between.

    client = historylab.wrap(OpenAI(), settings)

Whatever method asks (`create`, `stream`, `parse`, one for raw responses), its request passes the `send` of the client's
HTTP client. There it is decided, sent on and put on record as the proxy does, with the same headers on its answer.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

from historylab.errors import SettingsError
from historylab.proxy.through import Through
from historylab.proxy.upstream import is_our_proxy
from historylab.proxy.wrapped_client import http_library, is_trimming, trimming_client
from historylab.recordings.place import named_place, open_recording
from historylab.recordings.recorder import Recorder
from historylab.settings.environment import environment_settings
from historylab.settings.model import Settings, check_settings
from historylab.settings.names import STORE
from historylab.stores.base import open_store

C = TypeVar("C")
CLIENTS = ("openai.OpenAI", "openai.AsyncOpenAI", "anthropic.Anthropic", "anthropic.AsyncAnthropic")


def wrap(client: C, settings: Settings | None = None, *, record: str | os.PathLike[str] | None = None) -> C:
    """A client of OpenAI's or Anthropic's, sync or async, whose requests are trimmed; the one given stays as it is.

    Hand it the whole history at every call: what a Trimmer under these settings would send is sent. Without `settings`
    the environment decides. `record`: where requests and answers are recorded, a folder, an SQLite file or a database's
    URL; without one where HISTORYLAB_RECORD says, if it does. A request that can't be trimmed goes through as it came,
    or is refused where a filter or projection is set, as by the proxy.

    Raises SettingsError for what are no settings, for another kind of client, for one that is wrapped already or asks
    HistoryLab's proxy, which would trim twice, and StoreError for a place that can't hold a recording.
    """
    check_settings(settings := environment_settings() if settings is None else settings)
    _check_client(client)
    place = record or named_place() or None
    store = open_recording(place) if place else open_store(os.environ.get(STORE) or "memory://")
    asked: Any = client
    through = Through(settings, store, Recorder(store) if place else None)
    wrapped: C = asked.copy(http_client=trimming_client(asked._client, through))
    return wrapped


def _check_client(client: Any) -> None:
    names = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(client).__mro__}
    if names.isdisjoint(CLIENTS):
        raise SettingsError(f"wrap() takes a client of {', '.join(CLIENTS)}, not {type(client).__name__}")
    if is_trimming(client._client):
        raise SettingsError("this client is wrapped already; its requests would be trimmed twice")
    http_library(client._client)  # raises where it can't be sent by
    if is_our_proxy(str(client.base_url)):
        raise SettingsError(f"{client.base_url} is HistoryLab's proxy, which trims already; give one of the two up")
