"""Formats of transcripts: a family of members, each of which reads one, and some write it.

`historylab.formats()` names them: the package can be called.

**Recognising.** `load` asks every format how surely it recognises a file; the surest reads it, and where none is
sure, or two are equally sure, a refusal says so. Formats are asked by a *sample* (the beginning of the text, some of
its values), so that recognition costs the same however large the file is; a file is decoded and parsed once for all
of them. A format yields conversations and counts on its `Report` what it did not read, so that nothing is skipped
silently. One that finds too little, less than half of what could be messages, gives way to the next. A file that no
format reads is searched for lists of things with a role and words, each offered as a `Shape`. A file too large to be
loaded is listed: its conversations are found piece by piece, in memory that doesn't grow with it, and each is read
when it is opened.

**Kinds as data.** A `Shape` says where a file holds its messages: a value that JSON can hold, and `shapes/` reads by
it. The files of `kinds/` are shapes and members; a user's own, and one that is offered, is the same value. One walker
reads the parts of messages by a table of their kinds.

**Rooms.** `apis/`, `frameworks/`, `traces/`, `products/` and `plain/` hold the other members. `files/` knows bytes,
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
