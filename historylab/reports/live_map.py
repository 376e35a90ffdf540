"""The playground's map in a report: its scripts as one, its bytes in the page, nothing loaded.

The script is the same in every report, so that the content security policy can name it by its hash: what a
conversation says stands only in the page's attributes and texts.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from historylab.figures.browser import MAP, MAP_SCRIPTS, SHARED, TIMELINE, TIMELINE_SCRIPTS, text_to_send
from historylab.figures.retention_map import pack_conversation, pack_timeline, view
from historylab.reports.shown import Shown
from historylab.wording.untrusted import escape

COMPONENTS = {
    "keepTimeline": [TIMELINE / f"{name}.js" for name in TIMELINE_SCRIPTS],
    "mountMap": [MAP / f"{name}.js" for name in MAP_SCRIPTS],
}
"""What each component is called in the report's script → the scripts it consists of."""


def map_parts(shown: Sequence[Shown], number: int) -> list[str]:
    """Per configuration the attributes that hold its map; a conversation that several share stands in the first."""
    known: set[str] = set()
    parts = []
    for one in shown:
        conversation = one.timeline.conversation.digest
        packed = {"timeline": pack_timeline(one.timeline, one.letter, conversation)}
        if conversation not in known:
            packed["conversation"] = pack_conversation(one.timeline, conversation)
            known.add(conversation)
        look = view(one.letter, min(number, len(one.timeline.plans) - 1), None, one.starred)
        held = "".join(f' data-{name}="{b64encode(part).decode()}"' for name, part in packed.items())
        parts.append(f'data-view="{escape(json.dumps(look))}"{held}')
    return parts


@cache
def map_template() -> str:
    """What the script draws a map in."""
    look, page = (text_to_send(MAP / f"history_map.{kind}") for kind in ("css", "html"))
    return f'<template id="map"><style>{look}</style>{page}</template>'


@cache
def script() -> str:
    """The one script of a report."""
    text = [text_to_send(path) for path in SHARED]
    for name, files in COMPONENTS.items():
        joined = "\n".join(text_to_send(path) for path in files)
        named, count = re.subn(r"^export default ", f"const {name} = ", joined, flags=re.MULTILINE)
        if count != 1:
            raise RuntimeError(f"{files[-1].name} must export one function, and as its default")
        text.append(named)
    return "\n".join((*text, text_to_send(Path(__file__).with_name("report.js"))))


@cache
def script_hash() -> str:
    """The script as a content security policy names it."""
    return f"'sha256-{b64encode(sha256(script().encode()).digest()).decode()}'"
