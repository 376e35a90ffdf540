"""`trim()`: what to send, for a program that keeps no `Trimmer`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import lcm
from operator import itemgetter
from typing import Any, TypeVar, overload

from historylab.conversation.injected import CONTEXT_WORDS, agent_context
from historylab.formats.requests.items import LEADING_ROLES
from historylab.planning.pipeline import open_pipeline
from historylab.planning.reasons import Action
from historylab.registry import STAGE_FAMILIES, chosen_members
from historylab.settings.environment import environment_settings
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT, PIN_RULES
from historylab.trimming.decision_log import logs_decisions
from historylab.trimming.trimmer import Trimmer
from historylab.trimming.warn import USED_ONCE, say_once

M = TypeVar("M")
SHORT = 256  # messages that are read at once
ROLE, CONTENT = itemgetter("role"), itemgetter("content")
PARTS = ("text", "image_url", "input_audio", "file")


@overload
def trim(messages: Mapping[str, Any], settings: Settings | None = None) -> dict[str, Any]: ...


@overload
def trim(messages: Sequence[M], settings: Settings | None = None) -> list[M | dict[str, Any]]: ...


def trim(
    messages: Sequence[M] | Mapping[str, Any], settings: Settings | None = None
) -> list[M | dict[str, Any]] | dict[str, Any]:
    """What to send, as the same kind: a list of messages, or a request body.

    It holds the caller's own objects for what is kept, and new dicts for a summary or a shortened message. Nothing
    given is changed. Raises LoadError for what can't be read.

    This is a `Trimmer` used once: it knows nothing of earlier requests, so that settings which carry something from
    request to request (a summary, a cut) plan all of them anew each time; the logger `historylab` warns of that. Where
    the end of a long list decides what is sent, nothing before it is read but system messages.
    """
    settings = settings or environment_settings()
    if open_pipeline(settings).carries:
        say_once(("used once", settings.key), lambda: USED_ONCE)
    trimmer = Trimmer(settings)
    for systems, end in () if logs_decisions() else _ends(messages, settings):  # a record is of the whole list
        plan = trimmer.plan([*systems, *end])
        if plan.actions[len(systems)] == Action.DROPPED and not plan.history.columns.orphan.any():
            return trimmer.trim([*systems, *end])
    return trimmer.trim(messages)


def _ends(messages: Any, settings: Settings) -> Iterator[tuple[list[Any], list[Any]]]:
    """Ever longer ends of a long list of plain messages, each from a user's on, and the system messages before it.

    If that user's message is dropped, so is all before it but the system messages: see `from_the_end`. Where results
    are cleared so many at a time, what is left out has a multiple of that many.
    """
    step = results_at_a_time(settings) if isinstance(messages, list) and len(messages) > SHORT else 0
    roles, contents = _roles_and_contents(messages) if step else ([], [])
    if not roles or "function" in roles or not _are_plain(contents):
        return
    if settings.value(AGENT_CONTEXT) and any(map(agent_context, _that_may_be_context(roles, contents))):
        return  # the end alone doesn't show what is kept from before it
    if not all(m.get("tool_call_id") for m, role in zip(messages, roles, strict=True) if role == "tool"):
        return  # results without ids are paired with calls in the order of the whole list
    results, size = roles.count("tool"), SHORT // 2
    for at in range(len(roles) - 1, 0, -1):
        results -= roles[at] == "tool"
        if roles[at] == "user" and len(roles) - at >= size and results % step == 0:
            size = 4 * (len(roles) - at)
            yield [messages[k] for k, role in enumerate(roles[:at]) if role in LEADING_ROLES], messages[at:]


def _roles_and_contents(messages: list[Any]) -> tuple[list[Any], list[Any]]:
    """Of every message; empty where any has no fields by name."""
    try:
        return list(map(ROLE, messages)), list(map(CONTENT, messages))
    except (KeyError, TypeError):  # one without a content, or no dict
        if set(map(type, messages)) != {dict} or any("parts" in message for message in messages):
            return [], []
        return [message.get("role") for message in messages], [message.get("content") for message in messages]


def _are_plain(contents: list[Any]) -> bool:
    """Whether these are contents of Chat Completions' messages, or such as tell no API."""
    kinds = set(map(type, contents))
    parts = [part for content in contents if type(content) is list for part in content] if list in kinds else []
    plain = kinds <= {str, type(None), list}
    return plain and all(type(part) is dict and part.get("type") in PARTS for part in parts)


def _that_may_be_context(roles: list[Any], contents: list[Any]) -> Iterator[str]:
    """The texts of users' messages whose beginning doesn't show at a glance that they are no coding agent's."""
    for role, content in zip(roles, contents, strict=True):
        if role == "user" and content:
            text = content if type(content) is str else next((part["text"] for part in content if part.get("text")), "")
            if not text[:1].isalnum() or text.startswith(CONTEXT_WORDS):
                yield text


@lru_cache(maxsize=64)
def results_at_a_time(settings: Settings) -> int:
    """Of how many tool results a multiple may be left out where the end of a list decides what is sent; 0: of none."""
    if (
        open_pipeline(settings).carries
        or settings.projection != "off"
        or any(settings.value(name) for name in PIN_RULES)
    ):
        return 0
    step = 1
    for family in STAGE_FAMILIES:
        for chosen in chosen_members(family, getattr(settings, family)):
            found = chosen.attributes.get("from_the_end", False)
            step = lcm(step, found(**settings.options_of(family, chosen.name)) if callable(found) else int(found))
    return step
