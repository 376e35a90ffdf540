"""Values that the definition of a tool names itself: a choice, a default, an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import TOOLS

NAMED = frozenset({"enum", "const", "default", "examples"})
"""Keys of a schema under which values stand."""


def schema_values(conversation: Conversation) -> dict[str, set[str]]:
    """Per tool the values in its definitions, of the whole conversation or of later requests."""
    given = [conversation.recorded.tools.definitions]
    given += [m.metadata[TOOLS] for m in conversation if isinstance(m.metadata.get(TOOLS), list | tuple)]
    found: dict[str, set[str]] = {}
    for definition in (each for several in given for each in several if isinstance(each, Mapping)):
        function = definition.get("function")
        name = definition.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
        if isinstance(name, str):
            found.setdefault(name, set()).update(_named(definition))
    return found


def _named(schema: object, within: bool = False) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            yield from _named(value, within or key in NAMED)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from _named(value, within)
    elif within and isinstance(schema, str | int | float):
        yield str(schema)
