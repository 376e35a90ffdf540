"""The assembler's options, and the aliases an agent gets from its channels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from historylab.errors import SettingsError
from historylab.systems.base import number, require_whole_number

TOKEN_BUDGET, SUMMARY_THRESHOLD, TURNS_TO_LOAD = 3000, 40, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblerOptions:
    """The options of `assemble_prompt`: what to load, to keep and to summarise.

    Args:
        scope: channel, dm or thread; None is all.
        token_budget: tokens of history; the newest turn and a summary are sent even beyond it.
        addressed_only_mode: only what concerns the agent. Turn it off for an agent that watches a whole channel.
        rolling_summary_threshold: turns that stay without a summary; at least 1.
        time_window_minutes: older turns are not loaded; 0 is a real window, None is none.
        max_turns_to_load: newest turns taken from the store; 0 or less loads nothing.
        agent_aliases: ids by which platforms mention the agent; a message from one isn't the agent's own.
    """

    scope: str | None = None
    token_budget: int = TOKEN_BUDGET
    addressed_only_mode: bool = True
    rolling_summary_threshold: int = SUMMARY_THRESHOLD
    time_window_minutes: float | None = None
    max_turns_to_load: int = TURNS_TO_LOAD
    agent_aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, least in (
            ("token_budget", -math.inf),
            ("rolling_summary_threshold", 1),
            ("max_turns_to_load", -math.inf),
        ):
            object.__setattr__(self, name, require_whole_number(getattr(self, name), name, least))
        if self.time_window_minutes is not None:
            number(self.time_window_minutes, "time_window_minutes")
        if not isinstance(self.scope, str | None):
            raise SettingsError(f"scope {self.scope!r} is not text; give channel, dm or thread")
        given: Any = self.agent_aliases
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise SettingsError(f"agent_aliases {given!r} is not a list of ids")
        object.__setattr__(self, "agent_aliases", tuple(given))


def as_options(options: AssemblerOptions | Mapping[str, Any] | None) -> AssemblerOptions:
    """The options themselves, or of a mapping in published or Python spelling. Raises SettingsError for other keys."""
    if options is None or isinstance(options, AssemblerOptions):
        return options or AssemblerOptions()
    if not isinstance(options, Mapping):
        raise SettingsError(f"assembler options are AssemblerOptions or a mapping of them, not {options!r}")
    known = {field.name for field in fields(AssemblerOptions)}
    unknown = [key for key in options if not isinstance(key, str) or snake_case(key) not in known]
    if unknown:
        raise SettingsError(f"there is no assembler option {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    return AssemblerOptions(**{snake_case(key): value for key, value in options.items()})


def snake_case(name: str) -> str:
    """A published name in Python's spelling: `agentAliases` is `agent_aliases`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: "_" + found[0], name).lower()


def resolve_assembler_options(
    options: AssemblerOptions | Mapping[str, Any] | None = None, channels: Iterable[Any] = ()
) -> AssemblerOptions:
    """The options with the channels' bot ids among the aliases: those given by hand first, each once, empty ones not.

    A channel is anything with a `bot_user_id`; one without is skipped.
    """
    options = as_options(options)
    from_channels = (getattr(channel, "bot_user_id", None) for channel in channels)
    aliases = dict.fromkeys(alias for alias in (*options.agent_aliases, *from_channels) if alias)
    return replace(options, agent_aliases=tuple(aliases))
