"""Writing settings into a file that a program reads them from: all else in it stays, and it is replaced in one step."""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from historylab.errors import SettingsError, needs
from historylab.exporters.base import environment_of
from historylab.exporters.dotenv import quote_for_shell
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import AGENTDOCK_TEMPLATE, OWN_PART, by_environment_name
from historylab.settings.resolve import settings_in_file
from historylab.settings.sources import as_a_shell

CHAT = "chatSettings"


def write_settings(path: str | os.PathLike[str], settings: Settings) -> None:
    """Let the file mean these settings: a .env, our JSON or AgentDock's template, as `read_template` reads it.

    Those that differ from the defaults are written, in the file's own form. Raises SettingsError where it can't be
    read or written, or where its form has no way to say a value; then it stays as it was.
    """
    file = Path(path).resolve()  # what a link leads to, not the link
    try:
        text, mode = file.read_text("utf-8-sig"), file.stat().st_mode & 0o777
        written = rewritten(text, settings)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(_cannot(file, problem)) from None
    try:
        with open(handle, "w", encoding="utf-8", newline="") as draft:
            os.chmod(name, mode)
            draft.write(written)
            draft.flush()
            os.fsync(draft.fileno())
        if settings_in_file(name).values() != settings.values():
            raise SettingsError(f"{file.name} says something else about a setting that can't be replaced")
        os.replace(name, file)
    except OSError as problem:
        raise SettingsError(_cannot(file, problem)) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _cannot(file: Path, problem: Exception) -> str:
    why = (isinstance(problem, OSError) and problem.strerror) or "it is not text"
    return f"{file.name} cannot be written: {why}"


def rewritten(text: str, settings: Settings) -> str:
    """The file's text with these settings in place of those it holds."""
    default = Settings()
    names = [n for n in setting_names() if settings.value(n) != default.value(n)] or ["policy"]  # empty, it is refused
    write = _rewritten_json if text.lstrip().startswith("{") else _rewritten_dotenv
    return write(text, settings, names)


def _rewritten_json(text: str, settings: Settings, names: list[str]) -> str:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise SettingsError("the file is not valid JSON; it may be cut short") from None
    kept = _without_settings(found)
    if isinstance(chat := found.get(CHAT), Mapping):
        rest = {key: value for key, value in chat.items() if key not in AGENTDOCK_TEMPLATE.values()}
        kept[CHAT] = {**rest, **{theirs: settings.value(name) for name, theirs in AGENTDOCK_TEMPLATE.items()}}
        names = [name for name in names if name not in AGENTDOCK_TEMPLATE]
    values = {name: settings.value(name) for name in names}
    if isinstance(ours := found.get(OWN_PART), Mapping) or CHAT in kept:
        kept[OWN_PART] = {**_without_settings(ours or {}), **values}
    else:
        kept |= values
    return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"


def _without_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    known = {*setting_names(), *by_environment_name()}
    return {name: value for name, value in given.items() if name not in known}


def _rewritten_dotenv(text: str, settings: Settings, names: list[str]) -> str:
    with needs("python-dotenv", "writing a .env file"):
        from dotenv.parser import parse_stream

    values = {name: quote_for_shell(value) for name, value in environment_of(settings, names).items()}
    if unsaid := [name for name, value in values.items() if value is None]:
        raise SettingsError(f"a .env can't say the value of {', '.join(unsaid)}; use a JSON file")
    kept, known, export = [], by_environment_name(), ""
    for line in parse_stream(io.StringIO(text)):
        written = line.original.string
        if (as_a_shell(written)[0] if line.error else line.key) not in known:
            kept.append(written)
        elif written.lstrip().startswith("export "):
            export = "export "
    before = "".join(kept)
    gap = "" if not before or before.endswith("\n") else "\n"
    return before + gap + "".join(f"{export}{name}={value}\n" for name, value in values.items())
