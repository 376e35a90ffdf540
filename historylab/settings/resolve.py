"""Precedence of settings: environment > you > URL > template > recorded > default, per field and by presence.

Every value comes with its provenance.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from historylab.errors import SettingsError, UnknownMember
from historylab.settings.model import Settings, read_setting
from historylab.settings.names import STRICT_ENVIRONMENT
from historylab.settings.sources import (
    Given,
    from_environment,
    from_recorded,
    from_template,
    from_url,
    from_you,
    read_template,
    strict_by_environment,
)

log = logging.getLogger("historylab.settings")
LONGEST_LOGGED = 100  # characters of a refused value
SHUT_OUT = {
    "url": "the environment is set, so the URL as a whole is ignored",
    "you": "the environment is set, so choices on screen are ignored",
}
"""Sources that a strict environment ignores as a whole → what its candidates say."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source's value for a setting. `status`: won, lost or refused; `why`: the fault, or which source won."""

    source: str
    name: str
    raw: Any
    status: str
    why: str = ""
    known: bool = True
    """Whether a setting has that name."""

    @property
    def shut_out(self) -> bool:
        """Whether a strict environment ignores its source as a whole."""
        return self.why in SHUT_OUT.values()


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a setting's value: the winning source, the name and raw value there, and all candidates."""

    setting: str
    value: Any
    source: str
    name: str
    raw: Any
    candidates: tuple[Candidate, ...]
    strict: bool = False
    """Whether a strict environment shuts out the URL and the choices on screen."""

    @property
    def locked(self) -> bool:
        """Whether nothing on screen or in a link can override it: the environment set it, or is strict."""
        return self.source == "environment" or self.strict

    @property
    def refused(self) -> tuple[Candidate, ...]:
        return tuple(c for c in self.candidates if c.status == "refused")


@dataclass(frozen=True, slots=True)
class Resolution:
    """The settings, the provenance of every field and option, and what was given under unknown names."""

    settings: Settings
    provenance: Mapping[str, Provenance]
    unknown: tuple[Candidate, ...]
    strict: bool = False
    """Whether the environment is strict and sets something, so that the URL and the choices on screen are ignored."""

    @property
    def refused(self) -> tuple[Candidate, ...]:
        """Every refused value, from any source."""
        return (*(c for p in self.provenance.values() for c in p.refused), *self.unknown)


def resolve_settings(
    env: Mapping[str, str] | None = None,
    url: str | Mapping[str, Any] | None = None,
    template: Mapping[str, Any] | None = None,
    you: Mapping[str, Any] | None = None,
    *,
    recorded: Mapping[str, Any] | None = None,
    strict_environment: bool = False,
    only: Collection[str] | None = None,
) -> Resolution:
    """Resolve every setting from its sources. An invalid value is refused, and the next source decides.

    Args:
        env: a mapping; None reads `os.environ`.
        url: a query string (leading `?` allowed), a whole URL, or a mapping of parameters.
        template: as `read_template` returns it.
        you: the choices made on screen, by setting name (`{"budget": 4000, "pruner.fifo.unit": "block"}`).
        recorded: what the open file was recorded with, as `proposed_settings(conversation).values` has it; anything but
            the model, its window, the overhead, the token factor, a budget and a policy is refused. The policy gives
            way to a length, from whatever source: it would take its effect away.
        strict_environment: ignore the whole URL, and the choices on screen, as soon as the environment sets one valid
            value. HISTORYLAB_STRICT_ENVIRONMENT=true in `env` says the same. A template and the open file still fill in
            what the environment leaves open.
        only: resolve these settings; the others stay at their defaults, whatever is given for them.
    """
    env = os.environ if env is None else env
    given = [*from_environment(env), *from_you(you or {}), *from_url(url or ""), *from_template(template or {})]
    has_length = any(g.setting == "length" for g in given)
    given += [g for g in from_recorded(recorded or {}) if not (has_length and g.setting == "policy")]
    given = [g for g in given if only is None or g.setting in only]
    bids = [(g, *read(g)) for g in given]
    strict = bool(strict_environment or strict_by_environment(env)) and any(
        g.source == "environment" and not problem for g, _, problem in bids
    )
    defaults = Settings().values()
    provenance = {
        name: _decide(name, default, [b for b in bids if b[0].setting == name], strict)
        for name, default in defaults.items()
    }
    unknown = tuple(Candidate(g.source, g.name, g.raw, "refused", g.problem, False) for g in given if not g.setting)
    settings = Settings(**{name: p.value for name, p in provenance.items()})
    resolution = Resolution(settings, provenance, unknown, strict)
    warn_of(resolution.refused)
    return resolution


def settings_in_file(path: str | os.PathLike[str], you: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a .env, an export or a template, whatever the environment says; `you` comes before the file.

    Raises SettingsError, naming the file, where it can't be read or holds a value that is refused.
    """
    found = resolve_settings(env={}, template=read_template(path), you=you)
    if refused := [c for c in found.refused if c.name != STRICT_ENVIRONMENT]:
        where = {"template": f"{os.fspath(path)}: "}
        raise SettingsError("; ".join(f"{where.get(c.source, '')}{c.name}={c.raw}: {c.why}" for c in refused))
    return found.settings


def read(given: Given) -> tuple[Any, str]:
    """The validated value, or what is wrong with it."""
    if given.problem:
        return None, given.problem
    try:
        return read_setting(given.setting, given.raw), ""
    except (SettingsError, UnknownMember) as problem:
        return None, str(problem)


def _decide(setting: str, default: Any, bids: list[tuple[Given, Any, str]], strict: bool) -> Provenance:
    value, source, name, raw = default, "default", "", default
    candidates: list[Candidate] = []
    for given, read, problem in bids:
        if problem:
            status, why = "refused", problem
        elif strict and given.source in SHUT_OUT:
            status, why = "lost", SHUT_OUT[given.source]
        elif source != "default":
            status, why = "lost", f"{name or source} comes first"
        else:
            status, why = "won", ""
            value, source, name, raw = read, given.source, given.name, given.raw
        candidates.append(Candidate(given.source, given.name, given.raw, status, why))
    beaten = f"{name or source} comes first"
    candidates.append(
        Candidate(
            "default", "", default, "won" if source == "default" else "lost", "" if source == "default" else beaten
        )
    )
    return Provenance(setting, value, source, name, raw, tuple(candidates), strict)


def warn_of(refused: Iterable[Candidate]) -> None:
    """Log what was refused, each once."""
    for c in refused:
        # The value of an unknown name may be a secret, and a link may be of any length.
        given = f"={c.raw!r:.{LONGEST_LOGGED}}" if c.known else ""
        line = f"Refused {c.source} {c.name:.{LONGEST_LOGGED}}{given}: {c.why:.300}"
        _log_once("".join(char if char.isprintable() else "�" for char in line))  # a link wrote parts of it


@lru_cache(maxsize=1_000)
def _log_once(line: str) -> None:
    """Log each refusal once per process: a screen resolves its settings at every click."""
    log.warning("%s", line)
