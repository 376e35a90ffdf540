"""The sample conversations, in the checkout or inside the installed package, listed by `index.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from historylab.errors import UnknownMember
from historylab.formats.load import Conversations, load

DEFAULT_SAMPLE = "birthday-by-the-sea"

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE.parent / "sample_conversations", _PACKAGE / "_app" / "sample_conversations")


@dataclass(frozen=True, slots=True)
class Sample:
    """One bundled transcript: its file, and the query of a link to it, under settings that show something."""

    name: str
    title: str
    description: str
    path: Path
    link: str = ""


@cache
def samples() -> Mapping[str, Sample]:
    """Every sample by name, in display order; the first is the default."""
    folder = next(folder for folder in _FOLDERS if (folder / "index.json").is_file())
    entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return MappingProxyType({e["name"]: _sample(e, folder) for e in entries})


def _sample(entry: Mapping[str, str], folder: Path) -> Sample:
    about = {name: entry[name] for name in ("name", "title", "description")}
    return Sample(**about, path=folder / entry["file"], link=entry.get("link", ""))


def load_sample(name: str = DEFAULT_SAMPLE) -> Conversations:
    """Load one sample, with its report. Raises UnknownMember, which lists the others."""
    if name not in samples():
        raise UnknownMember("sample", name, list(samples()))
    sample = samples()[name]
    return load(sample.path, name=f"{sample.title}{sample.path.suffix}")
