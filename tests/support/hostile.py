"""Hostile text for every place that takes some: a conversation, a link; and every text a page hands to the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from listed import listed

LINK = "[gpt-5.5 (offline, free)](http://evil.example/click)"
TAG = "<img src=x onerror='window.harmed=1'>"
TEXT = f"{LINK} {TAG} https://evil.example ![x](http://evil.example/i.png) :red[hi] $x$ `c` \u202eright\u2066\u200b"
LONG = f"{TAG}{'w' * 100_000}{LINK}\u202e"  # one line
SHORT = f"{LINK}{TAG}\u202e"  # where little room is shown
PARAMETERS = {
    "model": TEXT,
    "summarizer": "model",
    "summarizer.model.prompt": TEXT,
    "filter": "participants",
    "filter.participants.of": TEXT,
    "pruner": "summarize",
    "budget": "700",
    "historyPolicy": "all",
    "historyLength": TEXT,
    "nonsense": TEXT,
    TEXT[:60]: "1",
    "agent": TEXT,
    "system": TEXT,
    "cmp": f"model:{LINK};budget:900",
    "conv": f"sample:{TEXT}",
    "stars": f"1,{TAG}",
}
"""A link whose every parameter is hostile, or makes one count."""
OPEN = ("text_area", "text_input", "arrow_data_frame", "code", "bidi_component", "plotly_chart")
"""Elements whose content the browser takes for text alone, whatever it holds."""


def conversation(turns: int = 6) -> bytes:
    """A file whose title, names, roles, texts, calls and ids are hostile."""
    said: list[dict[str, Any]] = [{"role": "system", "content": TEXT}]
    for k in range(turns):
        call = {
            "id": f"{k}{SHORT}",
            "type": "function",
            "function": {"name": SHORT, "arguments": json.dumps({"q": TEXT})},
        }
        said += [
            {"role": "user", "name": SHORT, "content": f"{k} {TEXT} " + "word " * 60},
            {"role": "assistant", "name": f"bot {SHORT}", "content": TEXT, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"{k}{SHORT}", "name": SHORT, "content": TEXT},
            {"role": "assistant", "content": f"{TEXT} ORD-{k}917 {TAG}", "reasoning_content": TEXT},
        ]
    said.append({"role": "user", "content": f"ORD-0917? {TEXT}"})
    return json.dumps({"title": TEXT, "model": TEXT, "messages": said}).encode()


def texts(app) -> Iterator[tuple[str, str, str]]:
    """(element, field, text) of everything a page that ran hands to the browser."""
    yield from _of_node(app._tree)
    if any(element.proto.component_name.endswith("message_list") for element in app.get("bidi_component")):
        yield from (("bidi_component", "bytes", text) for text in _strings(listed(app)))


def _strings(value: Any) -> Iterator[str]:
    """Every text in JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _of_node(node: Any) -> Iterator[tuple[str, str, str]]:
    proto = getattr(node, "proto", None)
    if proto is not None and hasattr(proto, "ListFields"):
        for path, text in _of_proto(proto):
            yield getattr(node, "type", ""), path, text
    for child in getattr(node, "children", {}).values():
        yield from _of_node(child)


def _of_proto(proto: Any, path: str = "") -> Iterator[tuple[str, str]]:
    for field, value in proto.ListFields():
        for one in [value] if isinstance(value, str | bytes | int | float) or hasattr(value, "ListFields") else value:
            if isinstance(one, str):
                yield f"{path}{field.name}", one
            elif hasattr(one, "ListFields"):
                yield from _of_proto(one, f"{path}{field.name}.")


def harm(element: str, field: str, text: str) -> str:
    """What the browser would make of that text besides text; "" if nothing."""
    if element == "html":
        live = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
        return "a tag" if "<img" in live or re.search(r"<a\b|javascript:", live) else _hidden(live)
    if field.endswith(("id", "key", "default", "value", "raw_values", "string_value", "query_string", "form_id")):
        return ""  # no text that is drawn, or what a field holds to be edited
    if element in OPEN or (element in ("selectbox", "multiselect") and field == "options"):
        return "" if element in ("text_area", "text_input") else _hidden(text)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    return "Markdown" if "](" in outside or "https://" in outside or ":red[" in outside else _hidden(text)


def _hidden(text: str) -> str:
    return "hidden characters" if re.search("[\u202a-\u202e\u2066-\u2069\u200b]", text) else ""
