"""Formats of transcripts: a family of members, each of which reads one, and some write it.

`historylab.formats()` names them: the package can be called.

**Recognising.** `load` asks every format how surely it recognises a file; the surest reads it, and where none is
sure, or two are equally sure, a refusal says so. Formats are asked by a *sample* (the beginning of the text, some of
its values), so that recognition costs the same however large the file is; a file is decoded and parsed once for all
of them. A format yields conversations and counts on its `Report` what it did not read, so that nothing is skipped
silently. A file that no format recognises is searched for lists of things with a role and a text, each offered as a
`Shape`. A file too large to be loaded is listed: its conversations are found piece by piece, in memory that
doesn't grow with it, and each is read when it is opened.

**Rooms.** `apis/`, `frameworks/`, `traces/`, `products/` and `plain/` hold the members. `files/` knows bytes,
archives, databases, tables, event streams and pieces; `messages/` has what several formats have in common;
`requests/` reads and writes the requests of an app; `sessions/` finds those that coding agents keep on this machine.
`sub_agents.py` joins the conversations of a whole session.
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    def __call__(self) -> list[str]:
        """The names of the formats that `load` reads."""
        from historylab.registry import members

        return sorted(members("format"))


sys.modules[__name__].__class__ = _Callable
