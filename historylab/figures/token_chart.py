"""The token chart's bytes, as sent to the browser: what every request sends, by kind, against the budget.

    uint32 length of HEAD, HEAD (JSON), deflated [ int32 differences, a byte of all of them after the other ]

The second part holds rows of tokens, each as what changed from one request drawn to the next: every kind that HEAD
names, then the whole that is sent, then what would be sent untrimmed. At most MOST requests are drawn, of more the
largest of each bin. It holds no message's text.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from historylab.figures.axis import drawn_requests, reach_of, turn_ticks
from historylab.figures.packing import framed
from historylab.figures.retention_map import browser_look
from historylab.figures.token_svg import kinds_drawn
from historylab.planning.replay import Timeline
from historylab.wording.findings import token_finding
from historylab.wording.palette import ALARM, KINDS

MOST = 1_000
TEXTURES = {"summary": "hatched"}  # as the messages that it stands for are on the map


def pack_tokens(timeline: Timeline) -> tuple[dict[str, Any], bytes]:
    """HEAD as far as the timeline alone decides it, and the second part."""
    shown = drawn_requests(timeline.tokens, MOST)
    kinds, drawn = [kind for kind in KINDS if timeline.tokens_by_kind[kind].any()], kinds_drawn(timeline)
    rows = [*(timeline.tokens_by_kind[kind] for kind in kinds), timeline.tokens, timeline.untrimmed]
    changes = np.diff(np.array([row[shown] for row in rows]), prepend=0).astype("<i4")
    planes = changes.reshape(-1).view(np.uint8).reshape(-1, 4).T
    positions, names = turn_ticks(timeline)
    head = {
        "finding": token_finding(timeline),
        "requests": len(timeline.plans),
        "shown": [] if len(shown) == len(timeline.plans) else np.diff(shown, prepend=0).tolist(),
        "kinds": [_kind(kind, drawn=kind in drawn) for kind in kinds],
        "alarm": browser_look(ALARM, ""),
        "ticks": [[position - 1, name] for position, name in zip(positions, names, strict=True)],
        "net": timeline.plans[0].budget,
        "budget": timeline.settings.budget,
        "aside": timeline.settings.reserve + timeline.settings.overhead,
        "top": chart_top(timeline),
        "summaries": _new_summaries(timeline),
    }
    return head, zlib.compress(planes.tobytes(), 9)


def pack_chart(packed: tuple[dict[str, Any], bytes], key: str, locked: str) -> bytes:
    """The whole: the packed timeline, the key the map gave it, and who locks the budget, if somebody does."""
    head, rows = packed
    return framed({**head, "key": key, "locked": locked}) + rows


def _kind(kind: str, *, drawn: bool) -> dict[str, Any]:
    return {"kind": kind, "drawn": drawn, **browser_look(KINDS[kind], TEXTURES.get(kind, ""))}


def chart_top(timeline: Timeline) -> int:
    """The top of the tokens' axis, with room above it for the budget's label."""
    return int(1.12 * reach_of(timeline, timeline.settings.budget))


def _new_summaries(timeline: Timeline) -> list[tuple[int, int, int]]:
    """(request, messages it covers, its tokens) of every request with a new summary; at most MOST."""
    made = [
        (request, plan.summary.covers, plan.summary.tokens)
        for request, plan in enumerate(timeline.plans)
        if plan.summary and (not request or timeline.plans[request - 1].summary != plan.summary)
    ]
    return made[:: len(made) // MOST + 1]
