"""Settings: every knob of a plan, with its bounds and help. The one pydantic model, where strings come in.

A stage's own options (`pruner.sliding_window.turns`) are not listed here: they are read from the stage's signature and
live in `options`, where a value equal to the default is left out, so that equal settings compare equal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from historylab import registry
from historylab.errors import HistoryLabError, SettingsError

DEFAULT_MODEL = "gpt-5.5"
MOST_TOKENS = 1_000_000_000


def read_length(raw: object) -> int:
    """A count of user messages: any finite number ≥ 0, or text `float()` reads as one, rounded down.

    Source: AgentDock's `historyLength`. 0 stays 0 here; only the policy acts as if it were 1.
    """
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError("not a number")
    try:
        number = float(raw)
    except OverflowError:
        number = math.inf
    except ValueError:
        raise ValueError("not a number") from None
    if not math.isfinite(number) or number < 0:
        raise ValueError("not a finite number of 0 or more")
    whole = isinstance(raw, int) or (isinstance(raw, str) and raw.isdecimal())
    return int(raw) if whole else math.floor(number)  # int(): beyond 2^53 a float is not exact


def read_number(raw: object) -> object:
    """Refuse `True` where a number is meant: pydantic would read it as 1."""
    if isinstance(raw, bool):
        raise ValueError("not a number")
    return raw


def exportable(text: str) -> str:
    """Refuse what no environment variable or `.env` file can carry."""
    if any(c in "\0\r" or "\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("holds a character no environment can carry (NUL, carriage return or lone surrogate)")
    if "${" in text:
        raise ValueError("holds ${, which readers of .env files replace even within quotes")
    return text


Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS), BeforeValidator(read_number)]
FIELDS_THAT_CHOOSE = (*registry.STAGE_FAMILIES, "projection", "layout", "counter", "summarizer", "relevance")


class Settings(BaseModel):
    """What decides a plan. Immutable and comparable; options may be given as `**{"pruner.fifo.unit": "turn"}`."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False)

    policy: Annotated[
        str,
        Field(
            title="Policy",
            description="Obeyed before any budget: all messages, the last N user messages and what follows, or none.",
        ),
    ] = "lastN"
    length: Annotated[
        int,
        BeforeValidator(read_length),
        Field(
            title="Length",
            description="User messages kept by lastN, with what follows each. 0 acts as 1. Start with 5 to 20.",
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
    pruner: Annotated[
        str, Field(title="Pruner", description="How history is cut when it is over the token budget.")
    ] = "fifo"
    budget: Annotated[
        Tokens,
        Field(title="Budget", description="Tokens a request may have in all, the reserve and the overhead included."),
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
            description="The last complete turns that stay whatever the budget; going over it is reported.",
        ),
        BeforeValidator(read_number),
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
        BeforeValidator(read_number),
    ] = 0.5
    window: Annotated[
        Annotated[int, Field(ge=1, le=MOST_TOKENS), BeforeValidator(read_number)] | None,
        BeforeValidator(lambda raw: None if raw == "" else raw),
        Field(
            title="Context window",
            description="Tokens the model takes at most; left empty, the model's own where it is known.",
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
            description="How tokens are counted; each count says whether it is exact or an estimate.",
        ),
    ] = "exact"
    summarizer: Annotated[str, Field(title="Summarizer", description="Who writes summaries.")] = "extractive"
    summary_heading: Annotated[
        str,
        AfterValidator(exportable),
        Field(
            min_length=1,
            max_length=200,
            title="Summary heading",
            description="What a summary says it is; {n} stands for the number of messages it covers.",
        ),
    ] = "[Summary of {n} earlier messages]"
    relevance: Annotated[
        str,
        Field(title="Relevance", description="How a message's relevance to the newest question is scored."),
    ] = "bm25"
    projection: Annotated[
        str,
        Field(title="Point of view", description="How messages are rewritten before anything is decided."),
    ] = "off"
    layout: Annotated[
        str,
        Field(title="Layout", description="How the messages that are sent are arranged in the request."),
    ] = "off"
    options: Mapping[str, Any] = Field(default_factory=dict, description="Options of stages, by dotted name.")

    def __init__(self, **values: Any):
        try:
            super().__init__(**values)
        except ValidationError as problem:
            raise SettingsError(_complaint(problem)) from None

    @model_validator(mode="before")
    @classmethod
    def _gather_dotted_names(cls, values: Any) -> Any:
        dotted = {name: value for name, value in values.items() if "." in name}
        plain = {name: value for name, value in values.items() if "." not in name}
        if dotted:
            plain["options"] = {**plain.get("options", {}), **dotted}
        return plain

    @field_validator(*FIELDS_THAT_CHOOSE)
    @classmethod
    def _is_a_member(cls, value: str, info: Any) -> str:
        return check_choice(info.field_name, value)

    @field_validator("options")
    @classmethod
    def _read_options(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        known = stage_options()
        read = {}
        for name, raw in given.items():
            if name not in known:
                raise SettingsError(f"there is no option {name!r:.80}{did_you_mean(name, known)}")
            try:
                read[name] = _read_option(known[name], raw)
            except SettingsError as problem:
                raise SettingsError(f"{name} {problem}") from None
        return {name: read[name] for name in sorted(read) if read[name] != known[name].default}

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """Canonical JSON: equal settings have equal keys."""
        return json.dumps(self.model_dump(), sort_keys=True)

    def value(self, name: str) -> Any:
        """The value of a field or of an option by its dotted name."""
        if "." not in name:
            return getattr(self, name)
        return self.options.get(name, stage_options()[name].default)

    def values(self) -> dict[str, Any]:
        """Every field and every option, in the order they are shown."""
        return {name: self.value(name) for name in setting_names()}

    def replace(self, **changes: Any) -> Settings:
        """These settings with some fields or dotted options changed, validated anew."""
        merged = self.model_dump()
        merged["options"] = {**merged["options"], **{n: v for n, v in changes.items() if "." in n}}
        return Settings(**{**merged, **{n: v for n, v in changes.items() if "." not in n}})

    def options_of(self, family: str, member: str = "") -> dict[str, Any]:
        """The options of `member` (default: the one chosen) of `family`, by parameter name, defaults left out."""
        prefix = f"{family}.{member or getattr(self, family)}."
        return {name.removeprefix(prefix): v for name, v in self.options.items() if name.startswith(prefix)}


def read_setting(name: str, raw: object) -> Any:
    """The value `raw` stands for, as the field or option `name`. Raises SettingsError saying what is wrong with it."""
    if "." in name:
        return _read_option(stage_options()[name], raw)
    try:
        value = _field_adapter(name).validate_python(raw)
    except ValidationError as problem:
        raise SettingsError(_wrong(problem.errors()[0])) from None
    return check_choice(name, value) if name in FIELDS_THAT_CHOOSE else value


def _read_option(option: registry.Option, raw: object) -> Any:
    """The option's value, by the same rules as a field's: `True` is no number, and text must fit an environment."""
    if isinstance(raw, bool) and option.schema.get("type") in ("integer", "number"):
        raise SettingsError(f"{raw!r:.80}: not a number")
    value = option.parse(raw)
    try:
        return exportable(value) if isinstance(value, str) else value
    except ValueError as problem:
        raise SettingsError(f"{raw!r:.80}: {problem}") from None


def check_choice(name: str, value: str) -> str:
    """The name of a registered member of family `name`, or several joined by "+" where the slot holds several."""
    if name in registry.SEVERAL:
        return "+".join(member.name for member in registry.chosen_members(name, value))
    return registry.member(name, value).name


def stage_options() -> dict[str, registry.Option]:
    """Dotted name → option, of every member of every family a setting can choose."""
    return {
        f"{family}.{member.name}.{option.name}": option
        for family in FIELDS_THAT_CHOOSE
        for _, member in sorted(registry.members(family).items())
        for option in member.options
    }


def setting_names() -> tuple[str, ...]:
    """Every field, then every option by its dotted name."""
    return (*(name for name in Settings.model_fields if name != "options"), *stage_options())


@cache
def _field_adapter(name: str) -> TypeAdapter:
    return TypeAdapter(Settings.model_fields[name].rebuild_annotation())


def _complaint(problem: ValidationError) -> str:
    """One line per refused value: field, what was given, what is wrong."""
    lines = []
    for error in problem.errors():
        cause = error.get("ctx", {}).get("error")
        field = ".".join(map(str, error["loc"]))
        if error["type"] == "extra_forbidden":
            lines.append(f"there is no setting {field!r}{did_you_mean(field, Settings.model_fields)}")
        else:
            known = isinstance(cause, HistoryLabError)
            lines.append(str(cause) if known else f"{field} {error['input']!r}: {_wrong(error)}")
    return "; ".join(lines)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _wrong(error: Any) -> str:
    cause = error.get("ctx", {}).get("error")
    if error["type"] in ("int_parsing", "float_parsing"):
        return "no number; write it in digits alone, such as 4000"
    return str(cause) if cause else error["msg"].lower()
