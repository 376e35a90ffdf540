"""The setting `pin` and its options: what must stay, by its text, by who says it, by tool, or as one of the first.

Besides these rules, what a coding agent tells its model of the project stays by default.

A rule is plain text, in which `*` stands for any text: no regular expression. Rules are kept in one form, joined by
`|`, so that they mean and export the same however they were written down.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

from historylab.registry import FINE, Option, options_of

LONGEST_RULE = 300  # characters
MOST_CHARACTERS = 4000  # of all rules
ROLES = ("system", "user", "assistant", "tool")
APART = re.compile(r"[\r\n|]+")
LISTED = re.compile(r"[\r\n|,]+")


def read_rules(text: str) -> str:
    """The rules, one a line or between `|`, joined by `|`: each once, its white space made single spaces."""
    return "|".join(_each(APART, text))


def read_names(text: str) -> str:
    """Names of tools, between commas or `|` or one a line, joined by commas."""
    return ",".join(_each(LISTED, text))


def read_roles(text: str) -> str:
    """Roles, between commas or `|` or one a line, joined by commas."""
    roles = [part.lower() for part in _each(LISTED, text)]
    if unknown := next((role for role in roles if role not in ROLES), ""):
        raise ValueError(f"there is no role {unknown!r:.60}; write {', '.join(ROLES[:-1])} or {ROLES[-1]}")
    return ",".join(role for role in ROLES if role in roles)


def _each(between: re.Pattern[str], text: str) -> list[str]:
    """The parts of a text, each once and without needless spaces. Raises ValueError for one that can't be a rule."""
    parts = [" ".join(part.split()) for part in between.split(text)]
    parts = list(dict.fromkeys(filter(None, parts)))
    for part in parts:
        if any(unicodedata.category(c) == "Cc" for c in part):
            raise ValueError("holds a control character; write plain text, with * for any text")
        if not part.strip("* "):
            raise ValueError("* alone would keep everything; write some text beside it")
        if len(part) > LONGEST_RULE:
            raise ValueError(f"{part[:30]!r}… is too long; {LONGEST_RULE} characters of a text are the most")
    return parts


Rules = Annotated[str, AfterValidator(read_rules)]


def pin_options(
    *,
    roles: Annotated[
        str,
        AfterValidator(read_roles),
        Field(
            max_length=100,
            title="Only messages of these roles",
            description="system, user, assistant, tool: only their messages are looked at. Without texts: all of them "
            "always stay.",
            json_schema_extra=FINE,
        ),
    ] = "",
    tools: Annotated[
        str,
        AfterValidator(read_names),
        Field(
            max_length=MOST_CHARACTERS,
            title="What these tools said",
            description="Calls of these tools always stay, with their results; * stands for any text.",
            json_schema_extra=FINE,
        ),
    ] = "",
    first: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            title="First messages",
            description="So many messages from the start always stay; system messages count.",
            json_schema_extra=FINE,
        ),
    ] = 0,
    first_user: Annotated[
        bool,
        Field(
            title="The first user message",
            description="It always stays: often it is the task.",
            json_schema_extra=FINE,
        ),
    ] = False,
    agent_context: Annotated[
        bool,
        Field(
            title="What a coding agent works by",
            description="The project's rules and the environment that a coding agent tells its model (CLAUDE.md, "
            "AGENTS.md) always stay, the newest of each directory. Other chats have none.",
            json_schema_extra=FINE,
        ),
    ] = True,
) -> None:
    """The options of `pin`, as a stage's are the parameters of its function."""


PIN_OPTIONS: dict[str, Option] = {f"pin.{option.name}": option for option in options_of(pin_options)}
"""Dotted name → option."""
PIN_SETTINGS = ("pin", *PIN_OPTIONS)
AGENT_CONTEXT, FIRST_USER = "pin.agent_context", "pin.first_user"
PIN_RULES = tuple(name for name in PIN_SETTINGS if name != AGENT_CONTEXT)
"""Settings that keep what they describe, whatever program wrote it."""
