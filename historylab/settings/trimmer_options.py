"""The trimmers that a link may name, and their options there.

    ?system=trimmer:langchain.trim_messages&trimmer.max_tokens=4000&trimmer.start_on=human

They are those of installed libraries: a function of somebody's own is named with a colon ("app.history:trim"), and no
link, template or file runs one. An option is written as on the command line, as JSON or else as text. What only Python
can give is in no link, nor is a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from historylab import registry
from historylab.errors import SettingsError
from historylab.registry import Option
from historylab.secrets.redaction import Redaction

TRIMMER = "trimmer"
"""The family; in a configuration that is compared, the name of the trimmer."""
SYSTEM_OF_TRIMMER, OPTION = f"{TRIMMER}:", f"{TRIMMER}."
"""The prefix of a trimmer's name where it takes the place of a system, and that of its options."""
MODEL = "model"
OWN_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", re.ASCII)
LONGEST = 80  # characters of a name
LARGEST = 10**9  # as in links


def is_own_function(name: str) -> bool:
    """Tell whether that is the name of a function, "module:function", and none of a library's trimmers."""
    return len(name) <= LONGEST and OWN_FUNCTION.fullmatch(name) is not None


def trimmer_of_system(system: str) -> str:
    """The name of the trimmer that takes the place of a system; "" where none does."""
    return system.removeprefix(SYSTEM_OF_TRIMMER) if system.startswith(SYSTEM_OF_TRIMMER) else ""


def trimmer_configuration(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """A trimmer as one of the configurations that are compared."""
    return {TRIMMER: name, **{f"{OPTION}{option}": value for option, value in options.items()}}


def trimmer_in(configuration: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the trimmer that a configuration is, and its options; "" where it changes settings."""
    options = {name.removeprefix(OPTION): value for name, value in configuration.items() if name.startswith(OPTION)}
    return str(configuration.get(TRIMMER, "")), options


def screen_options(name: str) -> dict[str, Option]:
    """The options of a trimmer that screens and links have, by name. Raises UnknownMember for a name that none has."""
    typed = {"type", "enum", "anyOf"}
    options = registry.member(TRIMMER, name).options
    return {option.name: option for option in options if option.name != MODEL and typed & option.schema.keys()}


def read_trimmer_option(trimmer: str, name: str, raw: str) -> Any:
    """The value of an option, out of a link. Raises SettingsError, UnknownMember for a trimmer that there isn't."""
    known = screen_options(trimmer)
    if name not in known:
        raise SettingsError(f"{trimmer} has no option of that name in links; it has {', '.join(known)}")
    return parse_trimmer_option(known[name], read_option_text(raw))


def parse_trimmer_option(option: Option, given: Any) -> Any:
    """The value as the library takes it. Raises SettingsError, also for a number that no browser holds."""
    value = option.parse(given)
    if isinstance(value, int | float) and not abs(value) <= LARGEST:
        raise SettingsError(f"{value!r:.40} is no number up to {LARGEST:,}")
    return value


def read_option_text(raw: str) -> Any:
    """A value as it is written for people: JSON, else the text itself."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


def option_text(value: Any) -> str:
    """The text that is read as that value."""
    if isinstance(value, str) and read_option_text(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def shown_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they may be shown: "[redacted]" in place of a key."""
    return dict(Redaction().redact(dict(options))[0])


def option_parameters(options: Mapping[str, Any]) -> dict[str, str]:
    """The URL parameters of a trimmer's options."""
    return {f"{OPTION}{name}": option_text(value) for name, value in options.items()}
