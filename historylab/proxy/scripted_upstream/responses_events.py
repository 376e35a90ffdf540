"""The events of a stream of Responses, in the order of the API: the response, its items, their parts, their pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.proxy.scripted_upstream.api import Body, pieces

WRITTEN = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": ("input", "response.custom_tool_call_input"),
}
"""Items whose text comes in pieces: its field, and what its events are called."""


def response_events(whole: Mapping[str, Any]) -> Iterator[Body]:
    """The events of a stream that says what the whole response says."""
    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    events = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        *(event for index, item in enumerate(whole["output"]) for event in _of_item(item, index)),
        {"type": f"response.{whole['status']}", "response": dict(whole)},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def _of_item(item: Mapping[str, Any], index: int) -> Iterator[Body]:
    place = {"output_index": index}
    empty = {**item, "status": "in_progress"} if "status" in item else dict(item)
    if item["type"] == "message":
        empty["content"] = []
    elif item["type"] in WRITTEN:
        empty[WRITTEN[item["type"]][0]] = ""
    yield {"type": "response.output_item.added", **place, "item": empty}
    inner = {**place, "item_id": item["id"]}
    if item["type"] == "message":
        for k, part in enumerate(item["content"]):
            yield from _of_part(part, {**inner, "content_index": k})
    elif item["type"] in WRITTEN:
        field, name = WRITTEN[item["type"]]
        for piece in pieces(item[field]):
            yield {"type": f"{name}.delta", **inner, "delta": piece}
        yield {"type": f"{name}.done", **inner, field: item[field]}
    yield {"type": "response.output_item.done", **place, "item": dict(item)}


def _of_part(part: Mapping[str, Any], place: Body) -> Iterator[Body]:
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": dict(part)}
