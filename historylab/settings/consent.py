"""Consent: what asks a model on a server is switched on by the environment or by a person, never by a link or a file.

Whoever opens a link would else send a conversation to the server's model, and pay with its key, without a word.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from historylab import registry
from historylab.settings.model import FIELDS_THAT_CHOOSE, Settings, read_setting
from historylab.settings.resolve import Candidate, Provenance, Resolution

WHY = "it sends messages to a model on a server, which only the environment or your own yes can switch on"


def asks(name: str, value: Any) -> bool:
    """Whether that value of a setting chooses a member that asks a model."""
    return name in FIELDS_THAT_CHOOSE and any(m.attributes.get("asks") for m in registry.chosen(name, value))


def asking(settings: Settings) -> list[str]:
    """The settings that choose a member that asks a model."""
    return [name for name in FIELDS_THAT_CHOOSE if asks(name, settings.value(name))]


def offline(settings: Settings) -> Settings:
    """The same, asking nobody: what would ask is as it is by default."""
    return settings.replace(**{name: Settings.model_fields[name].default for name in asking(settings)})


def within_consent(resolution: Resolution, *, agreed: bool = False) -> Resolution:
    """The same, with what asks a model refused unless the environment chose it or the person `agreed`.

    The next source then decides; the provenance keeps the refused candidate, with the reason.
    """
    refused = {
        name: _without_asking(resolution.provenance[name])
        for name in asking(resolution.settings)
        if not agreed and not resolution.provenance[name].locked
    }
    if not refused:
        return resolution
    settings = resolution.settings.replace(**{name: origin.value for name, origin in refused.items()})
    return Resolution(settings, {**resolution.provenance, **refused}, resolution.unknown)


def refused_for_consent(resolution: Resolution, name: str) -> Candidate | None:
    """The strongest value of a setting that was refused for want of a yes."""
    return next((c for c in resolution.provenance[name].refused if c.why == WHY), None)


def _without_asking(origin: Provenance) -> Provenance:
    """Decided again among the candidates that ask nobody; the default never does."""
    candidates = [_refused(origin.setting, candidate) for candidate in origin.candidates]
    winner = next(c for c in candidates if c.status != "refused")
    beaten = f"{winner.name or winner.source} comes first"
    again = [
        c if c.status == "refused" else replace(c, status="won", why="") if c is winner else replace(c, why=beaten)
        for c in candidates
    ]
    value = read_setting(origin.setting, winner.raw)
    return Provenance(origin.setting, value, winner.source, winner.name, winner.raw, tuple(again))


def _refused(name: str, candidate: Candidate) -> Candidate:
    if candidate.status == "refused" or not asks(name, candidate.raw):
        return candidate
    return replace(candidate, status="refused", why=WHY)
