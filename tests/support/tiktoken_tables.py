"""tiktoken's tables where they are at hand: it downloads them, and some libraries bring theirs along."""

from __future__ import annotations

import hashlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
import toktok

URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
BROUGHT_BY = {"litellm": "litellm_core_utils/tokenizers", "llama_index": "core/_static/tiktoken_cache"}
ENCODINGS = ("o200k_base", "cl100k_base")


def folder_of_tables() -> Path | None:
    """The folder that has the tables of both encodings, under the names that tiktoken gives them."""
    files = [hashlib.sha1(URL.format(name).encode()).hexdigest() for name in ENCODINGS]
    given = [Path(os.environ[name]) for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if os.environ.get(name)]
    brought = [
        Path(place) / folder
        for library, folder in BROUGHT_BY.items()
        if (found := find_spec(library))
        for place in found.submodule_search_locations or ()
    ]
    folders = [*given, Path(tempfile.gettempdir(), "data-gym-cache"), *brought]
    return next((folder for folder in folders if all((folder / file).exists() for file in files)), None)


TABLES = folder_of_tables()
needs_tables = pytest.mark.skipif(TABLES is None, reason="tiktoken's tables are not on this machine")


class StandIn:
    """An encoding of tiktoken's as the counter uses it, by toktok, which brings its tables along."""

    def __init__(self, name: str):
        self.name = name

    def encode_ordinary_batch(self, texts: list[str]) -> list[range]:
        sound = [text.encode(errors="replace").decode() for text in texts]
        return [range(count) for count in toktok.batch_count(sound, self.name, 1)]


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """tiktoken reads the tables that were found, or toktok stands in for it: no test downloads any."""
    if TABLES:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(TABLES))
    else:
        monkeypatch.setattr("historylab.counters.tiktoken.open_encoding", StandIn)
