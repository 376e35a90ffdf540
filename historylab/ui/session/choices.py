"""The settings chosen on screen, those the open file proposes, the template, and what is compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from historylab.chat_models.environment import model_and_host
from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import SettingsProposal, proposed_settings
from historylab.errors import SettingsError
from historylab.recordings.as_sent import has_cuts
from historylab.settings.consent import decided_by, within_consent
from historylab.settings.link import in_full
from historylab.settings.names import SYSTEM, TEMPLATE
from historylab.settings.resolve import Resolution, resolve_settings
from historylab.settings.sources import read_template, strict_by_environment
from historylab.systems.presets.base import preset_in_link
from historylab.ui.session.session import tab, touch

AGENTDOCK = "agentdock"
"""The system whose settings are its own alone."""
AS_SENT, OWN = "as-sent", "own"
"""Systems in a link: what was really sent, and the settings where that would be shown otherwise."""


def resolution(*, also: Mapping[str, Any] | None = None, recorded: bool = True) -> Resolution:
    """The settings as environment, you, URL, template and the open file decide them.

    `also` are further choices of yours, for a configuration that is compared; without `recorded` the open file decides
    nothing, as where several are measured under one set of settings. Model calls need consent, of which what a
    link or an uploaded template brings has none.
    """
    return with_consent(before_consent(also=also, recorded=recorded), also or ())


def with_consent(found: Resolution, also: Collection[str] = ()) -> Resolution:
    """The same, less the model calls that nobody agreed to; a link may have brought the settings `also`."""
    agreed = tab().agreed == model_and_host(found.settings.model)
    uploaded = tab().template is not None
    brought = [name for name, origin in found.provenance.items() if uploaded and decided_by("template", origin)]
    return within_consent(found, agreed=agreed, linked={*brought, *also})


def before_consent(*, also: Mapping[str, Any] | None = None, recorded: bool = True) -> Resolution:
    """The settings, whatever calls a model."""
    said = said_by_sources(recorded=recorded)
    return decide_settings({**said, "you": {**said["you"], **(also or {})}}, strict=tab().strict)


def said_by_sources(*, recorded: bool = True) -> dict[str, Mapping[str, Any]]:
    """What each source says, by its names there."""
    state = tab()
    file = proposal().values if recorded and state.recorded else {}
    named = {SYSTEM: state.system} if state.system else {}
    you, link = ({}, named) if state.system_linked else (named, {})
    said = {"you": {**you, **state.you}, "url": {**link, **state.link}}
    return {"environment": os.environ, **said, "template": template(), "recorded": file}


def decide_settings(said: Mapping[str, Mapping[str, Any]], *, strict: bool) -> Resolution:
    """The settings that follow from it. A strict environment shuts out an uploaded template too: it is yours."""
    resolve = partial(
        resolve_settings,
        env=said["environment"],
        you=in_full(said["you"], preset_in_link),
        url=in_full(said["url"], preset_in_link),
        recorded=said["recorded"],
        strict_environment=strict,
    )
    found = resolve(template=said["template"])
    uploaded = tab().template is not None and said["template"] is tab().template
    return resolve(template=server_template()) if found.strict and uploaded else found


def be_strict(strict: bool) -> None:
    """Let the environment shut out the URL and the choices on screen, in this tab, or no longer."""
    tab().strict = strict
    touch()


def is_strict() -> bool:
    """Whether a strict environment shuts out what is chosen here."""
    return bool(tab().strict or strict_by_environment(os.environ)) and before_consent().strict


def choose_setting(setting: str, value: Any) -> None:
    """Choose that value for a setting."""
    tab().you[setting] = value
    tab().problem = ""
    touch()


def choose_settings(values: Mapping[str, Any]) -> None:
    """Choose those values for several settings."""
    for name, value in values.items():
        choose_setting(name, "" if value is None else value)


def reset_choices() -> None:
    """Back to what environment, template and defaults give."""
    state = tab()
    state.you, state.link, state.problem = {}, {}, ""
    state.system, state.system_linked, state.before_preset, state.agreed = "", False, None, ""
    state.as_sent = state.trimmer = None
    touch()


def fingerprint() -> str:
    """All that was chosen here, by a link or by a template: what was sent is shown for as long as it stays the same."""
    state = tab()
    return repr((state.you, state.link, state.system, state.template))


def compare_with(changes: Sequence[Mapping[str, Any]], without: Collection[str] = ()) -> None:
    """Compare these changes of the settings, one mapping for each, with the settings and what was really sent.

    Those two are left out where `without` names them, as a link does.
    """
    state = tab()
    state.compare, state.compared_without = [dict(changed) for changed in changes], frozenset(without)
    touch()


def remember_recommendation(digest: str, changes: Mapping[str, Any]) -> None:
    """Remember what a search found best for the conversation with that digest, to be compared with others."""
    tab().recommended = (digest, dict(changes))


def recommended_changes(digest: str) -> dict[str, Any] | None:
    """The best that a search found for that conversation; None if there was none, or it found nothing better."""
    found = tab().recommended
    return found[1] if found and found[0] == digest and found[1] else None


# -- what the open file was recorded with


def proposal() -> SettingsProposal:
    """The settings that the open file proposes."""
    opened = tab().opened
    return proposal_of(opened.original, opened.spec) if opened else SettingsProposal({})


def proposal_of(conversation: Conversation, spec: str) -> SettingsProposal:
    """The same of any; nothing for a generated one, a sample without cuts, nor as AgentDock's. `spec` as `Opened`'s."""
    ours = spec.startswith(("sample:", "gen:")) and not has_cuts(conversation)
    agentdocks = tab().system.partition(":")[0] == AGENTDOCK
    return SettingsProposal({}) if ours or agentdocks else proposed_settings(conversation)


def resolution_of(conversation: Conversation, spec: str) -> Resolution:
    """The settings as they would be decided were that conversation open."""
    file = proposal_of(conversation, spec).values if tab().recorded else {}
    said = {**said_by_sources(recorded=False), "recorded": file}
    return with_consent(decide_settings(said, strict=tab().strict))


def ignore_recorded() -> None:
    """Let the open file decide nothing."""
    tab().recorded = False
    touch()


def use_recorded() -> None:
    """Let the open file decide what nothing else does, again."""
    tab().recorded = True
    touch()


def dismiss_recorded() -> None:
    """Say no more what the open file was recorded with."""
    tab().recorded_dismissed = True
    touch()


# -- the template


def template() -> dict[str, Any]:
    """The uploaded template, else the server's."""
    uploaded = tab().template
    return server_template() if uploaded is None else uploaded


def server_template() -> dict[str, Any]:
    """The file the environment names; one that cannot be read is a problem on screen."""
    path = os.environ.get(TEMPLATE)
    try:
        return read_template(Path(path)) if path else {}
    except SettingsError as problem:
        tab().problem = f"{TEMPLATE}: {problem}"  # found while drawing: no click
        return {}


def template_source() -> str:
    """The name of the template in use, or nothing."""
    return tab().template_name or Path(os.environ.get(TEMPLATE, "")).name


def use_template(values: dict[str, Any] | None, name: str = "") -> None:
    """Settings to start from; None takes the template away again. Consent was to what the settings were before."""
    state = tab()
    state.template, state.template_name, state.problem, state.agreed = values, name, "", ""
    touch()
