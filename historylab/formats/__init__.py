"""Formats of transcripts: a family of members, each of which reads one, and some write it.

`historylab.formats()` names them: the package can be called.
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    def __call__(self) -> list[str]:
        """The names of the formats that `load` reads."""
        from historylab.registry import members

        return sorted(members("format"))


sys.modules[__name__].__class__ = _Callable
