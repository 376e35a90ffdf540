"""The registry of families: each file in a family's folder registers its members with a decorator.

To add a pruner, format, exporter, store or generator, add one file. The keyword-only parameters of the registered
function (or of the class's `__init__`) are its options; their annotations carry bounds and help:

    @register("pruner")
    def newest_first(plan, context, *, keep: Annotated[int, Field(ge=1, description="messages kept")] = 10): ...

An option is in the sidebar, the environment (`HISTORYLAB_PRUNER__SLIDING_WINDOW__TURNS`), the URL
(`pruner.sliding_window.turns`), exports and templates. `title=` is its name on screen; `json_schema_extra=FINE` folds
away one that is rarely changed; `PEOPLE` and `AGENTS` offer the conversation's own ids.

Asking for a member imports the file called like it; the whole folder is imported only where all members are needed. So
a process that trims imports what its settings choose; summarizer, relevance and model are opened when a stage first
asks them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from historylab.errors import SettingsError, UnknownMember

FAMILIES: Mapping[str, str] = {
    "filter": "historylab.planning.strategies.filters",
    "policy": "historylab.planning.strategies.policies",
    "tool_output": "historylab.planning.strategies.tool_outputs",
    "compaction": "historylab.planning.strategies.compaction",
    "pruner": "historylab.planning.strategies.pruners",
    "projection": "historylab.planning.strategies.projections",
    "layout": "historylab.planning.strategies.layouts",
    "counter": "historylab.counters",
    "summarizer": "historylab.summarizers",
    "relevance": "historylab.relevance",
    "chat_model": "historylab.chat_models",
    "format": "historylab.formats",
    "generator": "historylab.generators",
    "exporter": "historylab.exporters",
    "store": "historylab.stores",
    "cache": "historylab.costs.caches",
    "trimmer": "historylab.trimmers.libraries",
    "item_form": "historylab.trimmers.forms",
    "preset": "historylab.systems.presets",
}
"""Family → the package that holds its members. The setting that chooses a member has the family's name."""

FINE = {"fine": True}
"""Marks a rarely used option, which screens collapse: `Field(…, json_schema_extra=FINE)`."""

STAGE_FAMILIES = ("filter", "policy", "tool_output", "compaction", "pruner")
SEVERAL = frozenset({"filter", "tool_output"})
"""Slots that may hold several stages, joined by "+"."""

NEEDED = {
    "cache": ("title", "priced"),
    "exporter": ("title", "file_name"),
    "format": ("title", "recognise"),
    "trimmer": ("title", "library"),
}
"""Attributes that every member of a family must be registered with."""
DISTINCT = {"cache": "caching"}
"""The attribute by which a sentence names a member, so that no two may share it; its default is the member's name."""
NO_NUMBER = "not a number; write it in digits alone, such as 4000"
NO_WHOLE_NUMBER = "not a whole number; write it without a fraction"
FRACTION = re.compile(r"[+-]?[0-9]+\.[0-9]+")
PLAIN_NUMBER = re.compile(r"[ \t\r\n]*[0-9A-Za-z.+-]+[ \t\r\n]*")

T = TypeVar("T", bound=Callable[..., object])
Opened = TypeVar("Opened")

_members: dict[str, dict[str, Member]] = {family: {} for family in FAMILIES}


class Option(NamedTuple):
    """One option of a member, from a keyword-only parameter: type, bounds, default and help."""

    name: str
    annotation: Any
    default: Any
    help: str = ""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the value: `type`, `minimum`, `maximum`, `enum`."""
        return _adapter(self.annotation).json_schema()

    @property
    def fine(self) -> bool:
        """Whether it is rarely used, and collapsed on screen."""
        return bool(self.schema.get("fine"))

    def parse(self, raw: object) -> Any:
        """The value of `raw` (text from the environment or a URL, or a value). Raises SettingsError."""
        try:
            if _is_numeric(self.annotation):
                check_number(raw)
            return _adapter(self.annotation).validate_python(raw)
        except ValidationError as problem:
            raise SettingsError(f"{raw!r:.80}: {what_is_wrong(problem.errors()[0])}") from None
        except ValueError as problem:
            raise SettingsError(f"{raw!r:.80}: {problem}") from None


@dataclass(frozen=True)
class Member:
    """A registered function or class, with the first line of its docstring as its summary."""

    family: str
    name: str
    target: Callable[..., Any]
    attributes: Mapping[str, Any]
    reads: tuple[str, ...] = ()
    """Settings it reads besides its own options, by field or dotted name."""

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Its options, read from its signature when they are first asked for."""
        return options_of(self.target)

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.target) or "").partition("\n")[0]

    @property
    def title(self) -> str:
        """The name on screen: the attribute `title`, else the name in words."""
        words = self.name.replace("_", " ")
        return self.attributes.get("title") or words[:1].upper() + words[1:]


def check_number(raw: object) -> object:
    """`raw`, unchanged. Raises ValueError for what Python reads as a number and nobody writes as one.

    That is `True` (1), `1_000`, Arabic or full-width digits, and spaces other than ASCII's.
    """
    if isinstance(raw, bool | bytes) or (isinstance(raw, str) and not PLAIN_NUMBER.fullmatch(raw)):
        raise ValueError(NO_NUMBER)
    return raw


def what_is_wrong(error: ErrorDetails) -> str:
    """What is wrong with a refused value and what to write instead, in words for people."""
    bounds = error.get("ctx", {})
    shown = {name: f"{n:,.0f}" if isinstance(n, int | float) and n == int(n) else n for name, n in bounds.items()}
    words = {
        "int_parsing": NO_WHOLE_NUMBER if FRACTION.fullmatch(str(error.get("input"))) else NO_NUMBER,
        "float_parsing": NO_NUMBER,
        "int_from_float": NO_WHOLE_NUMBER,
        "greater_than_equal": "too small; {ge} is the least",
        "greater_than": "too small; write more than {gt}",
        "less_than_equal": "too large; {le} is the most",
        "less_than": "too large; write less than {lt}",
        "bool_parsing": "neither; write true or false",
        "string_too_short": "empty; write a text",
        "too_short": "empty; write a text",
        "string_too_long": "too long; {max_length} characters are the most",
        "too_long": "too long; {max_length} characters are the most",
        "literal_error": "not one of these; write {expected}",
    }.get(error["type"])
    cause = bounds.get("error")
    return str(cause) if cause else words.format(**shown) if words else error["msg"].lower()


def register(family: str, name: str | None = None, *, reads: Iterable[str] = (), **attributes: Any) -> Callable[[T], T]:
    """Decorate a function or class to make it a member of `family` under `name` (default: the function's own).

    `attributes` are facts about the member: `title`, its name on screen, and those that its family's base module
    documents (`carries=True` for a stage). `reads` names the settings it reads besides its own options, directly or
    through a shared helper: `@register("compaction", reads=("threshold", "window"))`. A setting that only members read
    has an effect while one of them is chosen (historylab/settings/effect.py); what every plan reads, such as `budget`,
    may be left out.
    """

    def decorate(target: T) -> T:
        chosen = name or target.__name__
        if isinstance(reads, str):
            raise SettingsError(
                f'{family} {chosen!r} is registered with reads={reads!r}; give a tuple: reads=("{reads}",)'
            )
        _check_words(family, chosen, attributes)
        already = _members[family].get(chosen)
        if already and already.target.__module__ != target.__module__:
            raise SettingsError(
                f"{family} {chosen!r} is defined in both {already.target.__module__} and {target.__module__}"
            )
        _members[family][chosen] = Member(family, chosen, target, attributes, tuple(reads))
        return target

    return decorate


def _check_words(family: str, name: str, attributes: Mapping[str, Any]) -> None:
    """Raises SettingsError where a member lacks words its family needs, or uses another's."""
    for word in NEEDED.get(family, ()):
        if not attributes.get(word):
            raise SettingsError(f"{family} {name!r} is registered without {word}=, which every {family} needs")
    distinct = DISTINCT.get(family, "")
    for other in _members[family].values() if distinct else ():
        taken = other.attributes.get(distinct, other.name)
        if other.name != name and taken == attributes.get(distinct, name):
            raise SettingsError(
                f"{family} {name!r} has the {distinct} {taken!r}, as {other.name!r} has; choose another"
            )


def members(family: str) -> Mapping[str, Member]:
    """All members of a family by name, in the order of their files, all of which are imported at first use."""
    _import_folder(family)
    return _members[family]


def member(family: str, name: str) -> Member:
    """The member of that name. Raises UnknownMember, which lists the others.

    Of the family, only the file called like the member is imported; all of them where none is, or it has another name.
    """
    if name not in _members[family]:
        _import_files(family, file_name_of(name))
    known = _members[family] if name in _members[family] else members(family)
    if name not in known:
        raise UnknownMember(family, name, sorted(known), {m.attributes.get("title", n): n for n, m in known.items()})
    return known[name]


def members_in_file(family: str, file_name: str) -> list[Member]:
    """The members that the family's file of that name registers; only it is imported."""
    _import_files(family, file_name)
    return [m for m in _members[family].values() if m.target.__module__.endswith(f".{file_name}")]


def opened_later(open: Callable[[], Opened]) -> Opened:
    """What `open()` gives, opened when it is first used: settings name instruments that most plans never ask."""
    return cast(Opened, _OpenedLater(open))


class _OpenedLater:
    def __init__(self, open: Callable[[], object]):
        self.__dict__["_open"] = cache(open)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._open(), name)

    if not TYPE_CHECKING:  # so that isinstance() is answered for what is opened

        @property
        def __class__(self) -> type:
            return type(self._open())


def chosen_members(family: str, names: str) -> list[Member]:
    """The members a setting names, in order: "scope+addressed_only" names two."""
    return [member(family, name.strip()) for name in names.split("+")]


@cache
def _import_folder(family: str) -> None:
    places = {module: place for place, module in enumerate(_modules(family))}
    for module in places:
        importlib.import_module(module)
    found = sorted(_members[family].values(), key=lambda m: places.get(m.target.__module__, len(places)))
    _members[family] = {m.name: m for m in found}  # one that was asked for by name was imported before the others


def _import_files(family: str, file_name: str) -> None:
    """Import the files of that name in a family's folder, or below it."""
    for module in _modules(family):
        if module.endswith(f".{file_name}"):
            importlib.import_module(module)


@cache
def _modules(family: str) -> tuple[str, ...]:
    """The modules of a family's package; folders in it are imported, as they hold no code."""
    package = importlib.import_module(FAMILIES[family])
    return tuple(found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


def file_name_of(name: str) -> str:
    """The name of a member's file: "lastN" stands in `last_n.py`, "chars/4" in `chars_4.py`."""
    return re.sub(r"\W", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).lower()


@cache
def _is_numeric(annotation: Any) -> bool:
    return _adapter(annotation).json_schema().get("type") in ("integer", "number")


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def options_of(target: Callable[..., object]) -> tuple[Option, ...]:
    """The options that the keyword-only parameters of a function, or of a class's `__init__`, are."""
    function = target.__init__ if inspect.isclass(target) else target
    hints = get_type_hints(function, include_extras=True)
    return tuple(
        Option(p.name, hints[p.name], p.default, _description(hints[p.name]))
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.name in hints
    )


def _description(annotation: Any) -> str:
    """The description of an `Annotated` type's Field; "" without one."""
    metadata = getattr(annotation, "__metadata__", ())
    return next((text for given in metadata if (text := getattr(given, "description", None))), "")
