"""A Python module with the settings and code that trims with them, as shared by the Python exporters."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.exporters.base import heading
from historylab.settings.model import Settings
from historylab.settings.names import STORE

TRIMMER = f"""\
# One for the whole app: it knows a chat again by its messages, so that a request costs what is new in it; call its
# `forget()` after changing an old message in place. With a store in {STORE}, `sqlite:///chats.db` or
# `postgresql://…`, a restart and other processes send the same, and ask no model for a summary again.
trimmer = Trimmer(settings, store=os.environ.get("{STORE}") or None"""


def python_module(
    settings: Settings,
    names: Sequence[str],
    target: str,
    code: str,
    *,
    imports: str = "",
    standard: Sequence[str] = (),
    api: str = "",
) -> str:
    """The module's text. `code` may use `settings`, `trimmer` and what is imported: `imports`, and `standard` modules.

    `api` names the format of the messages that the trimmer is given, where it isn't that of Chat Completions.
    """
    comments = "\n".join(f"# {line}" for line in heading(settings, target))
    library = "\n".join(sorted(["import os", *standard], key=lambda line: (line.startswith("from"), line)))
    blocks = (library, imports.strip(), "from historylab import Settings, Trimmer")
    trimmer = f'{TRIMMER}, format="{api}")' if api else f"{TRIMMER})"
    head = "\n\n".join(filter(None, blocks))
    return f"{comments}\n{head}\n\n{_literal(settings, names)}\n{trimmer}\n\n\n{code.strip()}\n"


def _literal(settings: Settings, names: Sequence[str]) -> str:
    fields = [f"    {name}={settings.value(name)!r}," for name in names if "." not in name]
    options = [f"        {name!r}: {settings.value(name)!r}," for name in names if "." in name]
    given = [*fields, *(["    **{", *options, "    },"] if options else [])]
    return "\n".join(["settings = Settings(", *given, ")"] if given else ["settings = Settings()"])
