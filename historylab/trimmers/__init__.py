"""Trimmers that aren't ours: a framework's, run from the installed library, or any function of an app's own.

`historylab.trimmers()` names those of libraries: the package can be called.

    timeline = replay(conversation, trimmer="langchain.trim_messages", max_tokens=4000)
    timeline = replay(conversation, trimmer="myapp.history:trim")

A trimmer is asked request by request, with the messages in the form that it takes (`forms/`, a file each), and what it
returns is matched to the conversation: by identity, by id, by content. Nothing of a library's algorithm is here: a
member (`libraries/`, a file each) says what the library needs to be told, and calls it. It states four things: which
messages are in the list, whether names are set, how parallel results are grouped, and when it is asked.

What comes out is what was sent, faults included. A request for which a trimmer fails is unknown; the rest goes on.
"""

import sys
from types import ModuleType


class _Callable(ModuleType):
    def __call__(self) -> list[str]:
        """The names of the trimmers that `replay` drives, whether their library is installed or not."""
        from historylab.registry import members

        return sorted(members("trimmer"))


sys.modules[__name__].__class__ = _Callable
