"""The public surface, one line per name: parameters with their kinds and defaults, without annotations.

python tests/support/public_surface.py > tests/golden/public_names.txt
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pkgutil import iter_modules

import historylab.systems

SHARED_BY_SYSTEMS = ("base", "presets")
STAGE = ("planning.strategies.base:Context", "planning.strategies.base:Instruments")
CONTRACTS = {
    "filter": STAGE,
    "policy": STAGE,
    "tool_output": STAGE,
    "compaction": STAGE,
    "pruner": STAGE,
    "projection": (),
    "layout": (),
    "counter": ("counters.base:Counter",),
    "summarizer": ("summarizers.base:Summarizer", "summarizers.base:SummaryTask", "summarizers.base:Written"),
    "relevance": ("relevance.base:Relevance", "relevance.base:Index"),
    "chat_model": ("chat_models.base:ChatModel", "chat_models.base:Reply"),
    "format": ("formats.base:Format", "formats.base:Report", "formats.files.content:Content"),
    "generator": ("generators.base:Generator",),
    "exporter": ("exporters.base:Exporter",),
    "store": (
        "stores.base:StateStore",
        "stores.base:Store",
        "stores.base:open_store",
    ),
    "cache": ("costs.caches.base:Cache",),
    "trimmer": ("trimmers.base:LibraryTrimmer",),
    "item_form": ("trimmers.base:ItemForm", "trimmers.base:WrittenItem"),
    "preset": ("systems.presets.base:Preset", "systems.presets.base:PresetField"),
}
"""Family → what its members implement, take or return, beside names of `historylab.__all__`."""


def public_surface() -> list[str]:
    """Every public name of the package, of the published systems and of the families' contracts, sorted."""
    systems = [name for _, name, _ in iter_modules(historylab.systems.__path__) if name not in SHARED_BY_SYSTEMS]
    modules = [historylab, *(import_module(f"historylab.systems.{name}") for name in systems)]
    named = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    for path in ("registry:register", *(path for paths in CONTRACTS.values() for path in paths)):
        module, _, name = path.partition(":")
        named.setdefault(f"historylab.{module}.{name}", getattr(import_module(f"historylab.{module}"), name))
    return sorted({line for name, value in named.items() for line in _lines(name, value)})


def _lines(name: str, value: object) -> Iterator[str]:
    if not inspect.isclass(value):
        yield name + _parameters(value)
        return
    opaque = issubclass(value, Enum | BaseException) or getattr(value, "_is_protocol", False)  # callers make none
    yield name if opaque else name + _parameters(value)
    for attribute, found in sorted(_attributes(value).items()):
        yield f"{name}.{attribute}{_parameters(found)}"


def _attributes(kind: type) -> dict[str, object]:
    """Public attributes and methods that the package itself defines, without those of a library's base class."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("historylab")]
    inherited = {name for base in kind.__mro__ if base not in ours for name in dir(base)}
    names = {name for base in ours for name in (*vars(base), *vars(base).get("__annotations__", {}))}
    public = {name for name in names if name == "__call__" or not (name.startswith("_") or name in inherited)}
    return {name: inspect.getattr_static(kind, name, None) for name in public}


def _parameters(value: object) -> str:
    """The parameters of what can be called, as text; "" for a value or a property."""
    value = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    if not callable(value):
        return ""
    signature = inspect.signature(value)
    parameters = [p.replace(annotation=p.empty, default=_stable(p.default)) for p in signature.parameters.values()]
    kept = [p for p in parameters if p.name not in ("self", "cls")]
    return str(signature.replace(parameters=kept, return_annotation=signature.empty))


class _Text(str):
    __slots__ = ()
    __repr__ = str.__str__


def _stable(default: object) -> object:
    """The default; a function or another object without a text of its own as its name."""
    if default is inspect.Parameter.empty or " at 0x" not in repr(default):
        return default
    return _Text(f"<{getattr(default, '__name__', type(default).__name__)}>")


if __name__ == "__main__":
    print("\n".join(public_surface()))
