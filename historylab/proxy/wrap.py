"""`wrap()`: the proxy's work within a client of OpenAI's or Anthropic's SDK, without a server in between.

    client = historylab.wrap(OpenAI(), settings)

What the client sends passes the `send` of its HTTP client, whatever method made it (`create`, `stream`, `parse`, a raw
response) and in any version: there it is decided, sent on, and put on record, as the proxy does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from historylab.conversation.exchange import Exchange
from historylab.errors import HistoryLabError, SettingsError
from historylab.proxy.deciding import Trimmers, decide
from historylab.proxy.headers import secrets_in
from historylab.proxy.pending import HUNG_UP, PendingExchange
from historylab.proxy.refusals import Refused, error_body
from historylab.proxy.routes import Route, route_of
from historylab.recordings.noted_state import NotedState
from historylab.recordings.place import named_place, open_recording
from historylab.recordings.recorder import Recorder
from historylab.settings.environment import environment_settings
from historylab.settings.model import Settings
from historylab.settings.names import STORE
from historylab.stores.base import open_store
