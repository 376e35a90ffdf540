"""Calls of Bedrock's Converse API, whose model stands in the path and whose parts are told apart by their only key.

Source: Amazon Bedrock's API reference, Converse and ConverseStream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.conversation.recorded import PARAMETERS, PROVIDER, TOOLS
from historylab.conversation.usage import MODEL
from historylab.formats.apis.bedrock import SHAPE
from historylab.formats.apis.streams import add_piece
from historylab.formats.base import Report
from historylab.formats.messages.fields import list_in, object_in
from historylab.formats.messages.paths import value_at, values_at
from historylab.formats.shapes.reading import read_shaped


def converse_exchange(
    model: str, body: dict[str, Any], answered: Sequence[Any], started: str | None, where: str, report: Report
) -> Exchange:
    """The request and its answer, which may be a stream of events."""
    whole = next((one for one in answered if isinstance(one, dict) and "output" in one), None)
    answer = whole or _join(answered)
    systems = [{"role": "system", "content": [part]} for part in list_in(body, "system")]
    paths = SHAPE.usage if isinstance(SHAPE.usage, Mapping) else {}
    usage = {ours: count for ours, at in paths.items() if type(count := value_at(answer, at)) is int and count > 0}
    tools, asked = values_at(body, "toolConfig.tools.toolSpec"), object_in(body, "inferenceConfig")
    own = report.apart()
    return Exchange(
        _read([*systems, *list_in(body, "messages")], own, where),
        _read(values_at(answer, "output.message"), own, where),
        usage=usage or None,
        about={MODEL: model, PROVIDER: "bedrock"}
        | ({TOOLS: tools} if tools else {})
        | ({PARAMETERS: asked} if asked else {}),
        started=started,
        where=where,
        report=own,
    )


def _read(records: list[Any], report: Report, where: str) -> list[Message]:
    return [message for found in read_shaped(SHAPE, [(where, {"messages": records})], report) for message in found]


def _join(events: Sequence[Any]) -> dict[str, Any]:
    """The answer that was streamed."""
    parts, usage = dict[Any, dict[str, Any]](), dict[str, Any]()
    for event in events:
        kind, value = next(iter(event.items()), ("", None)) if isinstance(event, dict) else ("", None)
        if not isinstance(value, dict):
            continue
        if kind == "metadata":
            usage = object_in(value, "usage")
        elif kind in ("contentBlockStart", "contentBlockDelta"):
            part = parts.setdefault(value.get("contentBlockIndex"), {})
            piece = object_in(value, "start" if kind == "contentBlockStart" else "delta")
            if "reasoningContent" in piece:
                piece = {"reasoningContent": {"reasoningText": piece["reasoningContent"]}}
            add_piece(part, piece)
    content = [part for part in parts.values() if part]
    return {"output": {"message": {"role": "assistant", "content": content}} if content else {}, "usage": usage}
