"""The settings in effect: the environment's before those of a file, which is read again whenever it changes."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from historylab.errors import HistoryLabError, SettingsError
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings
from historylab.settings.sources import read_template

log = logging.getLogger("historylab.proxy")


class SettingsFile:
    """The settings of a file, or of the environment alone. Safe under threads.

    `otherwise`: what counts where no file is named, and gives way to the environment as a file does.
    `problem`: why the file as it is now doesn't count; the settings it had before stay in effect. Raises SettingsError
    where it can't be read to begin with.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, otherwise: Mapping[str, Any] | None = None):
        self.path = Path(path).resolve() if path is not None else None
        self._otherwise = otherwise
        self.problem = ""
        self._lock = threading.Lock()
        self._seen = self._stamp()
        self.settings = self._read()

    @property
    def changed(self) -> bool:
        """Whether the file isn't as it was when it was read."""
        return self.path is not None and self._stamp() != self._seen

    def reread(self, changed: Callable[[Settings], None]) -> None:
        """Look whether the file changed; `changed` is told of other settings before they count for anybody else."""
        if not self.changed:
            return
        with self._lock:
            stamp = self._stamp()
            if stamp == self._seen:
                return
            try:
                settings, problem = self._read(), ""
            except HistoryLabError as refused:
                settings, problem = self.settings, str(refused)
            self._tell(settings, problem)
            if settings != self.settings:
                changed(settings)
            self.settings, self.problem, self._seen = settings, problem, stamp

    def _read(self) -> Settings:
        if self.path is not None and self.path.exists() and not self.path.is_file():
            raise SettingsError(f"{self.path} is no file")  # reading a pipe would wait for ever
        found = resolve_settings(template=self._otherwise if self.path is None else read_template(self.path))
        if refused := [c for c in found.refused if c.source == "template"]:
            raise SettingsError(f"{self.path}: " + "; ".join(f"{c.name}={c.raw}: {c.why}" for c in refused))
        return found.settings

    def _stamp(self) -> tuple[int, ...] | None:
        """What changes with the file; None while there is none."""
        if self.path is None:
            return None
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _tell(self, settings: Settings, problem: str) -> None:
        if problem:
            log.warning("The settings stay as they were: %s", problem)
        elif settings != self.settings:
            log.warning("The settings of %s are in effect.", self.path)
