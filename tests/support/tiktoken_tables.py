"""tiktoken's tables where they are at hand: it downloads them, and some libraries bring theirs along."""

from __future__ import annotations

import hashlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

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


TABLES = folder_of_tables() if find_spec("tiktoken") else None
needs_tables = pytest.mark.skipif(TABLES is None, reason="tiktoken's tables are not on this machine")


@pytest.fixture
def tables(monkeypatch):
    """Lets tiktoken read the tables that were found."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(TABLES))
