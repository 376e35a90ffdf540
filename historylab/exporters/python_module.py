"""A Python module with the settings and code that trims with them, as shared by the Python exporters."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.exporters.base import heading
from historylab.settings.model import Settings


def python_module(settings: Settings, names: Sequence[str], target: str, code: str, imports: str = "") -> str:
    """The module's text: `imports` come first, and `code` may use `settings` and `trim`."""
    before = f"{imports.rstrip()}\n\n" if imports else ""
    comments = "\n".join(f"# {line}" for line in heading(settings, target))
    head = f"{comments}\n{before}from historylab import Settings, trim"
    return f"{head}\n\n{_literal(settings, names)}\n\n\n{code.strip()}\n"


def _literal(settings: Settings, names: Sequence[str]) -> str:
    fields = [f"    {name}={settings.value(name)!r}," for name in names if "." not in name]
    options = [f"        {name!r}: {settings.value(name)!r}," for name in names if "." in name]
    given = [*fields, *(["    **{", *options, "    },"] if options else [])]
    return "\n".join(["settings = Settings(", *given, ")"] if given else ["settings = Settings()"])
