"""Settings: everything that decides a plan, validated.

A stage's own options (`pruner.sliding_window.turns`) are not fields: they are defined by the stage's signature and kept
in `options`, where values equal to the default are left out, so that equal settings compare equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from pydantic import TypeAdapter, ValidationError, ValidationInfo, field_validator, model_validator

from historylab import registry
from historylab.errors import HistoryLabError, SettingsError, UnknownMember
from historylab.settings.fields import FIELDS_THAT_CHOOSE, SettingsFields, exportable
from historylab.settings.pin import PIN_OPTIONS

P = ParamSpec("P")


def _takes(
    fields: Callable[P, object],
) -> Callable[[Callable[..., Settings]], Callable[Concatenate[Settings, P], Settings]]:
    """For type checkers and editors: the decorated method takes what the constructor `fields` takes."""
    return lambda method: method


class Settings(SettingsFields, frozen=True, defer_build=False):
    """Everything that decides a plan. Immutable, hashable, comparable; raises SettingsError naming every invalid value.

    Options of stages go by dotted name: `Settings(budget=4000, options={"pruner.fifo.unit": "turn"})`. At run time
    `Settings(**{"pruner.fifo.unit": "turn"})` works as well.
    """

    if not TYPE_CHECKING:  # checkers and editors see pydantic's own signature, with the fields as keywords

        def __init__(self, **values: Any) -> None:
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
    def _is_a_member(cls, value: str, info: ValidationInfo) -> str:
        return check_choice(info.field_name or "", value)

    @field_validator("options")
    @classmethod
    def _read_options(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        read = {}
        for name, raw in sorted(given.items()):
            option = find_option(name)
            if option is None:
                raise SettingsError(f"there is no option {name!r:.80}{did_you_mean(name, stage_options())}")
            try:
                value = _read_option(option, raw)
            except SettingsError as problem:
                raise SettingsError(f"{name} {problem}") from None
            if value != option.default:
                read[name] = value
        return read

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
        return self.options[name] if name in self.options else option_of(name).default

    def values(self) -> dict[str, Any]:
        """Every field and every option, in display order."""
        options = {name: self.options.get(name, option.default) for name, option in stage_options().items()}
        return {name: getattr(self, name) for name in field_names()} | options

    @_takes(SettingsFields)
    def replace(self, **changes: Any) -> Settings:
        """A validated copy with some fields changed.

        `options=` replaces all options; a dotted name (`**{"pruner.fifo.unit": "turn"}`) changes one.
        """
        merged = self.model_dump()
        merged["options"] = {**merged["options"], **{n: v for n, v in changes.items() if "." in n}}
        return Settings(**{**merged, **{n: v for n, v in changes.items() if "." not in n}})

    def options_of(self, family: str, member: str = "") -> dict[str, Any]:
        """The options of `member` (default: the chosen one) of `family` by parameter name, without defaults."""
        prefix = f"{family}.{member or getattr(self, family)}."
        return {name.removeprefix(prefix): v for name, v in self.options.items() if name.startswith(prefix)}


def check_settings(given: object) -> None:
    """Raises SettingsError for what are no settings."""
    if not isinstance(given, Settings):
        raise SettingsError(f"settings are a historylab.Settings, not a Python {type(given).__name__}")


def read_setting(name: str, raw: object) -> Any:
    """The value of `raw` for the field or option `name`. Raises SettingsError if it is not valid."""
    if "." in name:
        return _read_option(option_of(name), raw)
    try:
        value = _field_adapter(name).validate_python(raw)
    except ValidationError as problem:
        raise SettingsError(registry.what_is_wrong(problem.errors()[0])) from None
    return check_choice(name, value) if name in FIELDS_THAT_CHOOSE else value


def _read_option(option: registry.Option, raw: object) -> Any:
    """The option's value by the rules of a field's: text must be exportable."""
    value = option.parse(raw)
    try:
        return exportable(value) if isinstance(value, str) else value
    except ValueError as problem:
        raise SettingsError(f"{raw!r:.80}: {problem}") from None


def check_choice(name: str, value: str) -> str:
    """The name of a registered member of family `name`; several joined by "+" if the slot holds several."""
    if value == SettingsFields.model_fields[name].default:
        return value  # so that what nobody chose isn't imported
    if name in registry.SEVERAL:
        return "+".join(member.name for member in registry.chosen_members(name, value))
    return registry.member(name, value).name


def find_option(name: str) -> registry.Option | None:
    """The option of that dotted name; None if there is none. Of all members only the one it names is imported."""
    if name in PIN_OPTIONS:
        return PIN_OPTIONS[name]
    family, _, rest = name.partition(".")
    member, _, option = rest.rpartition(".")
    if family not in FIELDS_THAT_CHOOSE or not option:
        return None
    try:
        return next((o for o in registry.member(family, member).options if o.name == option), None)
    except UnknownMember:
        return None


def option_of(name: str) -> registry.Option:
    """The option of that dotted name. Raises KeyError if there is none."""
    if option := find_option(name):
        return option
    raise KeyError(name)


def stage_options() -> dict[str, registry.Option]:
    """Dotted name → option: those of `pin`, and of every member of every family that a setting chooses from."""
    return PIN_OPTIONS | {
        f"{family}.{member.name}.{option.name}": option
        for family in FIELDS_THAT_CHOOSE
        for _, member in sorted(registry.members(family).items())
        for option in member.options
    }


def setting_names() -> tuple[str, ...]:
    """Every field, then every option by its dotted name."""
    return (*field_names(), *stage_options())


def field_names() -> tuple[str, ...]:
    """Every field."""
    return tuple(name for name in Settings.model_fields if name != "options")


@cache
def _field_adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(Settings.model_fields[name].rebuild_annotation())


def _complaint(problem: ValidationError) -> str:
    """The error text: per refused value the field, the value and what is wrong with it."""
    lines = []
    for error in problem.errors():
        cause = error.get("ctx", {}).get("error")
        field = ".".join(map(str, error["loc"]))
        if error["type"] == "extra_forbidden":
            lines.append(f"there is no setting {field!r}{did_you_mean(field, Settings.model_fields)}")
        else:
            known = isinstance(cause, HistoryLabError)
            lines.append(str(cause) if known else f"{field} {error['input']!r}: {registry.what_is_wrong(error)}")
    return "; ".join(lines)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""
