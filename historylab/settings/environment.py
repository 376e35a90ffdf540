"""The settings in the environment alone, as an app reads them that has no link, no template and no screen."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from historylab.settings.model import Settings
from historylab.settings.names import is_ours


def environment_settings() -> Settings:
    """`resolve_settings().settings`, read again when the environment changed.

    It doesn't say where each value came from, and of all members only those that the environment names are imported.
    """
    return _settings_from(tuple(sorted((name, value) for name, value in os.environ.items() if is_ours(name))))


@lru_cache(maxsize=8)
def _settings_from(environment: tuple[tuple[str, str], ...]) -> Settings:
    if not environment:
        return Settings()
    from historylab.settings.resolve import Candidate, read, warn_of
    from historylab.settings.sources import from_environment

    values: dict[str, Any] = {}
    refused = []
    for given in from_environment(dict(environment)):
        value, problem = read(given)
        if problem:
            refused.append(Candidate(given.source, given.name, given.raw, "refused", problem, bool(given.setting)))
        else:
            values.setdefault(given.setting, value)
    warn_of(refused)
    return Settings(**values)
