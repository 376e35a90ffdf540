"""The settings chosen on screen, values tried as a what-if, the template, and what is compared."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from historylab.chat_models.environment import model_and_host
from historylab.errors import SettingsError
from historylab.settings.consent import within_consent
from historylab.settings.resolve import Resolution, resolve_settings
from historylab.settings.sources import read_template
from historylab.ui.session.session import tab, touch

TEMPLATE_VARIABLE = "HISTORYLAB_TEMPLATE"


def resolution(*, what_if: bool = False, also: Mapping[str, Any] | None = None) -> Resolution:
    """The settings as environment, you, URL and template decide them; with `what_if`, as they would.

    `also` are further choices of yours, for a configuration that is compared.
    """
    state = tab()
    tried = state.what_if if what_if else {}
    resolution = resolve_settings(
        env={**os.environ, **tried.get("environment", {})},
        you={**state.you, **tried.get("you", {}), **(also or {})},
        url={**state.link, **tried.get("url", {})},
        template={**template(), **tried.get("template", {})},
    )
    agreed = state.agreed == model_and_host(resolution.settings.model)
    return within_consent(resolution, agreed=agreed, linked=also or ())  # a link may bring what is compared


def choose_setting(setting: str, value: Any) -> None:
    """Choose that value for a setting."""
    tab().you[setting] = value
    tab().problem = ""
    touch()


def reset_choices() -> None:
    """Back to what environment, template and defaults give."""
    state = tab()
    state.you, state.link, state.problem = {}, {}, ""
    state.system, state.before_preset, state.agreed = "", None, ""
    touch()


def compare_with(changes: Sequence[Mapping[str, Any]]) -> None:
    """Compare the playground's settings with these changes of them, one mapping for each of B, C and D."""
    tab().compare = [dict(changed) for changed in changes]
    touch()


# -- what if


def try_value(source: str, name: str, value: str) -> None:
    """Try another value in a source, on the page that shows the sources only."""
    tab().what_if.setdefault(source, {})[name] = value
    touch()


def stop_trying() -> None:
    """Drop every value being tried."""
    tab().what_if = {}
    touch()


def tried_values() -> list[tuple[str, str]]:
    """(source, name) of every value being tried."""
    return [(source, name) for source, values in tab().what_if.items() for name in values]


# -- the template


def template() -> dict[str, Any]:
    """The uploaded template, else the file the environment names; one that cannot be read is a problem on screen."""
    state = tab()
    if state.template is not None or not os.environ.get(TEMPLATE_VARIABLE):
        return state.template or {}
    try:
        return read_template(Path(os.environ[TEMPLATE_VARIABLE]))
    except SettingsError as problem:
        state.problem = f"{TEMPLATE_VARIABLE}: {problem}"  # found while drawing: no click
        return {}


def template_source() -> str:
    """The name of the template in use, or nothing."""
    return tab().template_name or Path(os.environ.get(TEMPLATE_VARIABLE, "")).name


def use_template(values: dict[str, Any] | None, name: str = "") -> None:
    """Settings to start from; None takes the template away again."""
    state = tab()
    state.template, state.template_name, state.problem = values, name, ""
    touch()
