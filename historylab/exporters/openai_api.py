"""`openai_api`: the compaction that OpenAI's API does itself, as part of a Responses request.

Source: developers.openai.com/api/docs/guides/compaction and `context_management` of the SDK for Python (3.54.0), on
2026-11-23.
"""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import FACTS, Difference
from historylab.exporters.server_side import (
    compacted_from,
    compaction_difference,
    compacts,
    server_side,
    what_no_api_has,
)
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "send by `client.responses.create(**file['request'], …)`, and OpenAI's API compacts what it is sent; send the item "
    "it gives back the next time, or go on by `previous_response_id`"
)
OPAQUE = "What the compaction item holds is encrypted and not known, nor how many tokens it takes."


def differs(settings: Settings) -> Iterator[Difference]:
    yield from what_no_api_has(settings, *(["compaction"] if compacts(settings) else []))
    if compacts(settings):
        yield from compaction_difference(settings, OPAQUE)


@register(
    "exporter",
    title="OpenAI API",
    use=USE,
    file_name="openai-context-management.json",
    mime="application/json",
    language="json",
    facts=frozenset(FACTS),
    differs=differs,
)
def openai_api(settings: Settings, names: Sequence[str]) -> str:
    """`context_management` of OpenAI's Responses API: from a number of tokens on, everything compacted."""
    compaction = {"type": "compaction", "compact_threshold": compacted_from(settings)}
    request = {"context_management": [compaction]} if compacts(settings) else {}
    return server_side(settings, names, "openai_api", request)
