"""AgentDock's message history under its own names: keep the last N user messages, all, or none, set in three layers.

Source: AgentDock Core's page on message history; where the published code (AgentDock/AgentDock, 4d9eb73) differs, and
what is done about it, is listed in docs/systems.md.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from historylab.counters.base import Counter, open_counter, token_column
from historylab.errors import SettingsError
from historylab.planning.pipeline import plan_history
from historylab.planning.strategies.base import Instruments
from historylab.planning.strategies.layouts.systems_first import systems_first
from historylab.registry import check_number
from historylab.settings.model import Settings
from historylab.settings.names import AGENTDOCK_ENVIRONMENT, AGENTDOCK_TEMPLATE, STRICT_ENVIRONMENT
from historylab.settings.pin import AGENT_CONTEXT
from historylab.settings.resolve import resolve_settings
from historylab.settings.sources import query_parameters
from historylab.systems.base import caller_objects, conversation_of, sent_messages

log = logging.getLogger("historylab")

PRESET = Settings(
    policy="lastN",
    length=20,
    pruner="off",
    layout="systems_first",
    options={"policy.lastN.late_results": "drop", AGENT_CONTEXT: False},
)
"""AgentDock has no token budget: the policy alone decides, and history starts exactly at a user message."""

__all__ = [
    "FIELDS",
    "POLICIES",
    "PRESET",
    "HistorySettings",
    "apply_history_policy",
    "debug_enabled",
    "debug_panel",
    "prepare_messages",
    "resolve_history_settings",
]

POLICIES = ("none", "lastN", "all")
FIELDS = {
    "history_policy": "policy",
    "history_length": "length",
    "preserve_system_messages": "preserve_system_messages",
}
"""AgentDock's settings → ours."""
_SHOWN_SOURCES = {"environment": "environment", "url": "URL"}  # strongest first; any other is the panel's "default"


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """The three settings in effect, and per field where it came from: environment, url, template or default."""

    history_policy: str
    history_length: int
    preserve_system_messages: bool = True
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)


def apply_history_policy(
    messages: Iterable[Any] | None,
    *,
    history_policy: str | None = "lastN",
    history_length: float | str | None = 20,
    preserve_system_messages: bool = True,
) -> list[Any]:
    """The messages to send: the caller's own, in a new list. `none` keeps system messages only, unlike our own `none`.

    The unit of `history_length` is user messages; 0 acts as 1. Under `lastN` system messages come first, in their own
    order. An unknown policy keeps everything and warns. Raises SettingsError for a length that is not a number.
    """
    if history_policy not in POLICIES:
        shown = "null" if history_policy is None else history_policy
        log.warning("[applyHistoryPolicy] Unrecognized historyPolicy: %s. Returning all messages.", shown)
        history_policy = "all"
    conversation = conversation_of(messages)
    length = _user_messages(history_length, len(conversation)) if history_policy == "lastN" else 0
    settings = _settings(history_policy, length, bool(preserve_system_messages))
    kept = sent_messages(plan_history(conversation, settings, instruments=_instruments()))
    if history_policy == "none":
        kept = [message for message in kept if message.role == "system"]
    return caller_objects(systems_first(kept) if history_policy == "lastN" else kept)


def resolve_history_settings(
    *,
    template: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    url_query: str = "",
    strict_environment: bool = False,
) -> HistorySettings:
    """Environment over URL over template, per field. What cannot be read is refused with a warning; the next decides.

    Only the published names count, policy and length; HistoryLab's own names for them and for anything else do not.

    Args:
        template: AgentDock's JSON, `{"chatSettings": {"historyPolicy": …, "historyLength": …}}`.
        env: None reads `os.environ`.
        url_query: what follows the `?`; a leading `?` or `&`, or a whole URL, is fine.
        strict_environment: ignore the URL altogether as soon as one environment value is valid, as
            HISTORYLAB_STRICT_ENVIRONMENT=true in `env` does.
    """
    env = os.environ if env is None else env
    resolution = resolve_settings(
        {name: env[name] for name in (*AGENTDOCK_ENVIRONMENT.values(), STRICT_ENVIRONMENT) if name in env},
        {name: given for name, given in query_parameters(url_query).items() if name in AGENTDOCK_TEMPLATE.values()},
        {"chatSettings": template.get("chatSettings")} if isinstance(template, Mapping) else template,
        strict_environment=strict_environment,
    )
    values = {name: resolution.settings.value(ours) for name, ours in FIELDS.items()}
    return HistorySettings(
        **values, sources={name: resolution.provenance[ours].source for name, ours in FIELDS.items()}
    )


def debug_panel(settings: HistorySettings, messages: Iterable[Any] | None) -> dict[str, Any]:
    """The `?debug=true` panel: the values in effect, the strongest layer that decided one, how many messages."""
    deciding = {settings.sources.get(name) for name in FIELDS}
    return {
        "policy": settings.history_policy,
        "length": settings.history_length,
        "source": next((shown for source, shown in _SHOWN_SOURCES.items() if source in deciding), "default"),
        "messages": len(list(messages or ())),
    }


def debug_enabled(url_query: str) -> bool:
    """Whether the URL asks for the debug panel: `?debug=true`."""
    return query_parameters(url_query).get("debug", [""])[:1] == ["true"]


def prepare_messages(
    messages: Iterable[Any] | None,
    settings: HistorySettings,
    *,
    agent_id: str = "agent",
    env: Mapping[str, str] | None = None,
) -> list[Any]:
    """Apply the settings; under NODE_ENV=development, log them, what was trimmed, and the tokens before and after."""
    given = list(messages or ())
    kept = apply_history_policy(given, **{name: getattr(settings, name) for name in FIELDS})
    if (os.environ if env is None else env).get("NODE_ENV") == "development":
        counter = open_counter("exact", PRESET.model)
        before, after = (_tokens(messages, counter) for messages in (given, kept))
        log_request(settings, agent_id, messages=(len(given), len(kept)), tokens=(before, after), counter=counter.label)
    return kept


def log_request(
    settings: HistorySettings, agent_id: str, *, messages: tuple[int, int], tokens: tuple[int, int], counter: str
) -> None:
    """The development log of one request, with its messages and tokens before and after trimming.

    The first two lines are the document's; the third is ours, for its advice to look at token counts in the console.
    """
    shown = f'{{policy: "{settings.history_policy}", length: {settings.history_length}, messageCount: {messages[0]}}}'
    log.info("[History] Agent %s history settings: %s", agent_id, shown)
    if messages[1] < messages[0]:
        log.info("[History] Trimmed messages from %d to %d", *messages)
    log.info("[History] Tokens from %d to %d (%s)", *tokens, counter)


def _tokens(messages: Iterable[Any], counter: Counter) -> int:
    return int(token_column(conversation_of(messages), counter).sum()) + counter.per_request


def _user_messages(length: float | str | None, most: int) -> int:
    """The number of user messages to keep: rounded down, at least 0 (the policy takes it as 1); infinity is `most`."""
    try:
        check_number(length)
        number = float(0 if length is None else length)
    except OverflowError:  # a whole number no float can hold
        number = math.inf if isinstance(length, int) and length > 0 else 0
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise SettingsError(f"history_length {length!r} is not a number of user messages; give 0 or more")
    return math.floor(max(0, min(number, most)))


@lru_cache(maxsize=64)
def _settings(policy: str, length: int, preserve_system_messages: bool) -> Settings:
    """No layout, because messages are returned in the caller's order, even a result that came late."""
    return PRESET.replace(policy=policy, length=length, preserve_system_messages=preserve_system_messages, layout="off")


@lru_cache(maxsize=1)
def _instruments() -> Instruments:
    """No decision here looks at tokens, so the cheapest counter will do."""
    return Instruments(open_counter("chars/4", PRESET.model))
