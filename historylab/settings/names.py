"""Names of settings in the environment, in URLs and in templates, and how values are written there."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from historylab import registry
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import field_names, setting_names
from historylab.settings.pin import FIRST_USER, PIN_OPTIONS, PIN_RULES

ENVIRONMENT_PREFIX = "HISTORYLAB_"
AGENTDOCK_ENVIRONMENT = {
    "policy": "NEXT_PUBLIC_DEFAULT_HISTORY_POLICY",
    "length": "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH",
}
AGENTDOCK_TEMPLATE = {"policy": "historyPolicy", "length": "historyLength"}
OWN_PART = "historylab"
"""The key that holds our settings in a template whose top level belongs to another tool."""
URL_NAMES = {
    "policy": "historyPolicy",
    "length": "historyLength",
    "preserve_system_messages": "preserveSystemMessages",
    "min_turns": "minTurns",
}
SYSTEM, VERSION = "system", "v"
"""Parameters of a link that decide settings without naming them."""
NOT_IN_LINKS = frozenset(PIN_RULES) - {FIRST_USER}
"""Settings that no link carries and none sets: a person may have written them, about what is private."""
WHY_NOT_IN_LINKS = "no link sets it; write it in the sidebar, in a template or in the environment"
STRICT_ENVIRONMENT, TEMPLATE = "HISTORYLAB_STRICT_ENVIRONMENT", "HISTORYLAB_TEMPLATE"
OPEN = "HISTORYLAB_OPEN"
"""The files and folders that the playground opens with, one a line, as the command line named them."""
RECORD = "HISTORYLAB_RECORD"
"""The place of the recording that the playground watches and `historylab proxy` writes: a folder, a file or a URL."""
RECORD_KEY = "HISTORYLAB_RECORD_KEY"
"""The key of a recording's digests of credentials, where no file of the user's can hold it."""
STORE = "HISTORYLAB_STORE"
"""The URL of the store where an exported module keeps what chats have come to."""
PRIVATE_SERVERS = "HISTORYLAB_CHAT_PRIVATE_SERVERS"
"""Whether a playground that is served to others may ask servers at private addresses that they name."""
PROXY_TOKEN = "HISTORYLAB_PROXY_TOKEN"
"""What apps must send to a proxy that others can reach."""
TRIMMER = "HISTORYLAB_TRIMMER"
"""The trimmer that the playground shows, as JSON: trimmer, options, carry, form, seconds."""
NOT_SETTINGS = frozenset(
    {
        PRIVATE_SERVERS,
        STRICT_ENVIRONMENT,
        TEMPLATE,
        OPEN,
        RECORD,
        RECORD_KEY,
        STORE,
        PROXY_TOKEN,
        TRIMMER,
        "HISTORYLAB_REAL",
    }
)
"""Variables of ours that are not settings, so that no link and no template can set them."""


@cache
def environment_name(name: str) -> str:
    """`pruner.sliding_window.turns` → `HISTORYLAB_PRUNER__SLIDING_WINDOW__TURNS`."""
    return ENVIRONMENT_PREFIX + re.sub(r"[^A-Za-z0-9]", "_", name.replace(".", "__")).upper()


def environment_names(name: str) -> tuple[str, ...]:
    """Every environment variable of a setting, highest precedence first."""
    agentdock = AGENTDOCK_ENVIRONMENT.get(name)
    return (environment_name(name), agentdock) if agentdock else (environment_name(name),)


def is_ours(variable: str) -> bool:
    """Whether an environment variable of that name is one that settings are read from, known or not."""
    return variable.startswith(ENVIRONMENT_PREFIX) or variable in AGENTDOCK_ENVIRONMENT.values()


def setting_of(variable: str) -> str:
    """The setting that a variable sets; "" for none. Of an option's family, only its member is imported."""
    if found := _by_environment_name((*field_names(), *PIN_OPTIONS)).get(variable):
        return found
    for family in FIELDS_THAT_CHOOSE:
        prefix = f"{environment_name(family)}__"
        if variable.startswith(prefix):
            file_name = variable.removeprefix(prefix).rpartition("__")[0].lower()
            for members in (registry.members_in_file(family, file_name), registry.members(family).values()):
                names = (f"{family}.{member.name}.{option.name}" for member in members for option in member.options)
                if found := next((name for name in names if environment_name(name) == variable), ""):
                    return found
    return ""


def url_name(name: str) -> str:
    """The URL parameter of a setting; options use their dotted name."""
    return URL_NAMES.get(name, name)


def by_environment_name() -> dict[str, str]:
    """Environment name → setting, for every setting."""
    return _by_environment_name(setting_names())


@cache
def _by_environment_name(names: tuple[str, ...]) -> dict[str, str]:
    return {given: name for name in names for given in environment_names(name)}


def by_url_name() -> dict[str, str]:
    """URL parameter → setting, for every setting."""
    return {url_name(name): name for name in setting_names()}


def as_text(value: Any) -> str:
    """A value as text in the environment and in a URL: `true`, `0.5`, empty for None."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
