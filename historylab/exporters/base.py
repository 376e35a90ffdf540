"""The contract of exporters: functions that write settings in the form another tool reads.

A member takes `(settings, names)`, with the names of the settings to write, and returns the file's text. It writes no
date, so equal settings give equal files. `attributes`: `title` (on screen), `file_name`, `mime` and `language` (for
highlighting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from historylab._version import __version__
from historylab.counters.base import count_badge, open_counter
from historylab.registry import member
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import as_text, environment_names


class Exporter(Protocol):
    """A member: the text of a file with the settings of those names."""

    def __call__(self, settings: Settings, names: Sequence[str]) -> str: ...


def export(settings: Settings, target: str, *, only_changed: bool = False) -> str:
    """The settings as text for `target` ("dotenv", "shell", "json", …). Raises UnknownMember for other targets.

    Every field and option is written, so that the file means the same under any template; `only_changed` writes only
    those that differ from the defaults.
    """
    defaults = Settings()
    names = [n for n in setting_names() if not only_changed or settings.value(n) != defaults.value(n)]
    write: Exporter = member("exporter", target).target
    return write(settings, names)


def environment_of(settings: Settings, names: Sequence[str]) -> Mapping[str, str]:
    """Environment variables and their texts; AgentDock's variable first if a setting has one."""
    return {given: as_text(settings.value(n)) for n in names for given in reversed(environment_names(n))}


def heading(settings: Settings, use: str = "load with `historylab --template FILE` or set as environment") -> list[str]:
    """Comment lines (without comment signs): what wrote the file, how to use it, how tokens were counted."""
    counter = open_counter(settings.counter, settings.model, **settings.options_of("counter"))
    how = f"Tokens by {count_badge(counter, settings.model)}."
    lines = [f"HistoryLab {__version__} settings; {use}.", how]
    return ["".join(c if c.isprintable() else "�" for c in line) for line in lines]  # a model's name may hold anything
