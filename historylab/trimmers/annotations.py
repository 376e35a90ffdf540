"""The form in which a function takes messages, as its annotations tell: of whose classes, and whether it is a body."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, get_args, get_origin

from historylab.errors import SettingsError
from historylab.trimmers.named import name_of_method

LIBRARIES = {
    "langchain_core": "langchain",
    "pydantic_ai": "pydantic_ai",
    "anthropic": "anthropic",
    "openai.types.responses": "responses",
    "openai.types.chat": "chat_completions",
    "agents": "responses",
    "google.genai": "adk",
    "strands": "strands",
    "autogen_core": "autogen",
    "llama_index": "llama_index",
    "haystack": "haystack",
    "semantic_kernel": "semantic_kernel",
    "agent_framework": "agent_framework",
}
"""The beginning of a class's module → the form of its messages."""
NAMES = {
    **dict.fromkeys(("BaseMessage", "AnyMessage", "MessageLikeRepresentation"), "langchain"),
    **dict.fromkeys(("ModelMessage", "ModelRequest", "ModelResponse"), "pydantic_ai"),
    **dict.fromkeys(("MessageParam", "BetaMessageParam"), "anthropic"),
    **dict.fromkeys(("TResponseInputItem", "ResponseInputItemParam", "ResponseInputParam"), "responses"),
    **dict.fromkeys(("ContentDict", "ContentUnion"), "gemini"),
    **dict.fromkeys(("ChatCompletionMessageParam", "ChatCompletionMessage"), "chat_completions"),
    "LLMMessage": "autogen",
    "ChatMessageContent": "semantic_kernel",
}
"""Names of classes → the form, where an annotation is text that can't be resolved."""
WORD = re.compile(r"\w+")
CONTEXT = "RunContext"
GIVE_IT_ONE = "give it a __call__(self, messages)"
BODIES = ("body", "request", "payload")
"""Names of parameters that are taken for a whole request body where no annotation says what they are."""


class Taking(NamedTuple):
    """The way a function takes messages: in which form ("" if nothing says so), as a body, after a context."""

    form: str = ""
    body: bool = False
    context: bool = False


def how_it_takes(target: Any) -> Taking:
    """The way a function, an object or the instances of a class take messages.

    Raises SettingsError for one that can't be called with any.
    """
    function = _function_of(target)
    try:
        parameters = list(inspect.signature(function).parameters.values())[inspect.isclass(target) :]
    except (TypeError, ValueError):  # of a builtin
        return Taking()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    if not positional:
        raise SettingsError(f"{_name(target)} takes no messages: its first parameter is given the list of them")
    hints = _hints(function)
    context = len(positional) > 1 and CONTEXT in str(hints.get(positional[0].name, ""))
    first = positional[1] if context else positional[0]
    hint = hints.get(first.name, first.empty)
    if hint is first.empty:
        return Taking("", first.name in BODIES, context)
    return Taking(_form_of(hint), _is_body(hint), context)


def _function_of(target: Any) -> Callable[..., Any]:
    """The function that is called in the end."""
    if inspect.isclass(target):
        if not any("__call__" in vars(each) for each in target.__mro__):
            mend = name_of_method(target, _methods(target)[0]) if _methods(target) else GIVE_IT_ONE
            raise SettingsError(f"instances of {_name(target)} can't be called with messages: {mend}")
        return target.__call__
    if not callable(target):
        methods = _methods(type(target))
        mend = f": name a method of it, as in {type(target).__name__.lower()}.{methods[0]}" if methods else ""
        raise SettingsError(f"a Python {type(target).__name__} can't be called with messages{mend}")
    return target if inspect.isroutine(target) or isinstance(target, partial) else target.__call__


def _methods(owner: type) -> list[str]:
    """The methods of a class of somebody's own, those whose names say that they trim before others."""
    found = [name for name, each in vars(owner).items() if inspect.isfunction(each) and not name.startswith("_")]
    return sorted(found, key=lambda name: "trim" not in name)


def _hints(function: Any) -> dict[str, Any]:
    """The annotations, resolved as far as that can be done."""
    while isinstance(function, partial):
        function = function.func
    try:
        return typing.get_type_hints(function)
    except Exception:  # a name that only type checkers import
        return dict(getattr(function, "__annotations__", {}))


def _form_of(hint: Any) -> str:
    if isinstance(hint, str):
        return next((NAMES[word] for word in WORD.findall(hint) if word in NAMES), "")
    for each in _inside(hint):
        module = str(getattr(each, "__module__", ""))
        found = next((form for start, form in LIBRARIES.items() if f"{module}.".startswith(f"{start}.")), "")
        if found:
            return found
    return ""


def _inside(hint: Any) -> Iterator[Any]:
    yield hint
    for each in get_args(hint):
        yield from _inside(each)


def _is_body(hint: Any) -> bool:
    """Tell whether it is a mapping, and no list of any."""
    if isinstance(hint, str):
        return hint.partition("[")[0].rpartition(".")[2] in ("dict", "Mapping", "MutableMapping", "Dict")
    origin = get_origin(hint) or hint
    return inspect.isclass(origin) and issubclass(origin, Mapping | dict)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
