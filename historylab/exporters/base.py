"""The contract of exporters: functions that write settings in the form another tool reads.

A member takes `(settings, names)`, with the names of the settings to write, and returns the file's text. It writes no
date, so equal settings give equal files. `attributes`: `title` (on screen), `use` (where to put the file, in a line of
Markdown), `file_name`, `mime` and `language` (for highlighting); `differs`, where something cannot be carried: a
function of the settings that gives `Difference`s; and
`facts`, the `FACTS` about a message that are known where the export is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from historylab._version import __version__
from historylab.counters.badge import count_badge
from historylab.counters.base import counter_for
from historylab.registry import chosen_members, member
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import as_text, environment_names
from historylab.settings.pin import PIN_SETTINGS

FACTS = {
    "name": "who wrote it",
    "time": "when it was written",
    "mentions": "whom it mentions",
    "scope": "in which channel or thread it was written",
    "thinking": "what the model thought",
}
"""The facts that a filter or projection may read of a message besides role and text, as it declares in `facts`."""
USE = "load it with `historylab --template FILE`"
CHAT_FACTS = frozenset({"name", "time"})
"""Those of a Chat Completions message: `Trimmer` notes when it was asked, where a message has no time."""


class Exporter(Protocol):
    """A member: the text of a file with the settings of those names."""

    def __call__(self, settings: Settings, names: Sequence[str]) -> str: ...


@dataclass(frozen=True, slots=True)
class Difference:
    """Settings that an export cannot carry, and what happens instead."""

    settings: tuple[str, ...]
    instead: str

    def __str__(self) -> str:
        return f"Not carried over: {', '.join(self.settings)}. {self.instead}"


def export(settings: Settings, target: str, *, only_changed: bool = False) -> str:
    """The settings as text for `target` ("dotenv", "shell", "json", …). Raises UnknownMember for other targets.

    Every field and option is written, so that the file means the same under any template; `only_changed` writes only
    those that differ from the defaults. What `target` cannot carry stands in the heading, where it can have one.
    """
    defaults = Settings()
    names = [n for n in setting_names() if not only_changed or settings.value(n) != defaults.value(n)]
    write: Exporter = member("exporter", target).target
    return write(settings, names)


def differences(settings: Settings, target: str) -> tuple[Difference, ...]:
    """The differences of an export of these settings to `target`; without any, it sends what the screen shows."""
    attributes = member("exporter", target).attributes
    known = attributes.get("facts", CHAT_FACTS)
    stated = attributes.get("differs", lambda _settings: ())(settings)
    return (*stated, *_missing_facts(settings, known))


def pins_of(settings: Settings) -> tuple[str, ...]:
    """The settings that pin something."""
    return tuple(name for name in PIN_SETTINGS if settings.value(name))


def first_without(settings: Settings, what: str) -> Iterator[Difference]:
    """Where an instruction is no message, so that the first messages are counted without it."""
    if settings.value("pin.first"):
        yield Difference(("pin.first",), f"{what} is no message there: the first ones are counted without it.")


def _missing_facts(settings: Settings, known: frozenset[str]) -> Iterator[Difference]:
    for family in ("filter", "projection"):
        for chosen in chosen_members(family, settings.value(family)):
            read = chosen.attributes.get("facts", ())
            if missing := [words for fact, words in FACTS.items() if fact in read and fact not in known]:
                said = f"A message does not say there {' or '.join(missing)}"
                yield Difference((family,), f"{said}: {chosen.title!r} decides without.")


def environment_of(settings: Settings, names: Sequence[str]) -> Mapping[str, str]:
    """Environment variables and their texts; AgentDock's variable first if a setting has one."""
    return {given: as_text(settings.value(n)) for n in names for given in reversed(environment_names(n))}


def heading(settings: Settings, target: str) -> list[str]:
    """Comment lines, without comment signs: what wrote the file and its use, the token counter, what is not carried."""
    counter, use = counter_for(settings), member("exporter", target).attributes.get("use", USE)
    how = f"Tokens by {count_badge(counter, settings.model)}."
    lines = [f"HistoryLab {__version__} settings; {use}.", how, *map(str, differences(settings, target))]
    return ["".join(c if c.isprintable() else "�" for c in line) for line in lines]  # a model's name may hold anything
