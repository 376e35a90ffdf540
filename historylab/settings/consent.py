"""Consent: only the environment or the user may enable members that call a model on a server, never a link or a file.

Otherwise opening a link could send a conversation to a model, and spend the server's key, unnoticed. Consent from the
environment covers neither a different model nor different instructions that a link, an uploaded template or the open
file asks for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from historylab import registry
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, read_setting
from historylab.settings.resolve import Candidate, Provenance, Resolution

WHY = "it sends messages to a model on a server, which only the environment or your own yes can switch on"
WHY_BY_LINK = (
    "a link, an uploaded template or the open file names the model, or how it is asked, and that needs your own yes"
)


def asks_a_model(name: str, value: Any) -> bool:
    """Whether that value of a setting chooses a member that calls a model."""
    return name in FIELDS_THAT_CHOOSE and any(m.attributes.get("asks") for m in registry.chosen_members(name, value))


def settings_that_ask(settings: Settings) -> list[str]:
    """The names of the settings that choose a member that calls a model."""
    return [name for name in FIELDS_THAT_CHOOSE if asks_a_model(name, settings.value(name))]


def offline(settings: Settings) -> Settings:
    """These settings without model calls: settings that choose a member that calls a model are at their defaults."""
    return settings.replace(**{name: Settings.model_fields[name].default for name in settings_that_ask(settings)})


def within_consent(resolution: Resolution, *, agreed: bool = False, linked: Collection[str] = ()) -> Resolution:
    """Refuse values that choose a member that calls a model, unless the environment chose it or the user `agreed`.

    The environment's choice counts unless a link or the open file decides which model is called or how; `linked` names
    settings that a link or an uploaded file may have chosen under another name. For a refused value the next source
    decides; the provenance keeps the refused candidate with the reason.
    """
    refused = {
        name: _without_asking(resolution.provenance[name])
        for name in settings_that_ask(resolution.settings)
        if not agreed and not _chosen_by_environment(resolution, name, linked)
    }
    if not refused:
        return resolution
    settings = resolution.settings.replace(**{name: origin.value for name, origin in refused.items()})
    return replace(resolution, settings=settings, provenance={**resolution.provenance, **refused})


def _chosen_by_environment(resolution: Resolution, name: str, linked: Collection[str]) -> bool:
    """Whether the environment chose a member that calls a model, and no link or open file decides which or how."""
    if resolution.provenance[name].source != "environment" or name in linked:
        return False
    members = registry.chosen_members(name, resolution.settings.value(name))
    deciding = ["model", *(f"{name}.{m.name}.{option.name}" for m in members for option in m.options)]
    origins = {one: resolution.provenance[one] for one in deciding}
    return not any(
        one in linked or decided_by("url", origin) or decided_by("recorded", origin) for one, origin in origins.items()
    )


def decided_by(source: str, origin: Provenance) -> bool:
    """Whether that source decides a setting: without it the setting would have another value."""
    if origin.source != source:
        return False
    others = (c for c in origin.candidates if c.source != source and c.status != "refused")
    return bool(read_setting(origin.setting, next(others).raw) != origin.value)


def refused_for_consent(resolution: Resolution, name: str) -> Candidate | None:
    """The refused value of highest precedence that needs consent; None if there is none."""
    return next((c for c in resolution.provenance[name].refused if c.why in (WHY, WHY_BY_LINK)), None)


def _without_asking(origin: Provenance) -> Provenance:
    """Decide again among the candidates that call no model; the default is always one of them."""
    candidates = [_refuse(origin.setting, candidate) for candidate in origin.candidates]
    counting = [c for c in candidates if c.status != "refused" and not c.shut_out]
    winner = counting[0]
    beaten = f"{winner.name or winner.source} comes first"
    again = [
        replace(c, status="won", why="") if c is winner else replace(c, why=beaten) if c in counting else c
        for c in candidates
    ]
    value = read_setting(origin.setting, winner.raw)
    return replace(origin, value=value, source=winner.source, name=winner.name, raw=winner.raw, candidates=tuple(again))


def _refuse(name: str, candidate: Candidate) -> Candidate:
    if candidate.status == "refused" or candidate.shut_out or not asks_a_model(name, candidate.raw):
        return candidate
    return replace(candidate, status="refused", why=WHY_BY_LINK if candidate.source == "environment" else WHY)
