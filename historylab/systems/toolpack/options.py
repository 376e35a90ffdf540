"""The assembler's options, and the aliases an agent gets from its channels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from historylab.errors import SettingsError

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
        if not self.rolling_summary_threshold >= 1:
            raise SettingsError(
                f"rolling_summary_threshold {self.rolling_summary_threshold!r} cannot be; give 1 turn or more"
            )
        if not math.isfinite(self.token_budget) or math.isnan(self.time_window_minutes or 0):
            given = {"token_budget": self.token_budget, "time_window_minutes": self.time_window_minutes}
            raise SettingsError(f"{given!r} cannot be: tokens are a whole number, a window is a number of minutes")
        object.__setattr__(self, "agent_aliases", tuple(self.agent_aliases))


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
