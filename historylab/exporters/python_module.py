"""A Python module with the settings and what trims with them, as shared by the Python exporters."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.exporters.base import heading
from historylab.settings.model import Settings
from historylab.settings.names import STORE

ONE = f"""\
# One for the whole app: it knows a chat again by its messages, so that a request costs what is new in it. With a store
# in {STORE}, `sqlite:///chats.db` or `postgresql://…`, a restart and other processes send the same, and ask
# no model for a summary again.
"""


def python_module(settings: Settings, names: Sequence[str], target: str, code: str, *, imports: str) -> str:
    """The module's text; `code` may use `settings` and what is imported."""
    comments = "\n".join(f"# {line}" for line in heading(settings, target))
    return f"{comments}\n{imports.strip()}\n\n{_literal(settings, names)}\n{ONE}{code.strip()}\n"


def hook_module(settings: Settings, names: Sequence[str], target: str, hook: str) -> str:
    """A module whose name `hook` is what that framework calls before each request."""
    imports = f"from historylab import Settings\nfrom historylab.frameworks.{target} import history_processor"
    return python_module(settings, names, target, f"{hook} = history_processor(settings)", imports=imports)


def _literal(settings: Settings, names: Sequence[str]) -> str:
    fields = [f"    {name}={settings.value(name)!r}," for name in names if "." not in name]
    options = [f"        {name!r}: {settings.value(name)!r}," for name in names if "." in name]
    given = [*fields, *(["    **{", *options, "    },"] if options else [])]
    return "\n".join(["settings = Settings(", *given, ")"] if given else ["settings = Settings()"])
