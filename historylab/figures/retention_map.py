"""The retention map's bytes, as sent to the browser: one byte a cell, compressed.

    uint32 length of NOW, NOW (JSON: the selection), deflated [ uint32 length of STILL, STILL (JSON), the cells ]

The second part depends on the timeline alone and is made once; the browser unpacks it when it first meets its key.
Lengths are little endian. Message text is one line of plain text, shown as text only.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.figures.axis import turn_ticks
from historylab.figures.prefix_strip import prefix_strip
from historylab.figures.retention_grid import MOST, RetentionGrid, column_reasons, retention_grid
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS, Look
from historylab.wording.untrusted import one_line

SNIPPET = 90  # characters of a message in its tooltip
QUICK = 1  # compression level: the cells are long runs
TEXTURES = {Action.SUMMARIZED: "hatched", Action.TRUNCATED: "ruled", Action.DROPPED: "dotted"}


def pack_timeline(timeline: Timeline, most: int = MOST) -> bytes:
    """The part that depends on the timeline alone."""
    grid = retention_grid(timeline, most)
    return compress_cells(
        {**map_axes(timeline), **_words(timeline, grid), **_strip(timeline, grid)}, grid.newest, grid.cells
    )


def compress_cells(still: Mapping[str, Any], newest: np.ndarray, cells: np.ndarray) -> bytes:
    """The second part: its JSON, the newest message's code per column, and the cells, row by row."""
    words = _json(still)
    return zlib.compress(struct.pack("<I", len(words)) + words + newest.tobytes() + cells.tobytes(), QUICK)


def pack_view(packed: bytes, key: str, request: int, message: int | None, starred: Iterable[int] = ()) -> bytes:
    """The whole: selected request and message (from 0), must-remember messages, the packed timeline named by `key`."""
    now = _json({"key": key, "request": request, "message": message, "starred": sorted(starred)})
    return struct.pack("<I", len(now)) + now + packed


def map_axes(timeline: Timeline) -> dict[str, Any]:
    """Number of messages and requests, their labels, the turns' ticks, messages sent per request."""
    steps = timeline.steps
    positions, names = turn_ticks(timeline)
    sent = [int(p.history.block_sizes.dot(p.sent)) for p in timeline.plans]
    return {
        "messages": len(timeline.conversation),
        "requests": len(timeline.plans),
        "labels": [step.label for step in steps],
        "starts": [step.number for step in steps if step.request_in_turn == 1],
        "ticks": [[position - 1, name] for position, name in zip(positions, names, strict=True)],
        "sent": sent,
        "said": [plan.size for plan in timeline.plans],
        "over": np.flatnonzero(timeline.over_budget).tolist(),
    }


def _words(timeline: Timeline, grid: RetentionGrid) -> dict[str, Any]:
    sentences, why = column_reasons(timeline, grid)
    return {
        **map_bins(timeline.conversation, len(grid.rows) - 1, len(grid.columns) - 1),
        "looks": [browser_look(LOOKS[action], TEXTURES.get(action, "")) for action in Action],
        "codes": [int(action) for action, _ in grid.codes],
        "pins": grid.pins,
        "sentences": sentences,
        "why": why,
        "binned": "at worst ",
    }


def map_bins(conversation: Conversation, rows: int, columns: int) -> dict[str, Any]:
    """The grid's size; if every row is one message, also its speaker and its first words."""
    who, texts = _said(conversation) if len(conversation) == rows else ((), ())
    return {"rows": rows, "columns": columns, "who": who, "texts": texts}


def _said(conversation: Conversation) -> tuple[list[str], list[str]]:
    """Speaker and first words of each message; the same under all settings."""
    return conversation.remember(
        "snippets",
        lambda: (
            [speaker(m, 40) for m in conversation],
            [one_line(m.content or " ".join(call.name for call in m.tool_calls), SNIPPET) for m in conversation],
        ),
    )


def browser_look(look: Look, texture: str) -> dict[str, str]:
    """A look for the browser; the texture ("hatched", "ruled", "dotted" or "") tells it apart without colour."""
    colours = {"light": look.light, "dark": look.dark, "onLight": look.ink(False), "onDark": look.ink(True)}
    return {"word": look.word, "glyph": look.glyph, "texture": texture, **colours}


def _strip(timeline: Timeline, grid: RetentionGrid) -> dict[str, Any]:
    strip = prefix_strip(timeline, grid.columns)
    return {"share": np.floor(strip.share * 100).astype(int).tolist(), "moved": np.flatnonzero(strip.moved).tolist()}


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
