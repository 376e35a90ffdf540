"""Tasks of Cline before its SDK, and of what came of it (Roo Code, Kilo Code): a folder of files each.

`api_conversation_history.json` is what was sent to the API. `ui_messages.json` beside it is what the screen showed: it
has the usage of each request, and times that older versions wrote nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.archives import pass_beside, values_beside
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import object_in
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items
from historylab.formats.products.cline_cuts import MARKS, cut_task
from historylab.formats.products.cline_screen import (
    CHECKED,
    SOURCE,
    count_in,
    request_usage,
    shown_kind,
)
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.records import RECORD
from historylab.registry import register

SHAPE = replace(
    RECORD,
    parts="content",
    kinds={
        "text": {"text": "text"},
        "thinking": {"thinking": "thinking"},
        "reasoning": {"thinking": "text"},
        "redacted_thinking": None,
        "thoughtSignature": None,
        "tool_use": {"call": {"id": "id", "name": "name", "arguments": "input"}},
        "tool_result": {"result": {"id": "tool_use_id", "text": "content"}},
        "image": {"media": ("source.media_type", "source")},
        "document": {"media": "source.media_type"},
    },
    time="ts",
    model="modelInfo.modelId",
)
SCREEN, BESIDE = "ui_messages.json", ("task_metadata.json", "history_item.json", "context_history.json")
FRAMES = ("<task>", "<user_message>", "<environment_details>")
"""Tags of which one stands in the first prompt of every task."""
MODEL_TAG = re.compile(r"<model>([^<\n]+)</model>")
"""The model, as Roo Code and Kilo Code tell it to itself with every prompt."""


def looks_like_task(content: Content) -> float:
    """0.95 for messages in the form of Anthropic's API with Cline's tags or its own fields."""
    records = [value for _, value in located_items(content.values[:1])]
    said = [each for each in records if isinstance(each, dict) and "role" in each and "content" in each]
    if len(said) * 2 <= len(records):
        return 0
    own = any("ts" in each and ("modelInfo" in each or _has_frame(each)) for each in said)
    return 0.95 if own or _has_frame(said[0]) else 0


@register("format", title="Cline, Roo Code, Kilo Code", recognise=looks_like_task, source=SOURCE, checked=CHECKED)
def cline_task(content: Content, report: Report) -> Iterator[Conversation]:
    """Tasks as sent to the API, with the usage and the times that the file beside them has."""
    shown = _shown_beside(content, report)
    records = [*located_items(content.values)]
    values = [value for _, value in records]
    requests = _requests_by_answer(values, shown)
    for read in read_shaped(SHAPE, list(_with_requests(records, requests)), report):
        yield cut_task(read, values, shown, requests)


def _has_frame(record: Mapping[str, Any]) -> bool:
    return any(frame in text for text in _texts(record) for frame in FRAMES)


def _texts(record: Mapping[str, Any]) -> Iterator[str]:
    content = record.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(text := part.get("text") if isinstance(part, dict) else part, str):
            yield text


def _shown_beside(content: Content, report: Report) -> list[Any]:
    """The records of the screen's file beside that one; none where it isn't there."""
    pass_beside(content, *BESIDE)
    shown = [*values_beside(content, SCREEN)]
    if any(value is None for _, value in shown):
        report.warn(f"{SCREEN} beside it can't be read", "")
    return [value for _, value in located_items(shown)]


def _with_requests(records: list[Located], requests: Mapping[int, dict[str, Any]]) -> Iterator[Located]:
    """The records, each with the model, the usage of the request it answers, and that one's time if it has none."""
    model = ""
    for i, (where, value) in enumerate(records):
        if not isinstance(value, dict):
            yield where, value
            continue
        asks = value.get("role") == "user"
        told = next(filter(None, map(MODEL_TAG.search, _texts(value))), None) if asks else None
        model = told[1] if told else model
        request = requests.get(i + 1 if asks else i, {})
        usage = request_usage(request) if request else _own_usage(value)
        about = {"ts": request.get("ts"), "modelInfo": request.get("modelInfo", {"modelId": model})}
        said = {name: held for name, held in value.items() if name not in {"metrics", *MARKS} and held is not None}
        yield where, {**about, **said, "usage": usage}


def _requests_by_answer(records: list[Any], shown: list[Any]) -> dict[int, dict[str, Any]]:
    """Index of an answer → the request that the screen shows for it.

    Newer versions number it; else it is the last begun before the answer's time, or the next one that was charged.
    """
    answers = [i for i, value in enumerate(records) if isinstance(value, dict) and value.get("role") == "assistant"]
    requests = [each for each in shown if shown_kind(each) == "api_req_started"]
    numbered = [(at, each) for each in requests if type(at := each.get("conversationHistoryIndex")) is int]
    if numbered:
        return {at + 2: each for at, each in numbered if at + 2 in answers}
    if answers and all(_is_number(records[i].get("ts")) for i in answers):
        timed = [each for each in requests if _is_number(each["ts"])]
        begun = {i: [each for each in timed if each["ts"] <= records[i]["ts"]] for i in answers}
        return {i: found[-1] for i, found in begun.items() if found}
    charged = [each for each in requests if any(request_usage(each).values())]
    return dict(zip(answers, charged, strict=True)) if len(answers) == len(charged) else {}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _own_usage(record: Mapping[str, Any]) -> dict[str, int]:
    """The tokens that an answer itself tells of, which are in one for all that the cache has to do with."""
    told = object_in(object_in(record, "metrics"), "tokens")
    given = {"input": "prompt", "output": "completion", "cache_reads": "cached"}
    return {ours: count_in(told, theirs) for ours, theirs in given.items()}
