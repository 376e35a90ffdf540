"""What "module:name.name" names, as an app's own function is named; the current folder comes before all others."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

from historylab.errors import SettingsError
from historylab.trimmers.asking import error_in_words


def load_named(name: str) -> Any:
    """The object of that name. Raises SettingsError, with the reason, where it can't be imported."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise SettingsError(f"{name!r:.80} isn't module:function, as in app.history:trim_messages")
    found: Any = _import(module)
    for part in path.split("."):
        if not hasattr(found, part):
            known = [each for each in vars(found) if callable(getattr(found, each)) and not each.startswith("_")]
            raise SettingsError(f"{module} has no {path!r:.80}{_near(part, known)}")
        found = getattr(found, part)
    return found


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
        raise SettingsError(f"there is no module {missing!r:.80}{where}") from None
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        raise SettingsError(f"{module} can't be imported: {error_in_words(problem)}") from None


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


def _near(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
