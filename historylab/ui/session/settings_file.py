"""The settings file that page and proxy share: whether they do, and the settings on screen written into it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from historylab.errors import HistoryLabError, SettingsError, StoreError
from historylab.exporters.settings_file import write_settings
from historylab.recordings.watch import ProxyStart
from historylab.settings.model import Settings
from historylab.settings.names import TEMPLATE
from historylab.settings.resolve import settings_in_file
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import session, watching

Obstacle = Literal["no proxy", "no file", "another file", "elsewhere", "unreadable"]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """The file, the settings it holds and when it was written, in seconds since 1970."""

    path: Path
    settings: Settings
    written: float


def may_be_shared() -> bool:
    """Whether this page was started with a settings file, by someone who reads it at this machine."""
    return bool(os.environ.get(TEMPLATE)) and on_this_machine()


def shared_file(proxy: ProxyStart | None) -> SharedFile | Obstacle:
    """The settings file if page and proxy were started with the same and the reader is at this machine; or why not."""
    given = os.environ.get(TEMPLATE, "")
    if proxy is None:
        return "no proxy"
    if not proxy.settings_file:
        return "no file"
    if not on_this_machine():
        return "elsewhere"
    path = Path(proxy.settings_file)
    if not given or Path(given).resolve() != path.resolve():
        return "another file"
    try:
        return SharedFile(path, settings_in_file(path), path.stat().st_mtime)
    except (HistoryLabError, OSError):
        return "unreadable"


def write_into(settings: Settings) -> None:
    """Let the proxy use these settings from its next request on."""
    try:
        watch = watching.recording()
        file = shared_file(watch.newest_proxy() if watch else None)  # a browser may still have a button of before
        if isinstance(file, SharedFile):
            write_settings(file.path, settings)
            session.announce(f"Written into {file.path.name}: the proxy uses them from its next request.")
    except (SettingsError, StoreError) as problem:
        session.report_problem(f"The settings were not written: {problem}")
