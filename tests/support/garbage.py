"""Objects that nothing refers to and that only a garbage collection frees: those that refer to one another."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def new_objects_alone() -> Iterator[None]:
    """The collector looks at what the block makes: going through all that the tests hold takes it a second.

    What is there when it begins is never looked at again, as modules and tests aren't (`tests/conftest.py`).
    """
    gc.freeze()
    yield


@contextmanager
def garbage_of(*modules: str) -> Iterator[list[Any]]:
    """A list that has those of these modules' types that the block leaves behind, once it has ended."""
    found: list[Any] = []
    with new_objects_alone():
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            yield found
            gc.collect()
            found += [each for each in gc.garbage if type(each).__module__.partition(".")[0] in modules]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
