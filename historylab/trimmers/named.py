"""Imports "module:name.name", as an app's own function is named; the current folder comes before all others."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

from historylab.errors import SettingsError
from historylab.settings.model import did_you_mean
from historylab.trimmers.asking import error_in_words

MOST = 12  # names that are listed


def load_named(name: str) -> Any:
    """The object of that name. Raises SettingsError, with the reason, where it can't be imported."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise SettingsError(f"{name!r:.80} isn't module:function, as in myapp.history:trim")
    if module.endswith(".py") or "/" in module:
        dotted = module.removesuffix(".py").strip("./").replace("/", ".")
        raise SettingsError(f"{name!r:.80} names a file: write {dotted:.80}:{path:.80}")
    found: Any = _import(module)
    for part in path.split("."):
        if not hasattr(found, part):
            owner = getattr(found, "__name__", type(found).__name__)
            raise SettingsError(f"{owner} has no {part!r:.80}{_instead(part, found)}")
        owner, found = found, getattr(found, part)
        if inspect.isclass(owner) and inspect.isfunction(inspect.getattr_static(owner, part)):
            raise SettingsError(f"{path} is a method of each instance: {name_of_method(owner, part)}")
    return found


def name_of_method(owner: type, method: str) -> str:
    """Words on how to name a method of an instance, which a module has to make: "name app.history:history.trim"."""
    module = owner.__module__
    made = next((name for name, each in vars(sys.modules.get(module, owner)).items() if type(each) is owner), "")
    if made:
        return f"name {module}:{made}.{method}"
    new = owner.__name__.lower()
    return f"make one in {module}, {new} = {owner.__name__}(), and name {module}:{new}.{method}"


def _instead(name: str, owner: Any) -> str:
    """A name that is like it; else those that the owner defines itself."""
    known = [each for each in vars(owner) if callable(getattr(owner, each)) and not each.startswith("_")]
    own = [each for each in known if getattr(getattr(owner, each), "__module__", "") == getattr(owner, "__name__", "")]
    file = getattr(owner, "__file__", None)
    there = f"; it has {', '.join(own[:MOST])}" if own else ""
    return did_you_mean(name, known) or f"{there}{f'; it is {file}' if file else ''}"


def _import(module: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        _take_from(here, module)
        return importlib.import_module(module)
    except ModuleNotFoundError as problem:
        missing = problem.name or module
        where = f" in {here} or among what is installed" if module.startswith(missing) else f", which {module} imports"
        raise SettingsError(f"there is no module {missing!r:.80}{where}{_taken_for(module)}") from None
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        raise SettingsError(f"{module} can't be imported: {error_in_words(problem)}") from None


def _taken_for(module: str) -> str:
    """The file that the first part of a name was taken for, where that has no folder in which the rest would be."""
    first, _, rest = module.partition(".")
    known = sys.modules.get(first)
    file = getattr(known, "__file__", None)
    return f"; {first} is {file}" if rest and file else ""


def _take_from(folder: str, module: str) -> None:
    """Have the first part of the name be what is in the folder, where the module is there.

    Python would take another module of that name, such as an `app` that is installed, for a folder without a file
    `__init__.py`.
    """
    first, path = module.partition(".")[0], os.path.join(folder, *module.split("."))
    if not (os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py"))):
        return
    spec, known = PathFinder.find_spec(first, [folder]), sys.modules.get(first)
    if spec is None:
        return
    places: list[str] = [*(spec.submodule_search_locations or [spec.origin or ""])]
    if known is not None and _places(known)[:1] == places[:1]:
        return
    for name in [each for each in sys.modules if each == first or each.startswith(f"{first}.")]:
        del sys.modules[name]
    sys.modules[first] = made = module_from_spec(spec)
    if spec.loader is not None:
        spec.loader.exec_module(made)


def _places(module: ModuleType) -> list[str]:
    """The folders of a package, or the file of a module."""
    return list(getattr(module, "__path__", None) or [getattr(module, "__file__", None) or ""])
