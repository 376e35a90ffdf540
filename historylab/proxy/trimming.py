"""Trimming under the settings in effect, which may change while the proxy runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from historylab.conversation.exchange import Exchange
from historylab.proxy.deciding import Trimmers, decide, log_fault
from historylab.proxy.settings_file import SettingsFile
from historylab.recordings.noted_state import NotedState
from historylab.settings.model import Settings
from historylab.trimming.trimmer import Trimmer

THREADS = 16
"""Requests that are planned at once; one whose summary is written by a model waits for that."""


class Trimming:
    """Decides requests in threads, so that no other's answer waits for it.

    `announce` is called with new settings before the first request is decided under them.
    """

    def __init__(
        self,
        settings: SettingsFile,
        store: NotedState,
        mode: str = "trim",
        announce: Callable[[Settings], None] = lambda _: None,
    ):
        self.settings, self.mode = settings, mode
        self._store, self._announce = store, announce
        self._trimmers = Trimmers(settings.settings, self._store)
        self._threads = ThreadPoolExecutor(THREADS, "historylab-plan")

    @property
    def applies(self) -> bool:
        """Whether requests are trimmed, not only watched."""
        return self.mode == "trim"

    async def warm_up(self) -> None:
        """Load what planning needs before the first request comes."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self._plan_anything)

    def _plan_anything(self) -> None:
        with suppress(Exception):  # requests will say what is wrong
            Trimmer(self.settings.settings).plan([{"role": "user", "content": "Hello"}])

    async def guards(self) -> bool:
        """Whether a filter or a projection decides what may leave at all, by the file as it is now."""
        if self.settings.changed:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._reread)
        return self.applies and self._trimmers.guarded

    async def decide(self, exchange: Exchange, content: bytes, encoded: bool) -> None:
        """Fill in the decision about the body, in a thread, as `deciding.decide` does; raises what that raises."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self._decide, exchange, content, encoded)

    def _decide(self, exchange: Exchange, content: bytes, encoded: bool) -> None:
        self._reread()
        decide(self._trimmers, exchange, content, encoded, applied=self.applies)

    def _reread(self) -> None:
        self.settings.reread(self._take)

    def _take(self, settings: Settings) -> None:
        try:
            self._announce(settings)
        except Exception as problem:
            log_fault("Other settings can't be noted", problem)
        self._trimmers = Trimmers(settings, self._store)

    def close(self) -> None:
        """Stop the threads once they finish their current work."""
        self._threads.shutdown(wait=False, cancel_futures=True)
