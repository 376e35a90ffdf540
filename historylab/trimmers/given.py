"""Opens a trimmer that was named or given: a member, a function "module:name", or an object of Python's."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from historylab.errors import HistoryLabError, SettingsError, UnknownMember
from historylab.registry import Member, Option, member, members
from historylab.settings.model import did_you_mean
from historylab.settings.trimmer_options import is_own_function
from historylab.trimmers.annotations import Taking, how_it_takes
from historylab.trimmers.asking import error_in_words
from historylab.trimmers.base import Asked, ItemForm
from historylab.trimmers.named import load_named
from historylab.trimmers.shapes import BodyShape, ContextShape, ListShape

SECONDS = 10.0
"""Seconds that a trimmer has for an answer, unless told otherwise."""
MESSAGES = ("messages", "history", "items")
"""Names of parameters that are meant for the messages."""
CHAT = "chat_completions"
BODY_FORMS = (CHAT, "anthropic", "responses", "gemini")
ALSO = {"openai_agents": "responses", "llamaindex": "llama_index"}
"""Names of formats whose messages are those of another form, or have another name as one."""
STOOD_IN = (
    "Summaries are written by HistoryLab's offline summarizer, which stands in for its model: the messages kept are "
    "production's only where its triggers count messages."
)


@dataclass(frozen=True, slots=True)
class TrimmerChoice:
    """A trimmer, and how it is driven.

    Attributes:
        name: as it is named on the command line; of a function given in Python, its own name.
        title: for sentences.
        form: how it has messages, `shape` how it takes them.
        make: gives what is called with the messages; one for each conversation.
        version: of the library; "" of a function.
        is_own: a function of somebody's own, and no member.
        options: those that were given.
        notes: sentences on how to read what it does.
    """

    name: str
    title: str
    form: ItemForm
    shape: ListShape | BodyShape
    make: Callable[[], Callable[..., Any]]
    carries: bool = False
    asked: Asked = "request"
    system_inside: bool = True
    summarizes: bool = False
    version: str = ""
    is_own: bool = True
    options: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


def open_trimmer_choice(
    trimmer: object,
    options: Mapping[str, Any],
    *,
    carry: bool | None = None,
    form: str | None = None,
    model: str = "",
) -> TrimmerChoice:
    """The trimmer that was meant: a member's name, "module:function", or a function, a class, an object.

    `options` are its own; `form` and `carry` are said where annotations don't tell. `model`: for request bodies.

    Raises SettingsError for one that can't be opened, UnknownMember for a name that no member has, MissingLibrary with
    the command where its library isn't installed.
    """
    if isinstance(trimmer, str) and ":" not in trimmer:
        return _open_member(trimmer, options, carry, form)
    name = trimmer if isinstance(trimmer, str) else trimmer_name(trimmer)
    target = load_named(trimmer) if isinstance(trimmer, str) else trimmer
    taking = how_it_takes(target)
    _check_options(name, target, taking, options)
    chosen = form or taking.form or CHAT
    shape = _shape_of(chosen, taking, model)
    return TrimmerChoice(
        name,
        name.rpartition(":")[2],
        open_item_form(chosen),
        shape,
        partial(_bind, target, options),
        bool(carry),
        options=options,
    )


def is_trimmer_name(text: str) -> bool:
    """Tell whether a text names a trimmer, a member or "module:function", and not a file, as far as can be told."""
    if os.path.exists(text):
        return False
    libraries = {name.partition(".")[0] for name in members("trimmer")}
    return is_own_function(text) or text.partition(".")[0] in libraries


def open_item_form(name: str) -> ItemForm:
    """The form of that name. Raises SettingsError for another, MissingLibrary where its library isn't installed."""
    try:
        found = member("item_form", ALSO.get(name, name))
    except UnknownMember:
        known = sorted({*members("item_form"), *ALSO})
        raise SettingsError(f"no trimmer takes messages as {name!r:.60}; choose one of {', '.join(known)}") from None
    form: ItemForm = found.target()
    return form


def installed_version(found: Member) -> str:
    """The version of a member's library; "" where it isn't installed."""
    if told := found.attributes.get("version"):  # of one that pip doesn't know
        return str(told())
    try:
        return version(found.attributes["library"])
    except PackageNotFoundError:
        return ""


def install_command(found: Member) -> str:
    """The command that installs a member's library."""
    return str(found.attributes.get("install") or f"pip install {found.attributes['library']}")


def _open_member(name: str, options: Mapping[str, Any], carry: bool | None, form: str | None) -> TrimmerChoice:
    found = _find_member(name)
    if carry is not None or form is not None:
        raise SettingsError(f"{name} says itself how it is driven; leave out {'form' if carry is None else 'carry'}")
    make = partial(found.target, **_read_options(found, options))
    first = _open_library(found, make)
    stood_in = first.summarizes and not options.get("model")
    return TrimmerChoice(
        name,
        found.title,
        open_item_form(first.form),
        ListShape(),
        _first_then(first, make),
        first.carries,
        first.asked,
        first.system_inside,
        first.summarizes,
        installed_version(found),
        False,
        options,
        (*getattr(first, "notes", ()), *([STOOD_IN] if stood_in else [])),
    )


def _find_member(name: str) -> Member:
    """The member. Raises UnknownMember with those of the same library; where there is none, says what it may be."""
    try:
        return member("trimmer", name)
    except UnknownMember as problem:
        library = name.partition(".")[0]
        if same := [each for each in problem.known if each.partition(".")[0] == library]:
            raise UnknownMember("trimmer", name, same) from None
        own = (
            f"; a function of yours is named with its module, as in {name:.80}:trim"
            if all(map(str.isidentifier, name.split(".")))
            else ""
        )
        near = did_you_mean(name, problem.known) or f"{own}; historylab.trimmers() has the others"
        raise SettingsError(f"there is no trimmer {name!r:.80}{near}") from None


def _open_library(found: Member, make: Callable[[], Any]) -> Any:
    """The first instance. Raises SettingsError, with the library's own words, where it refuses these options."""
    try:
        return make()
    except HistoryLabError:
        raise
    except Exception as problem:
        library = f"{found.attributes['library']} {installed_version(found)}"
        raise SettingsError(f"{found.name} can't be opened with {library}: {error_in_words(problem)}") from None


def _first_then(first: Any, make: Callable[[], Any]) -> Callable[[], Any]:
    """Gives the instance that is there already, then others: one was opened to learn how it is driven."""
    ready = [first]
    return lambda: ready.pop() if ready else make()


def _read_options(found: Member, options: Mapping[str, Any]) -> dict[str, Any]:
    known = {option.name: option for option in found.options}
    if unknown := options.keys() - known.keys():
        raise SettingsError(f"{found.name} has no option {min(unknown)!r}; it has {', '.join(known)}")
    given = {name: _read_option(found, known[name], value) for name, value in options.items()}
    required = inspect.Parameter.empty
    if missing := [name for name, option in known.items() if option.default is required and name not in given]:
        raise SettingsError(f"{found.name} needs {missing[0]}: {known[missing[0]].help or 'it has no default'}")
    return given


def _read_option(found: Member, option: Option, value: Any) -> Any:
    try:
        return option.parse(value)
    except SettingsError as problem:
        raise SettingsError(f"{found.name}, {option.name}: {problem}") from None


def _shape_of(form: str, taking: Taking, model: str) -> ListShape | BodyShape:
    if taking.context:
        return ContextShape()
    return BodyShape(form, model) if taking.body and form in BODY_FORMS else ListShape()


def _bind(target: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
    """The callable that is given messages: an instance of a class, or the function with its options."""
    return cast("Callable[..., Any]", target(**options) if inspect.isclass(target) else partial(target, **options))


def _check_options(name: str, target: Any, taking: Taking, options: Mapping[str, Any]) -> None:
    """Raises SettingsError for an option that it doesn't take, and for one that it needs and isn't given."""
    messages = () if inspect.isclass(target) else (None,) * (1 + taking.context)
    try:
        inspect.signature(target).bind(*messages, **options)
    except TypeError as problem:
        why = _missing_in_words(inspect.signature(target), messages, options) or f"{problem}"
        raise SettingsError(f"{name} can't be called with these options: {why}") from None
    except ValueError:  # of a builtin
        return


def _missing_in_words(signature: inspect.Signature, messages: tuple[None, ...], options: Mapping[str, Any]) -> str:
    """The parameter that is given nothing, and how it would be; "" where that isn't what is wrong."""
    try:
        given = signature.bind_partial(*messages, **options).arguments
    except TypeError:
        return ""
    needed = (each.name for each in signature.parameters.values() if each.default is each.empty and each.kind <= 1)
    missing = next((name for name in needed if name not in given), "")
    if missing in MESSAGES:
        first = next(iter(signature.parameters))
        return f"{first!r} is given the messages, {missing!r} nothing; annotate {first!r} RunContext if it is a context"
    return f"it needs {missing!r}: --trimmer-option {missing}=…, in Python {missing}=…" if missing else ""


def trimmer_name(trimmer: object) -> str:
    """The name of a function or class, or of the class of an object."""
    target = trimmer.func if isinstance(trimmer, partial) else trimmer
    return str(getattr(target, "__name__", type(target).__name__))
