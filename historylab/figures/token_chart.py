"""The token chart's bytes, as sent to the browser: what every request sends, by kind, against the budget.

An array per kind of tokens, named as it is, one of what would be sent `untrimmed`, by how many tokens each is counted
`over` the budget, and which requests are `shown`: at most MOST are drawn, of more the largest of each bin. No message's
text is in them. `packing` documents the layout.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from historylab.figures.axis import drawn_requests, reach_of, turn_ticks
from historylab.figures.packing import frame_head, pack_content
from historylab.figures.retention_map import browser_look
from historylab.figures.token_svg import kinds_drawn
from historylab.planning.context_fill import context_budget, context_by_kind, tokens_over
from historylab.planning.replay import Timeline
from historylab.wording.as_sent import limit_word, untrimmed_word
from historylab.wording.context import kind_in_words
from historylab.wording.findings import token_finding
from historylab.wording.palette import ALARM, KINDS

MOST = 1_000
TEXTURES = {"summary": "hatched"}  # as the messages that it stands for are on the map


def pack_tokens(timeline: Timeline) -> bytes:
    """All that the timeline alone decides."""
    shown = drawn_requests(timeline.contexts, MOST)
    kinds, drawn = [kind for kind in KINDS if context_by_kind(timeline)[kind].any()], kinds_drawn(timeline)
    over = np.array([tokens_over(timeline, request) for request in shown.tolist()], np.int64)
    positions, names = turn_ticks(timeline)
    words = {
        "finding": token_finding(timeline),
        "requests": len(timeline.plans),
        "kinds": [_kind(timeline, kind, drawn=kind in drawn) for kind in kinds],
        "whole": untrimmed_word(timeline),
        "limit": limit_word(timeline),
        "alarm": browser_look(ALARM, ""),
        "ticks": [[position - 1, name] for position, name in zip(positions, names, strict=True)],
        "net": context_budget(timeline, 0),
        "budget": timeline.settings.budget,
        "aside": timeline.settings.reserve,
        "top": int(1.12 * reach_of(timeline, timeline.settings.budget)),  # with room for the budget's label
        "summaries": _new_summaries(timeline),
    }
    rows = {kind: context_by_kind(timeline)[kind][shown] for kind in kinds}
    untrimmed = timeline.untrimmed_contexts[shown]
    return pack_content(words, {**rows, "untrimmed": untrimmed, "over": over, "shown": shown})


def pack_chart(packed: bytes, key: str, locked: str) -> bytes:
    """The whole: the packed timeline, the key the map gave it, and who locks the budget, if somebody does."""
    return frame_head({"key": key, "locked": locked}) + packed


def _kind(timeline: Timeline, kind: str, *, drawn: bool) -> dict[str, Any]:
    look = browser_look(KINDS[kind], TEXTURES.get(kind, ""))
    return {"kind": kind, "drawn": drawn, **look, "word": kind_in_words(timeline, kind)}


def _new_summaries(timeline: Timeline) -> list[tuple[int, int, int]]:
    """(request, messages it covers, its tokens) of every request with a new summary; at most MOST."""
    made = [
        (request, plan.summary.covers, plan.summary.tokens)
        for request, plan in enumerate(timeline.plans)
        if plan.summary and (not request or timeline.plans[request - 1].summary != plan.summary)
    ]
    return made[:: len(made) // MOST + 1]
