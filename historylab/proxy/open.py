"""A proxy put together: its settings, its store, what it records, and whom it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import time
from typing import Any

from historylab.errors import SettingsError, StoreError
from historylab.proxy.app import Proxy
from historylab.proxy.callers import known_names
from historylab.proxy.patience import PatientStore
from historylab.proxy.settings_file import SettingsFile
from historylab.proxy.trimming import Trimming
from historylab.proxy.upstream import Upstream, is_our_proxy
from historylab.recordings.exchange import line_time, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.place import open_recording
from historylab.recordings.recorder import KEEP_DAYS, Recorder
from historylab.settings.model import Settings
from historylab.stores.base import Store, open_store


def open_proxy(
    upstream: str | Upstream,
    *,
    settings: str | None = None,
    otherwise: Mapping[str, Any] | None = None,
    mode: str = "trim",
    record: str | None = None,
    redact: Sequence[str] = (),
    keep_days: float | None = KEEP_DAYS,
    host: str = "127.0.0.1",
    tokens: Sequence[str] = (),
) -> Proxy:
    """A proxy for that upstream; it closes what it opened when its server ends.

    `settings` is a file that is read again when it changes, `otherwise` what counts in place of one; `record` is a
    recording's place, without which the summaries that requests were sent with are gone with the process.
    Raises SettingsError, also for an upstream that is a proxy of ours.
    """
    asked = Upstream(upstream) if isinstance(upstream, str) else upstream
    if is_our_proxy(asked.url):
        raise SettingsError(f"{asked.url} is a historylab proxy already, and two of them would trim twice")
    file = SettingsFile(settings, otherwise)
    store = _open_place(record) if record is not None else open_store("memory://")
    recorder, patient = None if record is None else _recorder(store, redact, keep_days), PatientStore(store)
    announce = partial(_note_start, recorder, patient, asked, file.path, mode)
    announce(file.settings)
    trimming = Trimming(file, NotedState(patient, recorder.redaction if recorder else None), mode, announce)
    return Proxy(asked, trimming, recorder, names=known_names(host), tokens=tokens, store=patient)


def _open_place(record: str) -> Store:
    try:
        return open_recording(record)
    except StoreError as problem:  # it was named so
        raise SettingsError(str(problem)) from None


def _recorder(store: Store, redact: Sequence[str], keep_days: float | None) -> Recorder:
    try:
        return Recorder(store, redact=redact, keep_days=keep_days)
    except Exception:
        with suppress(Exception):
            store.close()
        raise


def _note_start(
    recorder: Recorder | None,
    store: PatientStore,
    upstream: Upstream,
    file: Path | None,
    mode: str,
    settings: Settings,
) -> None:
    """Record under which settings requests are sent from now on."""
    if recorder is not None:
        recorder.note(
            "proxy",
            timeout=store.patience_left(0.0),
            mode=mode,
            settings_file=str(file) if file else None,
            settings=settings_fields(settings),
            upstream=upstream.url,
            started=line_time(time()),
        )
