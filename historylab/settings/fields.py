"""The fields of the settings: each with its type, bounds, title, help and default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from historylab import registry
from historylab.settings.pin import MOST_CHARACTERS, Rules

DEFAULT_MODEL = "gpt-5.5"
MOST_TOKENS = 1_000_000_000
NO_LENGTH = "not a number; write one of 0 or more, such as 20"


def read_length(raw: object) -> int:
    """A count of user messages: any finite number ≥ 0, or text that is one (`5`, `2.9`, `1e3`), rounded down.

    0 stays 0 here; the policy treats it as 1.
    """
    if not isinstance(raw, int | float | str):
        raise ValueError(NO_LENGTH)
    registry.check_number(raw)
    try:
        number = float(raw)
    except OverflowError:
        number = math.inf
    except ValueError:
        raise ValueError(NO_LENGTH) from None
    if not math.isfinite(number) or number < 0:
        raise ValueError("not a finite number of 0 or more; write one such as 20")
    whole = isinstance(raw, int) or (isinstance(raw, str) and raw.strip().isdecimal())
    return int(raw) if whole else math.floor(number)  # int(): beyond 2^53 a float is not exact


def exportable(text: str) -> str:
    """Refuse characters that an environment variable or a `.env` file cannot carry."""
    if any(c in "\0\r" or "\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("holds a character no environment can carry (NUL, carriage return or lone surrogate)")
    if "${" in text:
        raise ValueError("holds ${, which readers of .env files replace even within quotes")
    return text


Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS), BeforeValidator(registry.check_number)]
FIELDS_THAT_CHOOSE = (*registry.STAGE_FAMILIES, "projection", "layout", "counter", "summarizer", "relevance")


class SettingsFields(BaseModel, frozen=True, extra="forbid", defer_build=True):
    """The fields alone. Use `Settings`, which also validates names of members and options."""

    policy: Annotated[
        str,
        Field(
            title="Policy",
            description="Applied before any budget: all messages, the last N user messages and what follows, the last "
            "N messages, or no history: only the newest user message and what follows it.",
        ),
    ] = "lastN"
    length: Annotated[
        int,
        BeforeValidator(read_length),
        Field(
            title="Length",
            description="User messages that lastN keeps, each with what follows it, or messages that lastMessages "
            "keeps. 0 acts as 1. Start with 5 to 20.",
            json_schema_extra={"minimum": 0},
        ),
    ] = 20
    preserve_system_messages: Annotated[
        bool,
        Field(
            title="Keep system messages",
            description="Always send them, whatever is trimmed; without them the agent loses its instructions.",
        ),
    ] = True
    pin: Annotated[
        Rules,
        AfterValidator(exportable),
        Field(
            max_length=MOST_CHARACTERS,
            title="What must stay",
            description="Messages that say one of these texts are always sent. One text a line, or between |; * stands "
            "for any text, upper and lower case are the same. No link carries it.",
            json_schema_extra={"lines": "|"},
        ),
    ] = ""
    pruner: Annotated[
        str, Field(title="Pruner", description="How history is cut when it exceeds the token budget.")
    ] = "fifo"
    budget: Annotated[
        Tokens,
        Field(
            title="Budget", description="The most tokens a request may have, including the reserve and the overhead."
        ),
    ] = 8000
    reserve: Annotated[
        Tokens,
        Field(title="Reserve for the answer", description="Tokens of the budget kept free for the model's answer."),
    ] = 0
    overhead: Annotated[
        Tokens,
        Field(
            title="Fixed overhead",
            description="Tokens of the budget used outside the transcript: tool schemas, a hidden system prompt.",
        ),
    ] = 0
    min_turns: Annotated[
        int,
        Field(
            ge=0,
            le=MOST_TOKENS,
            title="Turns the pruner may not touch",
            description="The newest complete turns to keep even if that exceeds the budget, which is then reported.",
        ),
        BeforeValidator(registry.check_number),
    ] = 0
    filter: Annotated[str, Field(title="Filter", description="Leaves out what was never meant for this agent.")] = "off"
    tool_output: Annotated[str, Field(title="Tool outputs", description="Shortens or clears the results of tools.")] = (
        "off"
    )
    compaction: Annotated[
        str, Field(title="Compaction", description="Summarises older messages once a threshold is reached.")
    ] = "off"
    threshold: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            title="Compaction threshold",
            description="Share of the model's window at which compaction begins.",
        ),
        BeforeValidator(registry.check_number),
    ] = 0.5
    window: Annotated[
        Annotated[int, Field(ge=1, le=MOST_TOKENS), BeforeValidator(registry.check_number)] | None,
        BeforeValidator(lambda raw: None if raw == "" else raw),
        Field(
            title="Context window",
            description="The most tokens the model accepts. Left empty: the model's own limit, if known.",
        ),
    ] = None
    model: Annotated[
        str,
        AfterValidator(exportable),
        Field(
            min_length=1, max_length=200, title="Model", description="Decides the tokenizer, the window and the prices."
        ),
    ] = DEFAULT_MODEL
    counter: Annotated[
        str,
        Field(
            title="Token counter",
            description="How tokens are counted; each count says whether it is exact, and for which model.",
        ),
    ] = "exact"
    counter_factor: Annotated[
        float,
        Field(
            ge=0.1,
            le=10,
            title="Tokenizer correction",
            description="Tokens of the provider for each one counted, as its reported usage shows. The estimates of "
            "published systems stay as they are.",
        ),
        BeforeValidator(registry.check_number),
    ] = 1.0
    summarizer: Annotated[str, Field(title="Summarizer", description="What writes the summaries.")] = "extractive"
    summary_heading: Annotated[
        str,
        AfterValidator(exportable),
        Field(
            min_length=1,
            max_length=200,
            title="Summary heading",
            description="The heading of a summary; {n} stands for the number of messages it covers.",
        ),
    ] = "[Summary of {n} earlier messages]"
    relevance: Annotated[
        str,
        Field(title="Relevance", description="How a message's relevance to the newest question is scored."),
    ] = "bm25"
    projection: Annotated[
        str,
        Field(title="Speaker names", description="How messages are rewritten before anything is decided."),
    ] = "off"
    layout: Annotated[
        str,
        Field(title="Layout", description="How the messages sent are arranged in the request."),
    ] = "off"
    options: Mapping[str, Any] = Field(default_factory=dict, description="Options of stages, by dotted name.")
